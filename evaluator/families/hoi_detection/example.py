"""Files that mean nothing: what one looks like, and one made without a look."""

from __future__ import annotations

import json
from typing import Any

from evaluator.bundle import Bundle
from evaluator.families.hoi_detection.schema import images_of

# Plausible boxes in pixels, of no image.
HUMANS = ((48.0, 32.0, 310.5, 402.0), (352.0, 60.5, 521.0, 398.0))
OBJECTS = ((120.0, 210.0, 330.0, 415.5), (400.5, 180.0, 540.0, 260.0))
WHOLE = (640, 480)  # the most common size of COCO's images
N_BLIND = 200  # images

Item = dict[str, Any]  # one item of a predictions file, as JSON has it


def example_predictions(bundle: Bundle, track: str) -> bytes:
    """A lawful file of a few detections; reads public images only, and means nothing."""
    images = [image.id for image in images_of(bundle)[:2]]
    n_classes = len(bundle.benchmark.classes)
    return _file(
        bundle,
        track,
        [
            {
                "image_id": image,
                "hoi_id": number % n_classes,
                "human_box": HUMANS[number % 2],
                "object_box": OBJECTS[number % 2],
                "score": round(0.9 - 0.2 * number, 2),
            }
            for number, image in enumerate([*images, images[0]])
        ],
    )


def blind_predictions(bundle: Bundle, track: str) -> bytes:
    """One detection, as large as the image, in each of the first images; an image may have none."""
    n_classes = len(bundle.benchmark.classes)
    items: list[Item] = []
    for number, image in enumerate(images_of(bundle)[:N_BLIND]):
        box = (0, 0, image.width or WHOLE[0], image.height or WHOLE[1])
        items.append(
            {
                "image_id": image.id,
                "hoi_id": number % n_classes,
                "human_box": box,
                "object_box": box,
                "score": round(1 - number / N_BLIND, 4),
            }
        )
    return _file(bundle, track, items)


def _file(bundle: Bundle, track: str, items: list[Item]) -> bytes:
    lines = ",\n    ".join(json.dumps(item, ensure_ascii=False) for item in items)
    return (
        f'{{\n  "benchmark": {json.dumps(bundle.benchmark.address)},\n'
        f'  "track": {json.dumps(track)},\n'
        '  "box_base": 0,\n  "class_ids": "hoi0",\n'
        f'  "predictions": [\n    {lines}\n  ]\n}}\n'
    ).encode()
