"""From detections to an outcome: two evaluations of the same ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Bundle
from evaluator.families.hoi_detection.average_precision import compress
from evaluator.families.hoi_detection.matching import Pairs, Ranked, rank_detections
from evaluator.families.hoi_detection.rules import RULES, to_truth_frame
from evaluator.families.hoi_detection.sanity import sanity_notes
from evaluator.families.hoi_detection.schema import classes_of, images_of, truth_pairs
from evaluator.family import FloatArray
from evaluator.outcome import Outcome

SETTINGS = ("default", "known_object")
NO_COUNTS = "the class list gives no training counts"


@dataclass(frozen=True, slots=True)
class Detections:
    """A predictions file as columns, boxes as declared.

    Attributes:
        pairs: D detections, image and class as indices.
        scores: (D,).
        box_base: index of the first pixel, 0 or 1.
    """

    pairs: Pairs
    scores: FloatArray
    box_base: int


def match(bundle: Bundle, track: str, detections: Detections, rules: str) -> Outcome:
    """The outcome of detections under a named rule set.

    Raises:
        BundleInvalid: the bundle has no truth.
    """
    del track  # there is one
    named = RULES[rules]
    classes = classes_of(bundle.benchmark.classes)
    truth, shows = truth_pairs(bundle)
    pairs = detections.pairs
    framed = Pairs(
        pairs.image,
        pairs.label,
        to_truth_frame(pairs.human, detections.box_base, named),
        to_truth_frame(pairs.object, detections.box_base, named),
    )
    images = images_of(bundle)
    ranked = rank_detections(
        truth,
        framed,
        detections.scores,
        n_images=len(images),
        n_classes=len(classes),
        rules=named,
    )
    # Known object: a class is looked for only where its object is known to be.
    known = shows[ranked.image, classes.object[ranked.label]]
    arrays: dict[str, NDArray[Any]] = {
        "truth_label": truth.label,
        "truth_image": truth.image,
        "class_object": classes.object,
        "groups": np.array(list(classes.groups.values()), dtype=bool).reshape(
            len(classes.groups), len(classes)
        ),
        "thresholds": named.thresholds,
    }
    for setting, counted in zip(SETTINGS, (ranked, _subset(ranked, known)), strict=True):
        arrays.update(_runs(setting, counted))
    has_counts = "rare" in classes.groups
    lacking = ("rare", "non-rare", "or_map", "onr_map", "ave_map")
    return Outcome(
        family="hoi_detection",
        rules=rules,
        clusters=tuple(image.id for image in images),
        arrays=arrays,
        facts={
            "slices": ["all", "rare", "non-rare"],
            "groups": list(classes.groups),
            "zero_objects": named.zero_objects,
            "reasons": {} if has_counts else dict.fromkeys(lacking, NO_COUNTS),
            "notes": sanity_notes(truth, framed, detections.scores, ranked, len(classes)),
        },
    )


def _subset(ranked: Ranked, kept: NDArray[np.bool_]) -> Ranked:
    return Ranked(ranked.row[kept], ranked.image[kept], ranked.label[kept], ranked.is_hit[kept])


def _runs(setting: str, ranked: Ranked) -> dict[str, NDArray[Any]]:
    runs = compress(ranked)
    return {
        f"{setting}_label": runs.label,
        f"{setting}_image": runs.image,
        f"{setting}_n_before": runs.n_before,
        f"{setting}_false_image": runs.false_image,
    }
