"""What a predictions file looks like, shown on the first images."""

from __future__ import annotations

import json

from evaluator.bundle import Bundle
from evaluator.families.hoi_detection.schema import images_of

# Plausible boxes in pixels, of no image.
HUMANS = ((48.0, 32.0, 310.5, 402.0), (352.0, 60.5, 521.0, 398.0))
OBJECTS = ((120.0, 210.0, 330.0, 415.5), (400.5, 180.0, 540.0, 260.0))


def example_predictions(bundle: Bundle, track: str) -> bytes:
    """A lawful file of a few detections; reads public images only, and means nothing."""
    images = [image.id for image in images_of(bundle)[:2]]
    n_classes = len(bundle.benchmark.classes)
    lines = ",\n    ".join(
        json.dumps(
            {
                "image_id": image,
                "hoi_id": number % n_classes,
                "human_box": HUMANS[number % 2],
                "object_box": OBJECTS[number % 2],
                "score": round(0.9 - 0.2 * number, 2),
            },
            ensure_ascii=False,
        )
        for number, image in enumerate([*images, images[0]])
    )
    return (
        f'{{\n  "benchmark": {json.dumps(bundle.benchmark.address)},\n'
        f'  "track": {json.dumps(track)},\n'
        '  "box_base": 0,\n  "class_ids": "hoi0",\n'
        f'  "predictions": [\n    {lines}\n  ]\n}}\n'
    ).encode()
