"""Piece by piece or all at once, fast or exactly: a detections file says the same.

The other side is the plain reader of whole documents, with the item checks of
the exact way and nothing of the pieces or of the fast way.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any

import pytest

from evaluator.errors import MAX_PROBLEMS, PredictionsInvalid, Problems
from evaluator.reading import structure
from evaluator.reading.detections import Columns, fast, read_detections
from evaluator.reading.detections.exact import ItemReader
from evaluator.reading.detections.forms import HEADER_NAMES, IMAGE_NAMES, Spelling, names_any
from evaluator.reading.pieces import list_of_items
from tests.evaluator.reading import plain
from tests.evaluator.reading.demo import BENCHMARK, IMAGES
from tests.evaluator.reading.detection_forms import FORMS
from tests.evaluator.reading.mutations import mutate

CHUNKS = (5, 40, 300, 1 << 18)
VALUES = [0, 1, -1, 2, 0.25, -0.0, 7, 1e300, 2**53 + 1, 10**15, True, None, "1", "one.jpg", "x"]
VALUES += [[], {}, [1, 2, 3, 4], [1, 2, 3], float("nan"), "a\0", "verb 1", "object 3", 480, 640.5]
FATAL = {"SYNTAX", "DEPTH", "COUNT", "EMPTY", "ENCODING", "CONTAINER", "TOP_LEVEL"}
LIMITS = {"max_depth": 8, "max_weight": 10**6, "max_string_bytes": 1 << 20}


@dataclass(frozen=True)
class Said:
    """The rows of a file, or all that is wrong with it."""

    rows: tuple[Any, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


def rows_of(columns: Columns) -> tuple[Any, ...]:
    names = [field.name for field in fields(Columns)]
    lists = [getattr(columns, name).tolist() for name in names]
    return tuple(json.dumps(row) for row in zip(*lists, strict=True))


def said(data: bytes) -> Said:
    try:
        detections = read_detections(
            data, IMAGES, benchmark=BENCHMARK, track="default", box_base=0, class_ids="hoi0"
        )
    except PredictionsInvalid as invalid:
        return Said(problems=tuple((p.code, p.where) for p in invalid.problems))
    return Said(rows_of(detections.columns))


def said_plainly(data: bytes, spelling: Spelling, reading: plain.Reading) -> Said:
    """What the items of a parsed file say, all of them read exactly."""
    problems = Problems()
    items, positions, prefix = reading.value, range(10**6), ""
    if isinstance(items, dict):
        items, prefix = items["predictions"], "/predictions"
    if reading.lines is not None:
        positions = list(reading.lines)  # type: ignore[assignment]  # as good as a range here
        if _has_head(data):
            items, positions = items[1:], positions[1:]
    problems.locate = lambda place: prefix + place
    if reading.lines is not None:
        problems.locate = lambda place: _in_line(place, positions)
    columns = ItemReader(spelling, IMAGES, problems).read(items, positions)
    rows = rows_of(columns)
    if problems or not rows or len({_bare(row) for row in rows}) < len(rows):
        return Said(problems=tuple((p.code, p.where) for p in problems))
    if max(Counter(columns.image.tolist()).values()) > (IMAGES.most_per_image or 0):
        return Said()
    return Said(rows)


def _has_head(data: bytes) -> bool:
    """Does the first of the lines stand for the whole file?"""
    first = data.lstrip().split(b"\n")[0]
    return names_any(first, HEADER_NAMES) and not names_any(first, IMAGE_NAMES)


def _bare(row: str) -> str:
    """A row without its place; -0.0 is 0.0."""
    return repr(
        [value + 0.0 if isinstance(value, float) else value for value in json.loads(row)[:5]]
    )


def _in_line(place: str, positions: Any) -> str:
    index, slash, rest = place[1:].partition("/")
    line = f"line {positions[int(index)]}"
    return f"{line} /{rest}" if slash else line


def _has_head(data: bytes) -> bool:
    """Does the first of the lines stand for the whole file?"""
    first = data.lstrip().split(b"\n")[0]
    return names_any(first, HEADER_NAMES) and not names_any(first, IMAGE_NAMES)


def _bare(row: str) -> str:
    """A row without its place; -0.0 is 0.0."""
    return repr(
        [value + 0.0 if isinstance(value, float) else value for value in json.loads(row)[:5]]
    )


def disagreement(data: bytes) -> str:
    """How the two ways differ on a file; empty if they do not."""
    ours = said(data)
    reading = plain.read(data, **LIMITS)
    if any(place.endswith("/class_ids") for _, place in ours.problems):
        return ""  # how to read the items is not known, so nothing of them is told
    if reading.problems:
        missed = set(reading.problems) - set(ours.problems)
        is_full = len(ours.problems) >= MAX_PROBLEMS
        if not ours.problems:
            return f"accepted in spite of {reading.problems}"
        if ours.problems[0][0] in ("DUPLICATE_KEY", "STRING", "NUMBER"):
            return ""  # of the header, told before the items are looked at
        if missed and not is_full and reading.problems[0][0] in FATAL and reading.lines is None:
            return f"{reading.problems} but {ours.problems}"
        return ""
    is_list = isinstance(reading.value, list)
    if not is_list and not isinstance(reading.value.get("predictions"), list):
        return "" if ours.problems else "accepted without a list of items"
    opened = None if reading.lines is not None else list_of_items(data, 0, "predictions")
    sample = data[opened or 0 :]
    if reading.lines is not None and _has_head(data):
        sample = data.lstrip()[data.lstrip().index(b"\n") :]
    if b'"matlab1"' in data:
        return ""
    is_named = b'"names"' in data or (b'"verb"' in data and b'"hoi_id"' not in data)
    spelling = Spelling.of(sample, "names" if is_named else "hoi0")
    theirs = said_plainly(data, spelling, reading)
    if theirs.rows != ours.rows and not ours.problems:
        return f"rows {ours.rows} but {theirs.rows}"
    if theirs.rows and ours.problems:
        header = {place for _, place in ours.problems}
        is_header = all(place.count("/") == 1 or "line 1 " in place for place in header)
        return "" if is_header else f"{ours.problems} for good items"
    if set(theirs.problems) - set(ours.problems) and len(ours.problems) < MAX_PROBLEMS:
        return f"{theirs.problems} but {ours.problems}"
    return ""


def edit(rng: random.Random, data: bytes) -> bytes:
    """The file with some of its values replaced, fields renamed, or items repeated."""
    lines = data.startswith(b'{"benchmark"') and b"\n{" in data
    values = [json.loads(line) for line in data.splitlines() if line.strip()] if lines else None
    document = values if values is not None else json.loads(data.decode("utf-8-sig"))
    for _ in range(rng.choice((1, 1, 2, 5))):
        holder: Any = document
        if isinstance(document, dict) and isinstance(document.get("predictions"), list):
            holder = document["predictions"] if rng.random() < 0.8 else document
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = rng.choice(keys)
            if isinstance(holder[key], dict | list) and rng.random() < 0.9:
                holder = holder[key]
                continue
            match rng.randrange(6):
                case 0 if isinstance(holder, dict):
                    del holder[key]
                case 1 if isinstance(holder, dict):
                    holder[key + "x"] = 1
                case 2 if isinstance(holder, list):
                    holder.insert(rng.randrange(len(holder) + 1), deepcopy(holder[key]))
                case _:
                    holder[key] = deepcopy(rng.choice(VALUES))
            break
    if lines:
        return b"\n".join(json.dumps(value).encode() for value in document)
    return json.dumps(document, indent=rng.choice((None, 1))).encode()


def cases(seed: int) -> Iterator[bytes]:
    """Endless files, nearly right."""
    rng = random.Random(seed)
    pool = [form() for form in FORMS.values()]
    yield from pool
    while True:
        yield edit(rng, rng.choice(pool))
        yield mutate(rng, rng.choice(pool), pool)


def search(chunk: int, *, n_cases: int, seconds: float) -> tuple[bytes, str] | None:
    """The first file on which the two ways differ."""
    files = cases(chunk)
    stop = time.monotonic() + seconds
    for _ in range(n_cases):
        data = next(files)
        if found := disagreement(data):
            return data, found
        if time.monotonic() > stop:
            break
    return None


@pytest.fixture(params=CHUNKS)
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Pieces so small that every item meets their edges."""
    monkeypatch.setattr(structure, "CHUNK", request.param)
    return int(request.param)


def test_mutated_detections_are_read_alike(chunk: int) -> None:
    assert search(chunk, n_cases=300, seconds=5) is None


@pytest.mark.slow
def test_mutated_detections_are_read_alike_for_a_minute(chunk: int) -> None:
    assert search(chunk + 1000, n_cases=10**9, seconds=60 / len(CHUNKS)) is None


def test_the_search_finds_a_planted_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fast way that takes every value for good must be found out."""
    monkeypatch.setattr(fast, "_is_sound", lambda columns, vocabulary: True)
    assert search(300, n_cases=3000, seconds=20) is not None
