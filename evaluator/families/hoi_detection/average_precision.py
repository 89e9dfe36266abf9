"""Average precision as a function of image weights.

Between two true positives only the weight of the false positives matters, so
an outcome keeps true positives one by one and false positives as runs before
each of them; those below a class's last true positive change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.families.hoi_detection.matching import Ranked
from evaluator.family import FloatArray, WeightArray


@dataclass(frozen=True, slots=True)
class HitRuns:
    """Ranked detections, compressed.

    Attributes:
        label, image: (H,) class and image of each true positive, by class and rank.
        n_before: (H,) false positives since the class's last true positive.
        false_image: images of those false positives, run after run.
    """

    label: NDArray[np.int32]
    image: NDArray[np.int32]
    n_before: NDArray[np.int32]
    false_image: NDArray[np.int32]


def compress(ranked: Ranked) -> HitRuns:
    """The runs of ranked detections."""
    hits = np.flatnonzero(ranked.is_hit)
    begins = np.searchsorted(ranked.label, ranked.label[hits], side="left")
    previous = np.concatenate([[-1], hits[:-1]]) if hits.size else hits
    n_before = hits - np.maximum(begins, previous + 1)
    is_counted = np.zeros(ranked.image.size + 1, dtype=np.int64)
    np.add.at(is_counted, hits - n_before, 1)
    np.add.at(is_counted, hits, -1)
    counted = np.cumsum(is_counted[:-1]) > 0
    return HitRuns(
        label=ranked.label[hits],
        image=ranked.image[hits],
        n_before=n_before.astype(np.int32),
        false_image=ranked.image[counted],
    )


def average_precision(
    runs: HitRuns,
    weights: WeightArray,
    n_truth: FloatArray,
    thresholds: FloatArray,
) -> FloatArray:
    """Interpolated average precision of every class under every row of weights.

    Args:
        weights: (B, images).
        n_truth: (B, K) weighted pairs of the truth.
        thresholds: recall points; precision at a point is the best at that
            recall or beyond.

    Returns:
        (B, K) in [0, 1]; 0 for a class without a true positive. Meaningless
        where `n_truth` is 0: the caller leaves such classes out.
    """
    n_draws, n_classes = n_truth.shape
    values = np.zeros((n_draws, n_classes))
    if not runs.label.size:
        return values
    is_run = runs.n_before > 0
    run_starts = (np.cumsum(runs.n_before) - runs.n_before)[is_run]
    first_of_class = np.flatnonzero(np.diff(runs.label, prepend=-1))
    class_of_row = np.cumsum(np.diff(runs.label, prepend=-1) != 0) - 1
    n_points = thresholds.size
    false_weight = np.zeros(runs.label.size)
    for draw in range(n_draws):
        weight = weights[draw].astype(np.float64)
        if run_starts.size:
            false_weight[is_run] = np.add.reduceat(weight[runs.false_image], run_starts)
        hits = _running_sum(weight[runs.image], first_of_class, class_of_row)
        falses = _running_sum(false_weight, first_of_class, class_of_row)
        named = hits + falses
        precision = np.divide(hits, named, out=np.zeros_like(hits), where=named > 0)
        n_right = n_truth[draw, runs.label]
        recall = np.divide(hits, n_right, out=np.zeros_like(hits), where=n_right > 0)
        # Recall never falls within a class, so equal keys stand together.
        reached = np.searchsorted(thresholds, recall, side="right")
        key = runs.label.astype(np.int64) * (n_points + 1) + reached
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        best = np.zeros(n_classes * (n_points + 1))
        best[key[starts]] = np.maximum.reduceat(precision, starts)
        best = best.reshape(n_classes, n_points + 1)[:, ::-1]
        values[draw] = np.maximum.accumulate(best, axis=1)[:, :n_points].mean(axis=1)
    return values


def _running_sum(
    values: FloatArray, first_of_class: NDArray[np.int64], class_of_row: NDArray[np.int64]
) -> FloatArray:
    """Cumulative sums that start anew with each class. Exact for whole weights."""
    total = np.cumsum(values)
    before = total[first_of_class] - values[first_of_class]
    running: FloatArray = total - before[class_of_row]
    return running
