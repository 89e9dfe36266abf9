"""Signs that a predictions file is not what its author thinks it is."""

from __future__ import annotations

import numpy as np

from evaluator.families.hoi_detection.matching import Pairs, Ranked, pixel_overlap
from evaluator.families.hoi_detection.schema import Classes

CLOSE_OVERLAP = 0.7  # boxes that surely mean the same thing
MIN_CLOSE = 30  # of them, before anything is said of their offset
OFFSET_SPREAD = 0.3  # pixels around a shift of exactly one


def sanity_notes(truth: Pairs, detections: Pairs, ranked: Ranked, classes: Classes) -> list[str]:
    """Lines on how far detections meet the truth at all; aggregates only."""
    if not len(detections):
        return ["the file holds no detection"]
    n_images = 1 + int(max(detections.image.max(), truth.image.max(initial=0)))
    per_image = np.bincount(detections.image, minlength=n_images)
    predicted = np.bincount(detections.label, minlength=len(classes)) > 0
    notes = [
        f"{per_image[per_image > 0].mean():.1f} detections per image that has any",
        f"{ranked.is_hit.mean():.1%} of the detections are true positives",
    ]
    if not predicted.all():
        notes.append(f"{int((~predicted).sum())} of {len(classes)} classes are never predicted")
    shift = _suspected_shift(truth, detections)
    if shift:
        way = "low" if shift > 0 else "high"
        notes.append(f"boxes look one pixel {way}: check box_base")
    return notes


def _suspected_shift(truth: Pairs, detections: Pairs) -> int:
    """+1 or -1 if boxes that match the truth closely are all off by one pixel, else 0."""
    first = {}
    for row, image in enumerate(truth.image.tolist()):
        first.setdefault(image, row)
    sample = np.flatnonzero(np.isin(detections.image, list(first)))[:20_000]
    rows = np.array([first[image] for image in detections.image[sample].tolist()], dtype=np.int64)
    if not rows.size:
        return 0
    close = pixel_overlap(truth.human[rows], detections.human[sample]) >= CLOSE_OVERLAP
    if close.sum() < MIN_CLOSE:
        return 0
    offset = np.median(truth.human[rows[close]] - detections.human[sample[close]], axis=0)
    for shift in (1, -1):
        if (np.abs(offset - shift) < OFFSET_SPREAD).all():
            return shift
    return 0
