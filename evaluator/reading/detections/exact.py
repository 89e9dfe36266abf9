"""A piece of a detections file item by item: every fault with its place, or its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evaluator.errors import Problems
from evaluator.reading.detections.forms import FIRST_ID, ITEMS, Columns, Spelling, Vocabulary
from evaluator.reading.exact import note_faults
from evaluator.reading.fields import (
    Box,
    box_of,
    integer_of,
    list_of,
    no_other_fields,
    objects_of,
    score_of,
    text_of,
)
from evaluator.reading.kinds import shown

Detection = tuple[int, int, Box, Box, float, int, int]


@dataclass(slots=True)
class ItemReader:
    """Reads decoded items into rows and notes every fault on the way.

    Pointers given to `problems` count the items from 0.
    """

    spelling: Spelling
    vocabulary: Vocabulary
    problems: Problems
    rows: list[Detection] = field(default_factory=list)

    def read(self, items: list[Any], positions: Sequence[int]) -> Columns:
        """The columns of the items; those with a fault are left out."""
        note_faults(items, self.problems)
        wanted = f"an object with {', '.join(self.spelling.fields)}"
        self.rows = []
        for at, item in objects_of(items, "", self.problems, wanted):
            position = positions[int(at[1:])]
            image = self._image(item, at)
            if not self.spelling.by_image:
                self._read_detection(item, image, (position, 0), at)
                continue
            no_other_fields(item, (self.spelling.image, ITEMS), at, self.problems)
            detections = list_of(item, ITEMS, at, self.problems) or []
            inner = objects_of(detections, f"{at}/{ITEMS}", self.problems, wanted)
            for entry, (place, detection) in enumerate(inner):
                self._read_detection(detection, image, (position, entry), place)
        return _columns(self.rows)

    def _read_detection(
        self, item: dict[str, Any], image: int | None, place: tuple[int, int], at: str
    ) -> None:
        spelling, problems = self.spelling, self.problems
        size = None if image is None else self.vocabulary.size(image)
        no_other_fields(item, spelling.fields, at, problems)
        label = self._label(item, at)
        human = box_of(item, spelling.human, at, problems, size)
        object_ = box_of(item, spelling.object, at, problems, size)
        score = score_of(item, "score", at, problems)
        if image is None or label is None or human is None or object_ is None or score is None:
            return
        self.rows.append((image, label, human, object_, score, *place))

    def _image(self, item: dict[str, Any], at: str) -> int | None:
        key = self.spelling.image
        name: str | int | None
        if isinstance(item.get(key), str):
            name = text_of(item, key, at, self.problems)
        else:
            name = integer_of(item, key, at, self.problems, "the id of an image")
        if name is None:
            return None
        image = self.vocabulary.images.get(name)
        if image is None:
            wanted = "an image of the benchmark"
            self.problems.add("UNKNOWN_ID", f"{at}/{key}", shown(name), wanted)
        return image

    def _label(self, item: dict[str, Any], at: str) -> int | None:
        if self.spelling.class_ids == "names":
            return self._named_label(item, at)
        hoi_id = integer_of(item, "hoi_id", at, self.problems)
        if hoi_id is None:
            return None
        first = FIRST_ID[self.spelling.class_ids]
        stop = first + len(self.vocabulary.classes)
        if not first <= hoi_id < stop:
            wanted = f"an HOI id from {first} to {stop - 1}"
            self.problems.add("UNKNOWN_ID", f"{at}/hoi_id", shown(hoi_id), wanted)
            return None
        return hoi_id - first

    def _named_label(self, item: dict[str, Any], at: str) -> int | None:
        verb = text_of(item, "verb", at, self.problems)
        noun = text_of(item, "object", at, self.problems)
        if verb is None or noun is None:
            return None
        label = self.vocabulary.labels.get((verb, noun))
        if label is None:
            found = f"{shown(verb)} with {shown(noun)}"
            wanted = "verb and object of an HOI class"
            self.problems.add("UNKNOWN_ID", f"{at}/verb", found, wanted)
        return label


def _columns(rows: list[Detection]) -> Columns:
    image, label, human, object_, score, item, entry = zip(*rows, strict=True) if rows else [()] * 7
    return Columns(
        np.array(image, dtype=np.int32),
        np.array(label, dtype=np.int32),
        np.array(human, dtype=np.float64).reshape(-1, 4),
        np.array(object_, dtype=np.float64).reshape(-1, 4),
        np.array(score, dtype=np.float64),
        np.array(item, dtype=np.int32),
        np.array(entry, dtype=np.int32),
    )
