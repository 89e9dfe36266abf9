"""How many answers tell two predictions files apart: runs that are said to differ seldom agree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from evaluator.bundle import sha256
from evaluator.errors import PredictionsInvalid
from evaluator.reading.harness import Log, open_predictions

NEARLY = 0.01  # share of answers below which two files are pointed out
MAX_READ = 16 << 20  # bytes; longer files are compared as they are


@dataclass(frozen=True, slots=True)
class Twins:
    """Two files, by their places in the list, with hardly a difference.

    Attributes:
        n_different: answers that one has and the other has not; 0 of 0 items where
            the bytes are the same.
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


def twins_among(files: Sequence[bytes]) -> list[Twins]:
    """Every pair of files that is the same, or differs in less than 1 % of its answers."""
    digests = [sha256(data) for data in files]
    read: dict[str, Counter[str]] = {}
    for digest, data in zip(digests, files, strict=True):
        if digest not in read and len(data) <= MAX_READ and len(set(digests)) > 1:
            read[digest] = _answers(data)
    found = []
    for first, second in combinations(range(len(files)), 2):
        if digests[first] == digests[second]:
            found.append(Twins(first, second, 0, 0))
            continue
        answers = [read.get(digests[number]) for number in (first, second)]
        if not answers[0] or not answers[1]:
            continue
        n_items = max(answers[0].total(), answers[1].total())
        n_different = n_items - (answers[0] & answers[1]).total()
        if n_different < NEARLY * n_items:
            found.append(Twins(first, second, n_different, n_items))
    return found


def _answers(data: bytes) -> Counter[str]:
    """Items of a file, each with what it answers; of a log ids and replies alone."""
    try:
        opened = open_predictions(data)
    except PredictionsInvalid:
        return Counter()
    if isinstance(opened, Log):
        return Counter(json.dumps([row.ids or row.prompt, row.reply]) for row in opened.rows)
    value = opened.value
    if isinstance(value, dict):
        value = value.get("predictions", [[name, entry] for name, entry in value.items()])
    return Counter(json.dumps(item, sort_keys=True) for item in value)
