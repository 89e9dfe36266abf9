"""The same eight detections in every form that a file may take."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.evaluator.reading.demo import IMAGES

HEAD = {"benchmark": "demo-det@1", "track": "default", "box_base": 1, "class_ids": "hoi0"}
PAIRS = [
    {
        "image_id": 1 + n % 2,
        "hoi_id": n * 50,
        "human_box": [n, 2, 30.5, 40],
        "object_box": [5, 6, 70, 80 + n],
        "score": n / 10,
    }
    for n in range(8)
]
ALIASES = {"image_id": "file_name", "human_box": "bbox_h", "object_box": "bbox_o"}


def document(items: list[Any], **head: object) -> bytes:
    return json.dumps({**HEAD, **head, "predictions": items}).encode()


def by_image(items: list[dict[str, Any]], image: str, **names: str) -> list[dict[str, Any]]:
    """One item an image, in the order of the images."""
    return [
        {
            image: name,
            "predictions": [
                {names.get(key, key): value for key, value in item.items() if key != "image_id"}
                for item in items
                if item["image_id"] == number
            ],
        }
        for number, name in ((1, "one.jpg"), (2, "two.jpg"))
    ]


def lines(items: list[dict[str, Any]], head: bool = True, end: str = "\n") -> bytes:
    return end.join(json.dumps(item) for item in ([HEAD] if head else []) + items).encode()


SORTED = sorted(PAIRS, key=lambda pair: pair["image_id"])
NAMED = [
    {
        **{key: value for key, value in pair.items() if key != "hoi_id"},
        "verb": IMAGES.classes[pair["hoi_id"]][0],
        "object": IMAGES.classes[pair["hoi_id"]][1],
    }
    for pair in SORTED
]
FORMS: dict[str, Callable[[], bytes]] = {
    "document": lambda: document(SORTED),
    "indented": lambda: json.dumps({**HEAD, "predictions": SORTED}, indent=2).encode(),
    "predictions first": lambda: json.dumps({"predictions": SORTED, **HEAD}).encode(),
    "byte-order mark": lambda: b"\xef\xbb\xbf" + document(SORTED),
    "lines": lambda: lines(SORTED),
    "lines with blank ones": lambda: lines(SORTED, end="\r\n\n \n"),
    "lines by image": lambda: lines(by_image(SORTED, "file_name")),
    "by image": lambda: document(by_image(SORTED, "image_id")),
    "as others write it": lambda: document(by_image(SORTED, "file_name", **ALIASES)),
    "from 1": lambda: document(
        [{**pair, "hoi_id": pair["hoi_id"] + 1} for pair in SORTED], class_ids="matlab1"
    ),
    "by names": lambda: document(NAMED, class_ids="names"),
    "escaped names": lambda: document(SORTED).replace(b'"score"', rb'"\u0073core"'),
}
