"""Images and truth of hoi_detection, as lines and as columns."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Bundle, LabelClass, typed_lines
from evaluator.errors import BundleInvalid
from evaluator.families.hoi_detection.matching import Pairs
from evaluator.family import FloatArray

TRACK = "detect"
Box = tuple[float, float, float, float]


class Image(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of `questions.jsonl`: an image in which every pair is asked for.

    Sizes are pixels, None where the source does not give them.
    """

    track: str
    id: str
    image: str
    width: int | None = None
    height: int | None = None


class Truth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of `truth.jsonl`: the annotated pairs of an image, row by row.

    `hoi` are indices into the class list; boxes count pixels from 1. `objects`
    are the objects that the image is known to show; None takes those of its pairs.
    """

    track: str
    id: str
    hoi: tuple[int, ...] = ()
    human: tuple[Box, ...] = ()
    object: tuple[Box, ...] = ()
    objects: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Classes:
    """The class list as columns, K classes and O objects.

    Attributes:
        object: (K,) index into `objects`.
        groups: (K,) membership by group slug.
    """

    names: tuple[str, ...]
    objects: tuple[str, ...]
    object: NDArray[np.int64]
    groups: dict[str, NDArray[np.bool_]]

    def __len__(self) -> int:
        return len(self.names)


def images_of(bundle: Bundle) -> tuple[Image, ...]:
    """The images in code point order of their ids.

    Raises:
        BundleInvalid: a line is not an image.
    """
    return tuple(
        sorted(typed_lines(bundle.questions, Image, "questions.jsonl"), key=lambda image: image.id)
    )


def classes_of(entries: tuple[LabelClass, ...]) -> Classes:
    """The class list as columns."""
    objects = tuple(sorted({entry.object for entry in entries}))
    place = {name: number for number, name in enumerate(objects)}
    slugs = {slug for entry in entries for slug in entry.groups}
    return Classes(
        names=tuple(entry.name for entry in entries),
        objects=objects,
        object=np.array([place[entry.object] for entry in entries], dtype=np.int64),
        groups={slug: np.array([slug in e.groups for e in entries]) for slug in sorted(slugs)},
    )


def truth_pairs(bundle: Bundle) -> tuple[Pairs, NDArray[np.bool_]]:
    """The truth's pairs, and which objects each image shows, (images, O).

    Raises:
        BundleInvalid: there is no truth, or an image has none or a malformed one.
    """
    if bundle.truth is None:
        raise BundleInvalid("the bundle has no truth.jsonl")
    images = images_of(bundle)
    classes = classes_of(bundle.benchmark.classes)
    truths = {truth.id: truth for truth in typed_lines(bundle.truth, Truth, "truth.jsonl")}
    shows = np.zeros((len(images), len(classes.objects)), dtype=bool)
    place = {name: number for number, name in enumerate(classes.objects)}
    image, label = list[int](), list[int]()
    human, object_ = list[Box](), list[Box]()
    for number, asked in enumerate(images):
        truth = truths.get(asked.id)
        if truth is None:
            raise BundleInvalid(f"image {asked.id} has no line in truth.jsonl")
        if not len(truth.hoi) == len(truth.human) == len(truth.object):
            raise BundleInvalid(f"truth of {asked.id}: hoi, human and object differ in length")
        if any(not 0 <= hoi < len(classes) for hoi in truth.hoi):
            raise BundleInvalid(f"truth of {asked.id} names a class outside the class list")
        image += [number] * len(truth.hoi)
        label += truth.hoi
        human += truth.human
        object_ += truth.object
        if truth.objects is None:
            shows[number, classes.object[list(truth.hoi)]] = True
        else:
            shows[number, [place[name] for name in truth.objects if name in place]] = True
    return (
        Pairs(
            np.array(image, dtype=np.int32),
            np.array(label, dtype=np.int32),
            _boxes(human),
            _boxes(object_),
        ),
        shows,
    )


def _boxes(rows: list[Box]) -> FloatArray:
    return np.array(rows, dtype=np.float64).reshape(-1, 4)
