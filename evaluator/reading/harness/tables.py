"""VLMEvalKit's prediction tables, as tsv or JSON: a row for each question.

Strings stay strings: "None", "NA" and "nan" are what a model said, no holes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from evaluator.choices import LETTERS
from evaluator.errors import Problems, quote
from evaluator.reading.harness.rows import Log, Record, Row, name_of, reply_in, text_in
from evaluator.reading.limits import MAX_WEIGHT

ID_COLUMNS = ("question_id", "index", "id")
MEDIA_COLUMNS = ("video", "image_path", "image", "video_path")
_CANDIDATE = re.compile(r"""(['"])([A-Z])[.)]\s*(.{0,500}?)\1\s*(?=[,\]])""")
_HEAD = re.compile(rb"[ \t\r\n]*(?![\[{ \t\r\n])[^\t\n]{1,200}\t")


def is_record(item: object) -> bool:
    """Whether a value is a row of a prediction table."""
    return (
        isinstance(item, dict) and "prediction" in item and ("question" in item or "index" in item)
    )


def table_log(items: list[object], places: list[str]) -> Log:
    """The rows of a prediction table; `places` says where each stands."""
    rows = []
    for item, where in zip(items, places, strict=True):
        record = item if isinstance(item, dict) else {}
        reply, n_replies = reply_in(record.get("prediction"))
        ids = tuple(name for key in ID_COLUMNS for name in name_of(record.get(key)))
        media = next((text for key in MEDIA_COLUMNS if (text := text_in(record.get(key)))), "")
        prompt = text_in(record.get("question"))
        rows.append(Row(where, ids, prompt, media, dict(_options(record)), reply, n_replies))
    return Log("a VLMEvalKit prediction table", tuple(rows))


def _options(record: Record) -> Iterator[tuple[str, str]]:
    """Options by letter: columns A, B, …, or a list of candidates."""
    for letter in LETTERS:
        wording = record.get(letter)
        if not isinstance(wording, str) or not wording:
            break
        yield letter, wording
    else:
        return
    if "A" not in record:
        candidates = record.get("candidates")
        listed = candidates if isinstance(candidates, str) else repr(candidates)
        for found in _CANDIDATE.finditer(listed[:20_000]):
            yield found[2], found[3]


def is_tab_separated(data: bytes, start: int) -> bool:
    """Whether a text begins with names between tabs rather than with JSON."""
    return _HEAD.match(data, start) is not None


def read_tab_separated(data: bytes, start: int) -> tuple[list[Record], list[str]]:
    """Rows by column, and the place of each.

    Raises:
        PredictionsInvalid: a row has other columns than the head, or there are too many.
    """
    problems = Problems()
    if data.count(b"\t", start) + data.count(b"\n", start) > MAX_WEIGHT:
        problems.add("COUNT", "file", "too many cells", f"at most {MAX_WEIGHT:,}")
        problems.raise_if_any()
    reader = csv.reader(io.StringIO(data[start:].decode(), newline=""), delimiter="\t", strict=True)
    records: list[Record] = []
    places: list[str] = []
    columns: list[str] = []
    try:
        for cells in reader:
            if not cells:
                continue
            if not columns:
                columns = cells
                repeated = sorted({name for name in cells if cells.count(name) > 1})
                if repeated:
                    problems.add("DUPLICATE_KEY", "line 1", quote(repeated[0]), "each column once")
                continue
            where = f"line {reader.line_num}"
            if len(cells) != len(columns):
                problems.add("LENGTH", where, f"{len(cells)} cells", f"{len(columns)}, as the head")
            records.append(dict(zip(columns, cells, strict=False)))
            places.append(where)
    except csv.Error as fault:
        problems.add("SYNTAX", f"line {reader.line_num}", str(fault), "cells between tabs")
    if not records:
        problems.add("EMPTY", "file", "a head without rows", "a row for each question")
    problems.raise_if_any()
    return records, places
