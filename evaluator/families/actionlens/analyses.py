"""What a diagnostic benchmark is for: which wrong answers, and what changes them.

Everything here needs stored outcomes alone: no truth, no predictions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluator.families.actionlens.diagnostics import DIAGNOSTICS, KIND_NUMBER
from evaluator.families.actionlens.evidence import SUMS
from evaluator.families.actionlens.metrics import PARTS, slice_sums
from evaluator.itemwise import Agreement, KindOfError
from evaluator.outcome import Outcome


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
                    slice=diagnostic.slug,
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


def questions_by_cluster(outcome: Outcome, slice_: str) -> NDArray[np.int64]:
    """Questions of each video, (C, S): by diagnostic where the slice has them all."""
    column = SUMS.index("questions")
    parts = PARTS.get(slice_, (slice_,))
    counts = np.stack([slice_sums(outcome, part)[:, column] for part in parts], axis=1)
    return counts.astype(np.int64)
