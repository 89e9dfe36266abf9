"""How far two sets of answers to the same questions differ: hardly at all is seldom chance.

A fingerprint is one whole number for each question of a track, in the order of the
questions: equal where the answers are, 0 where an answer tells nothing. Families say what
an answer is; order, layout and wording of the file are gone by then.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import sha256
from evaluator.errors import EvaluatorError

NEARLY = 0.01  # share of answers below which two sets are pointed out
# Agreement on what anybody could say is none: neither on silence, nor on the answer that a
# system gives most often. So much of the rest must be the same before it counts.
MIN_TELLING = 50  # answers
TELLING_PER_DIFFERENCE = 10  # answers, for each that differs

HEAD = b"answers 1\n"  # and a format, which rises when families come to write other numbers

Fingerprint = NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two fingerprints held against each other.

    Attributes:
        n: questions to which at least one of them gives an answer that tells something.
        n_different: of these, the ones with different answers.
        n_telling: of these, the same answer, and the most frequent one of neither.
    """

    n: int
    n_different: int
    n_telling: int

    @property
    def share(self) -> float | None:
        """Different answers over all, in [0, 1]; None where neither says anything."""
        return self.n_different / self.n if self.n else None

    @property
    def is_near(self) -> bool:
        """Less than 1 % differ."""
        return self.n > 0 and self.n_different < NEARLY * self.n

    @property
    def is_telling(self) -> bool:
        """So much that tells something is the same that chance or a habit is no explanation."""
        wanted = max(MIN_TELLING, TELLING_PER_DIFFERENCE * self.n_different)
        return self.is_near and self.n_telling >= wanted


def likeness_of(first: Fingerprint, second: Fingerprint) -> Likeness:
    """How far two fingerprints of one track agree.

    Raises:
        EvaluatorError: they are not of the same questions.
    """
    if len(first) != len(second):
        raise EvaluatorError(f"{len(first)} answers cannot be held against {len(second)}")
    is_same = first == second
    n_silent = int(np.count_nonzero(is_same & (first == 0)))
    n_different = int(len(first) - np.count_nonzero(is_same))
    n_telling = 0
    if n_different < NEARLY * (len(first) - n_silent):
        tells = is_same & (first != 0) & (first != _habit(first)) & (second != _habit(second))
        n_telling = int(np.count_nonzero(tells))
    return Likeness(len(first) - n_silent, n_different, n_telling)


def fingerprint_bytes(fingerprint: Fingerprint) -> bytes:
    """The fingerprint to be stored; equal ones give equal bytes."""
    largest = int(fingerprint.max()) if fingerprint.size else 0
    narrow = fingerprint.astype(np.min_scalar_type(largest))
    buffer = io.BytesIO()
    np.save(buffer, narrow, allow_pickle=False)
    return HEAD + zlib.compress(buffer.getvalue(), 6)


def read_fingerprint(data: bytes) -> Fingerprint:
    """Inverse of `fingerprint_bytes`.

    Raises:
        EvaluatorError: written by another format of this module.
    """
    if not data.startswith(HEAD):
        raise EvaluatorError("these answers are of another format than this evaluator reads")
    stored = io.BytesIO(zlib.decompress(data[len(HEAD) :]))
    fingerprint: Fingerprint = np.load(stored, allow_pickle=False)
    return fingerprint


@dataclass(frozen=True, slots=True)
class Twins:
    """Two files, by their places in the list, with hardly a difference.

    Attributes:
        n_different: answers that differ; 0 of 0 where the bytes are the same.
    """

    first: int
    second: int
    n_different: int
    n_items: int

    @property
    def sentence(self) -> str:
        """What to say of them, after their names."""
        if not self.n_items:
            return "are the same, byte for byte"
        if not self.n_different:
            return f"give the same {self.n_items:,} answers"
        return f"differ in {self.n_different:,} of {self.n_items:,} answers"


def twins_among(files: Sequence[bytes], fingerprints: Sequence[Fingerprint]) -> list[Twins]:
    """Every pair of files that is the same, or differs in less than 1 % of its answers.

    Args:
        fingerprints: of each file; those of tracks with other questions are left alone.
    """
    digests = [sha256(data) for data in files]
    found = []
    for first, second in combinations(range(len(files)), 2):
        if digests[first] == digests[second]:
            found.append(Twins(first, second, 0, 0))
        elif len(fingerprints[first]) == len(fingerprints[second]):
            likeness = likeness_of(fingerprints[first], fingerprints[second])
            if likeness.is_near:
                found.append(Twins(first, second, likeness.n_different, likeness.n))
    return found


def _habit(fingerprint: Fingerprint) -> int:
    """The number that stands most often, 0 aside; 0 if there is no other."""
    numbers, counts = np.unique(fingerprint[fingerprint != 0], return_counts=True)
    return int(numbers[counts.argmax()]) if numbers.size else 0
