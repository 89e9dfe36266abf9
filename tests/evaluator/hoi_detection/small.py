"""A detection benchmark of three images and four classes."""

from __future__ import annotations

import json
from typing import Any

from evaluator.bundle import Benchmark, BootstrapPlan, Bundle, LabelClass, TrackPlan, json_lines
from evaluator.families.hoi_detection.schema import TRACK
from evaluator.statistics.bootstrap import weights_digest

DRAWS, SEED = 50, 3
CLASSES = (("hold", "cup"), ("wash", "cup"), ("ride", "bicycle"), ("no_interaction", "bicycle"))
HUMAN, THING = (10.0, 10.0, 60.0, 110.0), (40.0, 40.0, 90.0, 80.0)
IMAGES = ("HICO_test2015_00000007", "HICO_test2015_00000012", "HICO_test2015_00000300")


def small_bundle(classes: tuple[LabelClass, ...] | None = None) -> Bundle:
    """Image 7 shows class 0 and 1 of one pair, image 12 class 2, image 300 nothing."""
    entries = classes or tuple(
        LabelClass(name=f"{verb} {thing}", id=n, verb=verb, object=thing)
        for n, (verb, thing) in enumerate(CLASSES)
    )
    labels = ((0, 1), (2,), ())
    return Bundle(
        benchmark=Benchmark(
            name="small-detection",
            title="Small",
            family="hoi_detection",
            version="1",
            tracks=(TrackPlan(slug=TRACK, title="Detection", answers="public", partial=True),),
            rules="official",
            cluster="image",
            bootstrap=BootstrapPlan(
                draws=DRAWS, seed=SEED, weights_sha256=weights_digest(3, DRAWS, SEED)
            ),
            classes=entries,
        ),
        questions=json_lines(
            {"track": TRACK, "id": id_, "image": f"{id_}.jpg", "width": 640, "height": 480}
            for id_ in IMAGES
        ),
        truth=json_lines(
            {"track": TRACK, "id": id_, "hoi": hoi}
            | {"human": [HUMAN] * len(hoi), "object": [THING] * len(hoi)}
            for id_, hoi in zip(IMAGES, labels, strict=True)
        ),
    )


def item(image: str | int = IMAGES[0], label: int = 0, score: float = 0.5, **more: Any) -> Any:
    """One detection as a file has it."""
    found = {"image_id": image, "hoi_id": label, "human_box": HUMAN, "object_box": THING}
    return {**found, "score": score, **more}


def file_of(items: list[Any], **head: Any) -> bytes:
    """A predictions file; `head` adds to or replaces what it declares."""
    declared = {
        "benchmark": "small-detection",
        "track": TRACK,
        "box_base": 1,
        "class_ids": "hoi0",
    }
    return json.dumps({**declared, **head, "predictions": items}).encode()
