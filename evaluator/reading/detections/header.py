"""What a detections file says of itself: benchmark, track, numbering of pixels and classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from evaluator.bundle import Benchmark
from evaluator.errors import PredictionsInvalid, Problems
from evaluator.reading.container import skip_blanks
from evaluator.reading.detections.forms import ClassIds
from evaluator.reading.fields import HEADER, check_address, no_other_fields
from evaluator.reading.kinds import shown
from evaluator.reading.pieces import Pieces
from evaluator.reading.strict import parse

CLASS_IDS: tuple[ClassIds, ...] = get_args(ClassIds)
BOX_BASES = (0, 1)
WANTED = {
    "box_base": "0 or 1, the index of the first pixel in its boxes",
    "class_ids": "hoi0, matlab1 or names: how it counts HOI classes",
}
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


def document_around(data: bytes, start: int, found: Pieces) -> tuple[Any, bool]:
    """The document without its items, and whether it is in order after them.

    Raises:
        PredictionsInvalid: it is faulty before its items.
    """
    front = data[: found.opened + 1]
    is_list = skip_blanks(data, start) == found.opened
    document = parse(front + (b"]" if is_list else b"]}")).value
    if found.closed is None:
        return document, True
    try:
        whole = parse(front + data[found.closed :])
    except PredictionsInvalid:
        return document, False
    return whole.value, whole.lines is None


def complain_of_end(data: bytes, found: Pieces) -> None:
    """Raise what is wrong after the items, at its true place."""
    items = data[found.opened + 1 : found.closed].translate(BLANKED, CONTINUATION_BYTES)
    parse(data[: found.opened + 1] + items + data[found.closed :])


def declared_by(
    document: Any, otherwise: Declared, benchmark: Benchmark, track: str, problems: Problems
) -> Declared:
    """What a document, or the first of the lines, declares.

    Args:
        document: None, or a list, where the file says nothing of itself.
        otherwise: how files count that do not say so.
    """
    if not isinstance(document, dict):
        for key, wanted in WANTED.items():
            if getattr(otherwise, key) is None:
                hint = 'Send {"benchmark": ..., "track": ..., "box_base": 0, ...}.'
                problems.add("MISSING_FIELD", "file", f"no {key}", wanted, hint)
        return otherwise
    no_other_fields(document, (*HEADER, *WANTED), "", problems)
    check_address(document, benchmark, track, problems)
    declared = {}
    for key, allowed in (("box_base", BOX_BASES), ("class_ids", CLASS_IDS)):
        value = document.get(key, getattr(otherwise, key))
        is_allowed = any(value == choice and type(value) is type(choice) for choice in allowed)
        declared[key] = value if is_allowed else None
        if key not in document and value is None:
            problems.add("MISSING_FIELD", f"/{key}", "nothing", WANTED[key])
        elif not is_allowed:
            problems.add("VALUE", f"/{key}", shown(value), WANTED[key])
    return Declared(**declared)
