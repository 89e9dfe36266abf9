"""Average precision of HICO-DET spelt out in loops; imports nothing of ours.

Official semantics: min of human and object overlap at least one half, a side
counts its last pixel, argmax pair of the truth, a pair once used makes a false
positive, 11 points with MATLAB's 0.3 a hair high.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Row = tuple[int, int, Sequence[float], Sequence[float], float]  # image, class, human, object, score

POINTS = [0.1 * k if k <= 5 else 1 - 0.1 * (10 - k) for k in range(11)]


def overlap(a: Sequence[float], b: Sequence[float]) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0]) + 1
    height = min(a[3], b[3]) - max(a[1], b[1]) + 1
    if width <= 0 or height <= 0:
        return 0.0
    area_a = (a[2] - a[0] + 1) * (a[3] - a[1] + 1)
    area_b = (b[2] - b[0] + 1) * (b[3] - b[1] + 1)
    return width * height / (area_a + area_b - width * height)


def class_ap(
    truth: list[Any], detections: list[Row], label: int, copies: list[int]
) -> float | None:
    """AP of one class; image i occurs copies[i] times, each with its own detections.

    Matching happens once per image; copies of an image stand next to each other
    in the ranking, hits and false positives alike.
    """
    pairs = [(row[0], row[2], row[3]) for row in truth if row[1] == label]
    n_truth = sum(copies[image] for image, _, _ in pairs)
    if n_truth == 0:
        return None
    ranked = sorted((d for d in detections if d[1] == label), key=lambda d: -d[4])
    used: set[int] = set()
    hits = falses = 0
    curve = []
    for image, _, human, thing, _ in ranked:
        best, chosen = -1.0, -1
        for number, (where, truth_human, truth_thing) in enumerate(pairs):
            if where == image:
                shared = min(overlap(truth_human, human), overlap(truth_thing, thing))
                if shared > best:
                    best, chosen = shared, number
        if best >= 0.5 and chosen not in used:
            used.add(chosen)
            hits += copies[image]
        else:
            falses += copies[image]
        curve.append((hits / n_truth, hits / (hits + falses) if hits + falses else 0.0))
    return sum(max((p for r, p in curve if r >= t), default=0.0) for t in POINTS) / 11
