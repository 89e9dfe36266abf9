"""What a detections file may say and how, and the columns that come of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
ClassIds = Literal["hoi0", "matlab1", "names"]
FIRST_ID = {"hoi0": 0, "matlab1": 1}  # id of the first class
ITEMS = "predictions"
IMAGE_NAMES = ("image_id", "file_name")
HUMAN_NAMES = ("human_box", "bbox_h")
OBJECT_NAMES = ("object_box", "bbox_o")
HEADER_NAMES = ("benchmark", "track", "box_base", "class_ids")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a detections file may speak of, from public facts.

    Attributes:
        images: index of each image by its id, a text or an integer.
        classes: (verb, object) of each HOI class, in the order of their ids.
        sizes: (images, 2) width and height in pixels; None where boxes may lie anywhere.
        most_per_image: detections of one image; None for no limit.
    """

    images: Mapping[str | int, int]
    classes: Sequence[tuple[str, str]]
    sizes: FloatArray | None = None
    most_per_image: int | None = None
    labels: Mapping[tuple[str, str], int] = field(init=False)

    def __post_init__(self) -> None:
        labels = {names: label for label, names in enumerate(self.classes)}
        object.__setattr__(self, "labels", labels)

    def size(self, image: int) -> tuple[float, float] | None:
        """Width and height of an image, where they are known."""
        if self.sizes is None:
            return None
        return float(self.sizes[image, 0]), float(self.sizes[image, 1])


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a file writes its items: names of fields, and whether detections stand by image."""

    image: str
    human: str
    object: str
    class_ids: ClassIds
    by_image: bool

    @property
    def label(self) -> tuple[str, ...]:
        return ("verb", "object") if self.class_ids == "names" else ("hoi_id",)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of a detection."""
        image = () if self.by_image else (self.image,)
        return (*image, *self.label, self.human, self.object, "score")

    @classmethod
    def of(cls, sample: bytes, class_ids: ClassIds) -> Spelling:
        """The spelling that a sample of the items suggests."""
        return cls(
            image=_first_named(sample, IMAGE_NAMES),
            human=_first_named(sample, HUMAN_NAMES),
            object=_first_named(sample, OBJECT_NAMES),
            class_ids=class_ids,
            by_image=names_any(sample[: sample.find(b"}") + 1], (ITEMS,)),
        )


def names_any(text: bytes, names: Iterable[str]) -> bool:
    """Does a text hold one of the names in quotes?"""
    return any(f'"{name}"'.encode() in text for name in names)


def _first_named(text: bytes, names: tuple[str, ...]) -> str:
    """The name that comes first in a text; the first of all if none does."""
    places = {name: text.find(f'"{name}"'.encode()) for name in names}
    return min(names, key=lambda name: places[name] if places[name] >= 0 else len(text))


@dataclass(frozen=True, slots=True)
class Columns:
    """D detections, in the order of the file.

    Attributes:
        image, label: (D,) indices of image and HOI class.
        human, object: (D, 4) boxes as the file has them.
        score: (D,) in [0, 1].
        item: (D,) position of the item in its list, its line in JSON Lines.
        entry: (D,) position within an item that holds an image's detections, else 0.
    """

    image: NDArray[np.int32]
    label: NDArray[np.int32]
    human: FloatArray
    object: FloatArray
    score: FloatArray
    item: NDArray[np.int32]
    entry: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.image)


def joined(parts: list[Columns]) -> Columns:
    """The columns of all parts; empties the list, so that little stands twice."""
    columns = [[getattr(part, name) for part in parts] for name in Columns.__slots__]
    parts.clear()
    whole = []
    while columns:
        whole.append(np.concatenate(columns.pop(0)))
    return Columns(*whole)
