"""What a detections file says of itself: benchmark, track, numbering of pixels and classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from evaluator.bundle import Benchmark
from evaluator.errors import PredictionsInvalid, Problems
from evaluator.reading.detections.forms import ClassIds
from evaluator.reading.fields import HEADER, check_address, no_other_fields
from evaluator.reading.kinds import shown
from evaluator.reading.pieces import Pieces
from evaluator.reading.strict import parse

CLASS_IDS: tuple[ClassIds, ...] = get_args(ClassIds)
BOX_BASES = (0, 1)
BLANKED = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))
CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True)
class Declared:
    """How a file counts; None where it does not say.

    Attributes:
        box_base: 0 or 1, the index of the first pixel.
        class_ids: `hoi0` and `matlab1` count HOI classes from 0 and from 1;
            `names` gives verb and object.
    """

    box_base: int | None = None
    class_ids: ClassIds | None = None

    def or_else(self, other: Declared) -> Declared:
        """This, and where it says nothing the other."""
        return Declared(
            other.box_base if self.box_base is None else self.box_base,
            other.class_ids if self.class_ids is None else self.class_ids,
        )


def document_around(data: bytes, start: int, found: Pieces) -> tuple[Any, bool]:
    """The document without its items, and whether it is in order after them.

    Raises:
        PredictionsInvalid: it is faulty before its items.
    """
    front = data[start : found.opened + 1]
    document = parse(front + (b"]}" if front.lstrip().startswith(b"{") else b"]")).value
    if found.closed is None:
        return document, True
    try:
        whole = parse(front + data[found.closed :])
    except PredictionsInvalid:
        return document, False
    return whole.value, whole.lines is None


def complain_of_end(data: bytes, start: int, found: Pieces) -> None:
    """Raise what is wrong after the items, at its true place."""
    items = data[found.opened + 1 : found.closed].translate(BLANKED, CONTINUATION_BYTES)
    parse(data[start : found.opened + 1] + items + data[found.closed :])


def declared_by(
    document: dict[str, Any], benchmark: Benchmark, track: str, problems: Problems
) -> Declared:
    """What a document, or the first line of JSON Lines, declares."""
    no_other_fields(document, (*HEADER, "box_base", "class_ids"), "", problems)
    check_address(document, benchmark, track, problems)
    box_base = _one_of(document, "box_base", BOX_BASES, problems)
    class_ids = _one_of(document, "class_ids", CLASS_IDS, problems)
    return Declared(box_base, class_ids)


def _one_of(
    document: dict[str, Any], key: str, allowed: tuple[Any, ...], problems: Problems
) -> Any:
    """The value at `key` if it is one of the allowed ones, which are all of one type."""
    if key not in document:
        return None
    value = document[key]
    if type(value) is type(allowed[0]) and value in allowed:
        return value
    problems.add("VALUE", f"/{key}", shown(value), " or ".join(map(shown, allowed)))
    return None
