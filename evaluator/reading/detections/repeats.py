"""The very same detection written twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluator.reading.detections.forms import Columns

# Odd multipliers, so that a sum of products keeps the bits of every column.
_GENERATOR = np.random.Generator(np.random.PCG64(20240601))
MULTIPLIERS = _GENERATOR.integers(1 << 62, size=11, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def repeats_of(columns: Columns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows that equal an earlier row in every column, ascending, and those earlier rows."""
    values = [
        columns.image.astype(np.float64),
        columns.label.astype(np.float64),
        columns.score + 0.0,  # -0.0 is 0.0
        *(columns.human.T + 0.0),
        *(columns.object.T + 0.0),
    ]
    mixed = np.zeros(len(columns), dtype=np.uint64)
    for value, multiplier in zip(values, MULTIPLIERS, strict=True):
        bits = np.ascontiguousarray(value).view(np.uint64)
        mixed = (mixed ^ bits ^ (bits >> np.uint64(29))) * multiplier
    ordered = np.sort(mixed)
    shared = ordered[1:][ordered[1:] == ordered[:-1]]
    rows = np.flatnonzero(np.isin(mixed, shared)) if len(shared) else np.zeros(0, dtype=np.int64)
    # Equal mixtures are only a hint: compare the rows themselves, earlier ones first.
    rows = rows[np.lexsort([value[rows] for value in values])]
    table = np.stack([value[rows] for value in values])
    begins = np.append(True, (table[:, 1:] != table[:, :-1]).any(axis=0))[: len(rows)]
    original = rows[np.maximum.accumulate(np.where(begins, np.arange(len(rows)), 0))]
    order = np.argsort(rows[~begins])
    return rows[~begins][order], original[~begins][order]


def crowded(image: NDArray[np.int32], most: int) -> NDArray[np.int64]:
    """The row of each image with which it passes `most` detections, ascending."""
    order = np.argsort(image, kind="stable")
    n = np.bincount(image)
    begins = np.cumsum(n) - n
    return np.sort(order[begins[n > most] + most])
