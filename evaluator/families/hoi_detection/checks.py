"""Whether a detection bundle can be used, and the file that is right everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from evaluator.bundle import Bundle
from evaluator.errors import BundleInvalid
from evaluator.families.hoi_detection.schema import TRACK, images_of, truth_pairs
from evaluator.statistics.bootstrap import weights_digest


def check_bundle(bundle: Bundle) -> list[str]:
    """What is wrong with a bundle, in words; empty if it can be opened."""
    try:
        return list(_check(bundle))
    except BundleInvalid as error:
        return [str(error)]


def _check(bundle: Bundle) -> Iterator[str]:
    images = images_of(bundle)
    if [plan.slug for plan in bundle.benchmark.tracks] != [TRACK]:
        yield f"benchmark.json wants the one track {TRACK}"
    ids = [image.id for image in images]
    for id_, n in zip(*np.unique(ids, return_counts=True), strict=True):
        if n > 1:
            yield f"image {id_} occurs {n} times"
    plan = bundle.benchmark.bootstrap
    if weights_digest(len(images), plan.draws, plan.seed) != plan.weights_sha256:
        yield f"bootstrap.weights_sha256 is not the digest for {len(images)} images"
    if bundle.truth is None:
        return
    pairs, _ = truth_pairs(bundle)
    for kind, boxes in (("human", pairs.human), ("object", pairs.object)):
        for row in np.flatnonzero((boxes[:, 2:] < boxes[:, :2]).any(axis=1))[:5]:
            yield f"truth of {images[pairs.image[row]].id}: a {kind} box has x2 < x1 or y2 < y1"


def perfect_predictions(bundle: Bundle, track: str) -> bytes:
    """Every annotated pair given back with score 1; needs truth."""
    images = images_of(bundle)
    pairs, _ = truth_pairs(bundle)
    items = [
        {
            "image_id": images[image].id,
            "hoi_id": int(label),
            "human_box": human.tolist(),
            "object_box": object_.tolist(),
            "score": 1.0,
        }
        for image, label, human, object_ in zip(
            pairs.image, pairs.label, pairs.human, pairs.object, strict=True
        )
    ]
    head = {
        "benchmark": bundle.benchmark.address,
        "track": track,
        "box_base": 1,
        "class_ids": "hoi0",
        "predictions": items,
    }
    return json.dumps(head).encode()
