"""A piece of a detections file to columns, where the piece is beyond doubt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from evaluator.reading.detections.forms import (
    FIRST_ID,
    ITEMS,
    Columns,
    FloatArray,
    Spelling,
    Vocabulary,
)
from evaluator.reading.limits import LARGEST_NUMBER
from evaluator.reading.pieces import Piece

BLANKS = b" \t\r"
Box = tuple[float, float, float, float]
ClassId = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]


def read_fast(
    data: bytes, piece: Piece, by_line: bool, spelling: Spelling, vocabulary: Vocabulary
) -> Columns | None:
    """The columns of a piece; None at the least doubt."""
    text = data[piece.start : piece.stop]
    try:
        if by_line:
            lines = text.split(b"\n")
            decode = _decoder(spelling).decode
            items = [decode(line) for line in lines if line.strip(BLANKS)]
            position = np.flatnonzero([bool(line.strip(BLANKS)) for line in lines])
        else:
            items = _list_decoder(spelling).decode(b"[%b]" % text)
            position = np.arange(len(items))
    except msgspec.MsgspecError:
        return None
    position += piece.first
    image = np.array([vocabulary.images.get(item.image, -1) for item in items], dtype=np.int32)
    detections: Sequence[Any] = items
    entry = np.zeros(len(items), dtype=np.int32)
    n_keys = len(items) * len(spelling.fields)
    if (image < 0).any():
        return None
    if spelling.by_image:
        sizes = np.array([len(getattr(item, ITEMS)) for item in items], dtype=np.int32)
        detections = list(chain.from_iterable(map(attrgetter(ITEMS), items)))
        n_keys = 2 * len(items) + len(detections) * len(spelling.fields)
        image, position = np.repeat(image, sizes), np.repeat(position, sizes)
        entry = np.arange(len(image), dtype=np.int32) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    if n_keys != piece.n_keys:  # a key repeats
        return None
    n = len(detections)
    columns = Columns(
        image.astype(np.int32),
        _labels(detections, spelling, vocabulary),
        np.fromiter(_corners(detections, "human"), np.float64, 4 * n).reshape(n, 4),
        np.fromiter(_corners(detections, "object_"), np.float64, 4 * n).reshape(n, 4),
        np.fromiter(map(attrgetter("score"), detections), np.float64, n),
        position.astype(np.int32),
        entry.astype(np.int32),
    )
    return columns if _is_sound(columns, vocabulary) else None


def _corners(detections: Sequence[Any], name: str) -> chain[float]:
    return chain.from_iterable(map(attrgetter(name), detections))


def _labels(
    detections: Sequence[Any], spelling: Spelling, vocabulary: Vocabulary
) -> NDArray[np.int32]:
    """(D,) class indices; -1 where there is no such class."""
    if spelling.class_ids == "names":
        get = vocabulary.labels.get
        return np.array([get((d.verb, d.noun), -1) for d in detections], dtype=np.int32)
    first, stop = FIRST_ID[spelling.class_ids], len(vocabulary.classes)
    ids = np.array([d.hoi_id for d in detections], dtype=np.int64)
    label = ids - first
    return np.where((label >= 0) & (label < stop), label, -1).astype(np.int32)


def _is_sound(columns: Columns, vocabulary: Vocabulary) -> bool:
    score = columns.score
    return bool(
        (columns.label >= 0).all()
        and ((score >= 0) & (score <= 1)).all()
        and _are_boxes(columns.human, columns.image, vocabulary.sizes)
        and _are_boxes(columns.object, columns.image, vocabulary.sizes)
    )


def _are_boxes(boxes: FloatArray, image: NDArray[np.int32], sizes: FloatArray | None) -> bool:
    if not (boxes[:, :2] < boxes[:, 2:]).all() or not (np.abs(boxes) <= LARGEST_NUMBER).all():
        return False
    if sizes is None:
        return True
    return bool((boxes[:, :2] >= 0).all() and (boxes[:, 2:] <= sizes[image]).all())


@lru_cache(maxsize=16)
def _item_type(spelling: Spelling) -> Any:
    """The struct of an item."""
    fields: list[tuple[str, Any]] = [("human", Box), ("object_", Box), ("score", float)]
    names = {"human": spelling.human, "object_": spelling.object, "image": spelling.image}
    if spelling.class_ids == "names":
        fields += [("verb", str), ("noun", str)]
        names["noun"] = "object"
    else:
        fields += [("hoi_id", ClassId)]
    image: list[tuple[str, Any]] = [("image", int | str)]

    def struct(title: str, its_fields: list[tuple[str, Any]]) -> Any:
        return msgspec.defstruct(
            title, its_fields, rename=names, forbid_unknown_fields=True, gc=False
        )

    if not spelling.by_image:
        return struct("Detection", image + fields)
    return struct("Image", [*image, (ITEMS, list[struct("Detection", fields)])])  # type: ignore[misc]  # made here


@lru_cache(maxsize=16)
def _decoder(spelling: Spelling) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_item_type(spelling))


@lru_cache(maxsize=16)
def _list_decoder(spelling: Spelling) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(list[_item_type(spelling)])  # type: ignore[misc]  # made at run time
