"""The people of an image and what each does, from image annotations.

A data set lists one person box per annotated pair, so one person occurs
several times; person boxes with overlap above one half are one person.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.boxes import overlap
from evaluator.errors import BundleInvalid
from evaluator.families.hoi_choice.labels import class_name
from evaluator.families.hoi_choice.schema import Box, Scene
from evaluator.family import FloatArray
from evaluator.hico import hico_classes

SAME_PERSON_OVERLAP = 0.5  # strictly above (STATISTICS, section 3)

# V-COCO's 24 actions in the order of its annotation file, as choices spell them.
# fmt: off
VCOCO_VERBS = (
    "hold", "sit on", "ride", "look at", "hit with", "hit", "eat", "eat with", "jump on",
    "lie on", "talk on", "carry", "throw", "catch", "cut with", "cut", "work on", "ski on",
    "surf", "skateboard", "drink with", "kick", "read", "snowboard",
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Person:
    """One annotated person: every box given for it, (n, 4), and the classes it does."""

    boxes: FloatArray
    classes: frozenset[str]


@dataclass(frozen=True, slots=True)
class ImagePeople:
    """The annotated people of one image."""

    people: tuple[Person, ...]

    @property
    def scene(self) -> Scene | None:
        """How many people, and whether all have the same set of interactions."""
        if not self.people:
            return None
        if len(self.people) == 1:
            return "one-person"
        same = len({person.classes for person in self.people}) == 1
        return "same-hoi" if same else "different-hoi"

    def at(self, box: Box) -> Person | None:
        """The person at a box: largest overlap, if it is above one half."""
        shared = [overlap(p.boxes, np.array([box])).max() for p in self.people]
        best = int(np.argmax(shared)) if shared else 0
        return self.people[best] if shared and shared[best] > SAME_PERSON_OVERLAP else None

    def classes_of_others(self, target: Person) -> tuple[str, ...]:
        """Classes true of anybody but the target, in order of name."""
        others = [person.classes for person in self.people if person is not target]
        return tuple(sorted(frozenset().union(*others)))


def read_image_people(path: Path, part: str) -> dict[str, ImagePeople]:
    """People by image from HICO-DET's or V-COCO's test annotations in JSON.

    Raises:
        BundleInvalid: not such a file, or the part has no annotations of that kind.
    """
    readers = {"hicodet": _hico_pairs, "vcoco": _vcoco_pairs}
    if part not in readers:
        raise BundleInvalid(f"annotations are read for {' and '.join(readers)}, not for {part}")
    try:
        pairs = readers[part](json.loads(path.read_bytes()))
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise BundleInvalid(f"{path} does not hold {part} annotations: {error!r}") from error
    return {image: _people(boxes, names) for image, (boxes, names) in pairs.items()}


def _hico_pairs(content: dict[str, Any]) -> dict[str, tuple[list[Box], list[str]]]:
    names = [class_name(f"{hico.verb} {hico.object}") for hico in hico_classes()]
    return {
        image: (entry["boxes_h"], [names[number] for number in entry["hoi"]])
        for image, entry in zip(content["filenames"], content["annotation"], strict=True)
    }


def _vcoco_pairs(content: dict[str, Any]) -> dict[str, tuple[list[Box], list[str]]]:
    objects = content["objects"]
    return {
        entry["file_name"]: (
            entry["boxes_h"],
            [
                class_name(f"{VCOCO_VERBS[action]} {objects[thing]}")
                for action, thing in zip(entry["actions"], entry["objects"], strict=True)
            ],
        )
        for entry in content["annotations"]
    }


def _people(boxes: list[Box], names: list[str]) -> ImagePeople:
    """Pairs grouped into people: connected boxes whose overlap is above one half."""
    array = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    same = overlap(array, array) > SAME_PERSON_OVERLAP
    left = set(range(len(array)))
    people = []
    while left:
        group, fresh = set[int](), {min(left)}
        while fresh:
            group |= fresh
            fresh = {int(other) for row in fresh for other in np.flatnonzero(same[row])} - group
        left -= group
        rows = sorted(group)
        people.append(Person(array[rows], frozenset(names[row] for row in rows)))
    return ImagePeople(tuple(people))
