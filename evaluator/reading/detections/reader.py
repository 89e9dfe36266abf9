"""From the bytes of a detections file to columns, or to all that is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from evaluator.bundle import Benchmark
from evaluator.errors import MAX_PROBLEMS, Problems
from evaluator.reading.container import refuse, skip_blanks, start_of_text
from evaluator.reading.detections.exact import ItemReader
from evaluator.reading.detections.forms import (
    HEADER_NAMES,
    IMAGE_NAMES,
    ITEMS,
    ClassIds,
    Columns,
    Spelling,
    Vocabulary,
    joined,
    names_any,
)
from evaluator.reading.detections.header import (
    Declared,
    complain_of_end,
    declared_by,
    document_around,
)
from evaluator.reading.detections.piecewise import PieceReader
from evaluator.reading.detections.repeats import crowded, repeats_of
from evaluator.reading.fields import list_of
from evaluator.reading.kinds import kind_of
from evaluator.reading.pieces import Pieces, cut_items, list_of_items
from evaluator.reading.strict import in_line, is_lines, parse

MAX_DETECTIONS = 2_900_000
SAMPLE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Detections:
    """What a file says.

    Attributes:
        box_base: 0 or 1, the index of the first pixel in its boxes.
        by_line, by_image: how it is laid out.
        prefix: JSON pointer of its list of items.
    """

    columns: Columns
    box_base: int
    by_line: bool
    by_image: bool
    prefix: str

    def where(self, row: int) -> str:
        """The place of a detection in the file, as messages print it."""
        item, entry = int(self.columns.item[row]), int(self.columns.entry[row])
        tail = f"/{ITEMS}/{entry}" if self.by_image else ""
        return f"line {item} {tail}".rstrip() if self.by_line else f"{self.prefix}/{item}{tail}"


def read_detections(
    data: bytes,
    vocabulary: Vocabulary,
    *,
    benchmark: Benchmark,
    track: str,
    box_base: int | None = None,
    class_ids: ClassIds | None = None,
) -> Detections:
    """The detections of a JSON document, a top-level list or JSON Lines.

    An item is a detection, or an image with its detections:
    `{"image_id", "hoi_id" | "verb" and "object", "human_box", "object_box", "score"}` or
    `{"file_name", "predictions": [{"hoi_id", "bbox_h", "bbox_o", "score"}]}`.
    A document, or the first of the lines, names benchmark, track, `box_base` and `class_ids`.

    Args:
        box_base, class_ids: how files count that do not say so.

    Raises:
        PredictionsInvalid: all problems of the file; reading ends after the piece
            (a few thousand detections) that holds the twentieth.
    """
    start = start_of_text(data)
    problems = Problems()
    by_line = is_lines(data, start)
    if by_line:
        document, opened, first_line = _first_line(data, start)
        problems.locate = partial(in_line, first_line - 1)
    else:
        document, opened, first_line = None, _opening(data, start, benchmark, track), None
    is_document = not by_line and skip_blanks(data, start) != opened
    found = cut_items(
        data,
        opened,
        max_objects=MAX_DETECTIONS,
        depth_before=int(is_document),
        first_line=first_line,
    )
    is_whole = True
    if not by_line:
        document, is_whole = document_around(data, start, found)
    if not is_whole:
        _complain(data, start, found, vocabulary)
    sample = data[opened : opened + SAMPLE_BYTES]
    if names_any(sample, ("verb",)) and not names_any(sample, ("hoi_id",)):
        class_ids = "names"
    declared = declared_by(document, Declared(box_base, class_ids), benchmark, track, problems)
    if declared.class_ids is None:
        problems.raise_if_any()
    spelling = Spelling.of(sample, declared.class_ids or "hoi0")
    prefix = f"/{ITEMS}" if is_document else ""
    items = ItemReader(spelling, vocabulary, problems)
    parts = PieceReader(data, start, by_line, prefix, items).read_all(found)
    problems.raise_if_any()
    columns = joined(parts)
    detections = Detections(columns, declared.box_base or 0, by_line, spelling.by_image, prefix)
    _check_whole(detections, vocabulary)
    return detections


def _complain(data: bytes, start: int, found: Pieces, vocabulary: Vocabulary) -> None:
    """Raise what keeps a document from being JSON, in its items or after them.

    What the document declares is not known, so nothing else is told.
    """
    problems = Problems()
    items = ItemReader(Spelling.of(b"", "hoi0"), vocabulary, problems)
    PieceReader(data, start, False, "", items).check_syntax(found)
    problems.raise_if_any()
    complain_of_end(data, found)


def _first_line(data: bytes, start: int) -> tuple[Any, int, int]:
    """The header of JSON Lines or None; where the items begin, and in which line."""
    begin = skip_blanks(data, start)
    line = data.count(b"\n", start, begin) + 1
    end = data.index(b"\n", begin)
    header = data[begin:end]
    if names_any(header, IMAGE_NAMES) or not names_any(header, HEADER_NAMES):
        return None, begin, line
    return parse(data[:end]).value, end + 1, line + 1


def _opening(data: bytes, start: int, benchmark: Benchmark, track: str) -> int:
    """Offset of the bracket that opens the list of items.

    Raises:
        PredictionsInvalid: there is none.
    """
    opened = list_of_items(data, start, ITEMS)
    if opened is None:
        document = parse(data).value
        problems = Problems()
        if not isinstance(document, dict):
            refuse("TOP_LEVEL", "", kind_of(document), "", "an object or a list")
        declared_by(document, Declared(), benchmark, track, problems)
        list_of(document, ITEMS, "", problems, "a list of detections")
        problems.raise_if_any()
        refuse("COUNT", "", f"too many fields before {ITEMS}", "", "the header fields alone")
    return opened


def _check_whole(detections: Detections, vocabulary: Vocabulary) -> None:
    """What can be seen only with all detections at hand."""
    problems = Problems()
    columns = detections.columns
    if not len(columns):
        problems.add("EMPTY_LIST", detections.prefix, "no detection at all", "at least one")
    repeats, originals = repeats_of(columns)
    for row, original in zip(repeats[:MAX_PROBLEMS], originals, strict=False):
        found = f"the same detection as {detections.where(original)}"
        problems.add("DUPLICATE_ITEM", detections.where(row), found, "each detection once")
    most = vocabulary.most_per_image
    too_many = columns.image[:0] if most is None else crowded(columns.image, most)
    for row in too_many[:MAX_PROBLEMS]:
        found = f"more than {most:,} detections of one image"
        problems.add("COUNT", detections.where(row), found, f"at most {most:,}")
    problems.n_problems += len(repeats[MAX_PROBLEMS:]) + len(too_many[MAX_PROBLEMS:])
    problems.raise_if_any()
