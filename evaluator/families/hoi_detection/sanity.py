"""Signs that a predictions file is not what its author thinks it is; aggregates only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.families.hoi_detection.matching import Pairs, Ranked, each_of, pixel_overlap
from evaluator.families.hoi_detection.rules import MIN_OVERLAP
from evaluator.family import FloatArray

MAX_LOOKED_AT = 20_000  # detections, evenly spread over the ranking
FEW_MEET = 0.02  # share of boxes on the truth below which their form is in doubt
CLOSE_OVERLAP = 0.7  # boxes that surely mean the same thing
MIN_SIGNS = 30  # of a shift, before anything is said
CLEARLY_MORE = 3  # times as many labels fit after a shift
OFFSET_SPREAD = 0.3  # pixels around a shift of exactly one


@dataclass(frozen=True, slots=True)
class Meetings:
    """Detections and pairs of their image, whatever their class, that overlap by half.

    Attributes:
        n: detections that were looked at.
        detection, truth: (M,) rows of a detection and of a pair that it meets.
        shared: (M,) the smaller of the overlaps of human and object.
    """

    n: int
    detection: NDArray[np.int64]
    truth: NDArray[np.int64]
    shared: FloatArray

    @property
    def share(self) -> float:
        """Share of the detections that meet any pair."""
        return np.unique(self.detection).size / self.n


def sanity_notes(
    truth: Pairs, detections: Pairs, scores: FloatArray, ranked: Ranked, n_classes: int
) -> list[str]:
    """Lines on what the file holds, how far it meets the truth, and what looks off by one."""
    if not ranked.row.size:
        return ["no detection counts"]
    per_image = np.bincount(detections.image)
    per_image = per_image[per_image > 0]
    n_never = n_classes - np.unique(detections.label).size
    meetings = _meetings(truth, detections, ranked)
    notes = [
        f"detections per image that has any: {per_image.mean():.1f} on average, "
        f"{per_image.max()} at most",
        f"boxes of {meetings.share:.0%} of the detections meet an annotated pair of any class",
        f"{ranked.is_hit.mean():.1%} of the detections are true positives",
    ]
    if n_never:
        notes.append(f"{n_never} of {n_classes} classes are never predicted")
    if len(scores) > 1 and scores.min() == scores.max():
        notes.append("all scores are equal: the order of the file decides")
    if meetings.share < FEW_MEET:
        notes.append("boxes hardly meet the truth: check that they are x1, y1, x2, y2 in pixels")
    if shift := _label_shift(truth, detections, meetings):
        way = "low" if shift > 0 else "high"
        notes.append(f"class ids look one too {way}: check class_ids (hoi0 from 0, matlab1 from 1)")
    if shift := _box_shift(truth, detections, meetings):
        way = "low" if shift > 0 else "high"
        notes.append(f"boxes look one pixel too {way}: check box_base")
    return notes


def _meetings(truth: Pairs, detections: Pairs, ranked: Ranked) -> Meetings:
    n = min(ranked.row.size, MAX_LOOKED_AT)
    # Spread over the ranking, so that the order of the file does not matter.
    rows = ranked.row[np.linspace(0, ranked.row.size - 1, n).astype(np.int64)]
    by_image = np.argsort(truth.image, kind="stable")
    n_images = 1 + int(max(truth.image.max(initial=0), detections.image.max()))
    n_pairs = np.bincount(truth.image, minlength=n_images)
    image = detections.image[rows]
    run, place = each_of((np.cumsum(n_pairs) - n_pairs)[image], n_pairs[image])
    detection, pair = rows[run], by_image[place]
    shared = np.minimum(
        pixel_overlap(truth.human[pair], detections.human[detection]),
        pixel_overlap(truth.object[pair], detections.object[detection]),
    )
    meets = shared >= MIN_OVERLAP
    return Meetings(n, detection[meets], pair[meets], shared[meets])


def _label_shift(truth: Pairs, detections: Pairs, meetings: Meetings) -> int:
    """+1 or -1 if far more labels of boxes that meet would be right after that shift, else 0."""
    gap = truth.label[meetings.truth] - detections.label[meetings.detection]
    n_right = int((gap == 0).sum())
    for shift in (1, -1):
        n_shifted = int((gap == shift).sum())
        if n_shifted >= MIN_SIGNS and n_shifted > CLEARLY_MORE * n_right:
            return shift
    return 0


def _box_shift(truth: Pairs, detections: Pairs, meetings: Meetings) -> int:
    """+1 or -1 if boxes that match the truth closely are all off by that pixel, else 0."""
    close = meetings.shared >= CLOSE_OVERLAP
    if close.sum() < MIN_SIGNS:
        return 0
    pair, detection = meetings.truth[close], meetings.detection[close]
    offset = np.median(
        np.hstack(
            [
                truth.human[pair] - detections.human[detection],
                truth.object[pair] - detections.object[detection],
            ]
        ),
        axis=0,
    )
    for shift in (1, -1):
        if (np.abs(offset - shift) < OFFSET_SPREAD).all():
            return shift
    return 0
