"""The layout of PPDM, QPIC and their successors, turned into ours.

A list of images, each with its detected things and, apart from them, the
interactions that point to them: things count by COCO's 91 ids, verbs from 1
in alphabetical order, pixels from 0.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from evaluator.bundle import Bundle
from evaluator.errors import Problems
from evaluator.families.hoi_detection.predictions import vocabulary
from evaluator.reading.fields import Box, box_of, integer_of, list_of, objects_of, score_of, text_of
from evaluator.reading.strict import parse

PERSON = 1
MAX_WEIGHT = 200_000_000  # the file is the converting person's own, and so is the memory

# fmt: off
COCO_OBJECTS = (
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat",
    "traffic_light", "fire_hydrant", "stop_sign", "parking_meter", "bench", "bird", "cat", "dog",
    "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe", "backpack", "umbrella",
    "handbag", "tie", "suitcase", "frisbee", "skis", "snowboard", "sports_ball", "kite",
    "baseball_bat", "baseball_glove", "skateboard", "surfboard", "tennis_racket", "bottle",
    "wine_glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple", "sandwich", "orange",
    "broccoli", "carrot", "hot_dog", "pizza", "donut", "cake", "chair", "couch", "potted_plant",
    "bed", "dining_table", "toilet", "tv", "laptop", "mouse", "remote", "keyboard", "cell_phone",
    "microwave", "oven", "toaster", "sink", "refrigerator", "book", "clock", "vase", "scissors",
    "teddy_bear", "hair_drier", "toothbrush",
)
# fmt: on
COCO_GAPS = frozenset({12, 26, 29, 30, 45, 66, 68, 69, 71, 83})  # of 1..90, never annotated
COCO_NAMES = dict(zip((n for n in range(1, 91) if n not in COCO_GAPS), COCO_OBJECTS, strict=True))

Thing = tuple[Box, int]  # box, COCO id


def from_ppdm(bundle: Bundle, track: str, data: bytes) -> tuple[bytes, list[str]]:
    """A predictions file of ours, and what was done.

    Raises:
        PredictionsInvalid: all problems of the file.
    """
    parsed = parse(data, max_weight=MAX_WEIGHT)
    problems = Problems(locate=parsed.where)
    images = parsed.value
    if not isinstance(images, list):
        problems.add("TOP_LEVEL", "", "no list", 'a list of {"file_name", "predictions", ...}')
        problems.raise_if_any()
    reader = _Reader(bundle, problems)
    for at, image in objects_of(images, "", problems, "an image with its predictions"):
        reader.read_image(image, at)
    problems.raise_if_any()
    head = {
        "benchmark": bundle.benchmark.address,
        "track": track,
        "box_base": 0,
        "class_ids": "hoi0",
        "predictions": list(reader.items),
    }
    notes = [
        f"{len(reader.items)} interactions of {len(images)} images",
        "objects were read as COCO's 91 ids, verbs as 1 to "
        f"{len(reader.verbs)}, boxes as 0-based pixels",
    ]
    if reader.n_unlisted:
        notes.append(f"{reader.n_unlisted} belong to no class of the benchmark: left out")
    if reader.n_repeats:
        notes.append(f"{reader.n_repeats} stand there twice: left out once")
    return json.dumps(head).encode(), notes


@dataclass(slots=True)
class _Reader:
    bundle: Bundle
    problems: Problems
    items: list[dict[str, Any]] = field(default_factory=list)
    n_unlisted: int = 0
    n_repeats: int = 0
    verbs: list[str] = field(init=False)
    _seen: set[tuple[Any, ...]] = field(default_factory=set)
    _images: dict[str, str] = field(init=False)
    _labels: dict[tuple[str, str], int] = field(init=False)

    def __post_init__(self) -> None:
        words = vocabulary(self.bundle)
        self._labels = dict(words.labels)
        self.verbs = sorted({verb for verb, _ in words.classes})
        self._images = {str(name): str(name) for name in words.images if isinstance(name, str)}

    def read_image(self, image: dict[str, Any], at: str) -> None:
        name = text_of(image, "file_name", at, self.problems)
        things = list_of(image, "predictions", at, self.problems) or []
        interactions = list_of(image, "hoi_prediction", at, self.problems) or []
        if name is None:
            return
        if name not in self._images:
            self.problems.add("UNKNOWN_ID", f"{at}/file_name", name, "an image of the benchmark")
            return
        place = f"{at}/predictions"
        found = [
            self._thing(thing, where)
            for where, thing in objects_of(things, place, self.problems, "a thing with its bbox")
        ]
        place = f"{at}/hoi_prediction"
        for where, pair in objects_of(interactions, place, self.problems, "an interaction"):
            self._read_pair(name, pair, found, where)

    def _thing(self, thing: dict[str, Any], at: str) -> Thing | None:
        box = box_of(thing, "bbox", at, self.problems)
        number = integer_of(thing, "category_id", at, self.problems, "a COCO id from 1 to 90")
        if number is not None and number not in COCO_NAMES:
            wanted = "one of COCO's 91 ids: 1 to 90 without gaps such as 12, 26 and 83"
            self.problems.add("UNKNOWN_ID", f"{at}/category_id", str(number), wanted)
            return None
        return None if box is None or number is None else (box, number)

    def _read_pair(
        self, image: str, pair: dict[str, Any], found: list[Thing | None], at: str
    ) -> None:
        subject = self._pointed(pair, "subject_id", found, at)
        thing = self._pointed(pair, "object_id", found, at)
        score = score_of(pair, "score", at, self.problems)
        verb = integer_of(pair, "category_id", at, self.problems, "the number of a verb")
        if verb is not None and not 1 <= verb <= len(self.verbs):
            wanted = f"a verb from 1 to {len(self.verbs)}"
            self.problems.add("UNKNOWN_ID", f"{at}/category_id", str(verb), wanted)
            return
        if subject is None or thing is None or score is None or verb is None:
            return
        label = self._labels.get((self.verbs[verb - 1], COCO_NAMES[thing[1]]))
        if label is None or subject[1] != PERSON:
            self.n_unlisted += 1
            return
        row = (image, label, subject[0], thing[0], score)
        if row in self._seen:
            self.n_repeats += 1
            return
        self._seen.add(row)
        fields = ("image_id", "hoi_id", "human_box", "object_box", "score")
        self.items.append(dict(zip(fields, row, strict=True)))

    def _pointed(
        self, pair: dict[str, Any], key: str, found: list[Thing | None], at: str
    ) -> Thing | None:
        number = integer_of(pair, key, at, self.problems, "the place of a thing in predictions")
        if number is None:
            return None
        if not 0 <= number < len(found):
            wanted = f"a place among the {len(found)} predictions of the image"
            self.problems.add("UNKNOWN_ID", f"{at}/{key}", str(number), wanted)
            return None
        return found[number]
