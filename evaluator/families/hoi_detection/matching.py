"""Detections meet truth: which are true positives, and in what order they stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.families.hoi_detection.rules import MIN_OVERLAP, Rules
from evaluator.family import FloatArray


@dataclass(frozen=True, slots=True)
class Pairs:
    """Human-object pairs as columns, of truth or of predictions.

    Attributes:
        image: (D,) index of the image.
        label: (D,) index of the HOI class.
        human, object: (D, 4) boxes in the truth's pixel frame.
    """

    image: NDArray[np.int32]
    label: NDArray[np.int32]
    human: FloatArray
    object: FloatArray

    def __len__(self) -> int:
        return len(self.image)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Detections by class, best first, as true and false positives.

    Attributes:
        row: (D,) index of the detection in its file.
        image, label: (D,), sorted by label, then by score; file order on ties.
        is_hit: (D,) the first detection that best overlaps its pair of the truth.
    """

    row: NDArray[np.int64]
    image: NDArray[np.int32]
    label: NDArray[np.int32]
    is_hit: NDArray[np.bool_]


def rank_detections(
    truth: Pairs,
    detections: Pairs,
    scores: FloatArray,
    *,
    n_images: int,
    n_classes: int,
    rules: Rules,
) -> Ranked:
    """Detections sorted and matched.

    Each detection takes the pair of its image and class that it overlaps
    most (min of human and object); if that one is taken by a better
    detection, it is a false positive, whatever else it overlaps.
    """
    kept = _counted(truth, detections, scores, n_images, rules)
    order = kept[np.argsort(-scores[kept], kind="stable")]
    # The narrowest type that holds a class: numpy sorts 16 bits by radix.
    narrow = detections.label[order].astype(np.min_scalar_type(n_classes))
    order = order[np.argsort(narrow, kind="stable")]
    image, label = detections.image[order], detections.label[order]

    key = label.astype(np.int64) * n_images + image
    truth_key = truth.label.astype(np.int64) * n_images + truth.image
    by_key = np.argsort(truth_key, kind="stable")
    n_at = np.bincount(truth_key, minlength=n_classes * n_images)
    n_candidates = n_at[key]
    rivals = np.flatnonzero(n_candidates)
    first = np.concatenate([[0], np.cumsum(n_at)])[key[rivals]]

    count = n_candidates[rivals]
    row, place = each_of(first, count)
    start = np.cumsum(count) - count
    candidate = by_key[place]
    detected = order[rivals[row]]
    shared = np.minimum(
        pixel_overlap(truth.human[candidate], detections.human[detected]),
        pixel_overlap(truth.object[candidate], detections.object[detected]),
    )
    is_hit = np.zeros(order.size, dtype=bool)
    if row.size:
        best = np.maximum.reduceat(shared, start)
        # The first of equal overlaps, as argmax takes it.
        is_best = shared == best[row]
        chosen = np.full(rivals.size, row.size)
        np.minimum.at(chosen, row[is_best], np.flatnonzero(is_best))
        fits = best > MIN_OVERLAP if rules.strictly_above else best >= MIN_OVERLAP
        claimed = candidate[chosen[fits]]
        _, winner = np.unique(claimed, return_index=True)  # rows stand best first
        is_hit[rivals[np.flatnonzero(fits)[winner]]] = True
    return Ranked(order, image, label, is_hit)


def each_of(
    first: NDArray[np.int64], count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All places of runs that begin at `first`, each with the index of its run."""
    run = np.repeat(np.arange(count.size), count)
    start = np.cumsum(count) - count
    return run, first[run] + np.arange(run.size) - start[run]


def _counted(
    truth: Pairs, detections: Pairs, scores: FloatArray, n_images: int, rules: Rules
) -> NDArray[np.int64]:
    """Indices of the detections that count, in file order."""
    kept = np.arange(len(detections))
    if not rules.counts_empty_images:
        has_truth = np.bincount(truth.image, minlength=n_images) > 0
        kept = kept[has_truth[detections.image]]
    if rules.cap is not None:
        order = kept[np.argsort(-scores[kept], kind="stable")]
        order = order[np.argsort(detections.image[order], kind="stable")]
        image = detections.image[order]
        begins = np.concatenate([[True], image[1:] != image[:-1]]) if image.size else image > 0
        place = np.arange(image.size) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
        kept = np.sort(order[place < rules.cap])
    return kept


def pixel_overlap(first: FloatArray, second: FloatArray) -> FloatArray:
    """(n,) intersection over union of boxes row by row; a side is x2 - x1 + 1 pixels."""
    low = np.maximum(first[:, :2], second[:, :2])
    high = np.minimum(first[:, 2:], second[:, 2:])
    shared = np.prod(np.clip(high - low + 1.0, 0.0, None), axis=1)
    area = np.prod(first[:, 2:] - first[:, :2] + 1.0, axis=1)
    other = np.prod(second[:, 2:] - second[:, :2] + 1.0, axis=1)
    union = area + other - shared
    quotient: FloatArray = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return quotient
