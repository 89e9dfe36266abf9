"""Overlap of boxes `x1, y1, x2, y2` in pixels of the original image."""

from __future__ import annotations

import numpy as np

from evaluator.family import FloatArray


def overlap(first: FloatArray, second: FloatArray) -> FloatArray:
    """Intersection over union of every pair of boxes.

    Args:
        first: (N, 4).
        second: (M, 4).

    Returns:
        (N, M) fractions in [0, 1]; 0 where the union has no area (also where
        an area underflows), never NaN. Sides are x2 - x1, without a pixel added.
    """
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0.0, None), axis=2)
    union = _area(first)[:, None] + _area(second)[None, :] - shared
    quotient: FloatArray = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return quotient


def _area(boxes: FloatArray) -> FloatArray:
    return np.asarray(np.prod(np.clip(boxes[:, 2:] - boxes[:, :2], 0.0, None), axis=1))
