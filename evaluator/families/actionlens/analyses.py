"""What a diagnostic benchmark is for: which wrong answers, and what changes them.

Everything here needs stored outcomes alone: no truth, no predictions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.families.actionlens.diagnostics import DIAGNOSTICS, KIND_NUMBER, Code
from evaluator.families.actionlens.evidence import SUMS
from evaluator.families.actionlens.metrics import slice_sums
from evaluator.families.actionlens.slices import DIAGNOSTIC_SLICES
from evaluator.family import FloatArray
from evaluator.outcome import Outcome


@dataclass(frozen=True, slots=True)
class KindOfError:
    """One row of a diagnostic's table of errors.

    Attributes:
        n: wrong answers of this kind (a mean where answers are a matter of chance).
        share: of the diagnostic's wrong answers whose kind is known; None without any.
        chance: the share that even guessing among the wrong options of the same
            questions gives; None without any.
    """

    diagnostic: Code
    kind: str
    title: str
    n: float
    share: float | None
    chance: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two outcomes have the same answer.

    Attributes:
        n: questions that both answered or left, by id.
        share: of these, with the same option (no answer is one of its own).
        n_flipped: right in the first and wrong in the second, and the other way round.
    """

    n: int
    share: float | None
    n_flipped: tuple[int, int]


def errors_by_kind(outcome: Outcome) -> list[KindOfError]:
    """Tables of errors of all diagnostics, chance beside each."""
    totals = outcome.arrays["errors"].sum(axis=0)
    rows = []
    for diagnostic in DIAGNOSTICS:
        numbers = [KIND_NUMBER[diagnostic.code, kind] for kind in diagnostic.kind_slugs]
        n_wrong, n_even = totals[numbers].sum(axis=0)
        for number, (kind, title) in zip(numbers, diagnostic.kinds, strict=True):
            n, even = totals[number]
            rows.append(
                KindOfError(
                    diagnostic=diagnostic.code,
                    kind=kind,
                    title=title,
                    n=float(n),
                    share=float(n / n_wrong) if n_wrong else None,
                    chance=float(even / n_even) if n_even else None,
                )
            )
    return rows


def agreement(first: Outcome, second: Outcome) -> Agreement:
    """Agreement of two outcomes on the questions they share, for example colours swapped."""
    _, one, two = np.intersect1d(
        first.arrays["question"], second.arrays["question"], return_indices=True
    )
    same = first.arrays["picked"][one] == second.arrays["picked"][two]
    right, right_then = first.arrays["is_right"][one], second.arrays["is_right"][two]
    return Agreement(
        n=int(same.size),
        share=float(same.mean()) if same.size else None,
        n_flipped=(int((right & ~right_then).sum()), int((~right & right_then).sum())),
    )


def right_by_system(outcomes: list[Outcome]) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """Right answers (N, Q) and cells (Q, 2) of outcomes of one track, for `one_per_cell`."""
    right = np.stack([outcome.arrays["is_right"] for outcome in outcomes])
    cells: NDArray[np.int32] = outcomes[0].arrays["cell"]
    return right, cells


def questions_by_cluster(outcome: Outcome) -> NDArray[np.int64]:
    """Questions of each video and diagnostic, (C, 5), for `concentration`."""
    column = SUMS.index("questions")
    counts: FloatArray = np.stack(
        [slice_sums(outcome, slug)[:, column] for slug in DIAGNOSTIC_SLICES], axis=1
    )
    return counts.astype(np.int64)
