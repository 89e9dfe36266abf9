"""Bytes of a stranger to a JSON value, or every reason why not.

Limits are enforced on the bytes before any parser runs; then msgspec parses,
and where it or a count of keys finds anything amiss, the exact reader says what.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import numpy as np

from evaluator.errors import Problems
from evaluator.reading.container import refuse, skip_blanks, start_of_text
from evaluator.reading.exact import decode, note_faults
from evaluator.reading.kinds import kind_of
from evaluator.reading.limits import (
    LARGEST_NUMBER,
    MAX_COUNTED,
    MAX_DEPTH,
    MAX_NUMBER_CHARACTERS,
    MAX_STRING_BYTES,
    MAX_WEIGHT,
    Broken,
    Limits,
)
from evaluator.reading.structure import COLON, OPENINGS, skeletons
from evaluator.reading.syntax import explain

DECODER = msgspec.json.Decoder()


@dataclass(frozen=True, slots=True)
class Parsed:
    """The value of a file.

    Attributes:
        value: of a JSON document, an object or a list; of JSON Lines, the list of the lines.
        lines: line number of each item of JSON Lines, from 1; None for a document.
    """

    value: Any  # whatever the file holds
    lines: tuple[int, ...] | None

    def where(self, pointer: str) -> str:
        """What to print for a JSON pointer: `/3/answer/0`, or `line 4 /answer/0`."""
        if self.lines is None or not pointer.startswith("/"):
            return pointer
        index, slash, rest = pointer[1:].partition("/")
        line = f"line {self.lines[int(index)]}"
        return f"{line} /{rest}" if slash else line


def parse(
    data: bytes,
    *,
    max_depth: int = MAX_DEPTH,
    max_weight: int = MAX_WEIGHT,
    max_string_bytes: int = MAX_STRING_BYTES,
) -> Parsed:
    """The value of a JSON or JSON Lines file in UTF-8.

    JSON Lines are known by their first line, which is a whole object or list,
    and a second that begins one. Time and memory are linear in the file and
    bounded by the limits.

    Args:
        max_depth: objects and lists within each other.
        max_weight: commas, colons, lists, lines and twice the objects, together.
        max_string_bytes: of a string as written, without its quotes.

    Raises:
        PredictionsInvalid: CONTAINER, ENCODING, EMPTY, COUNT, DEPTH, STRING, NUMBER,
            SYNTAX, DUPLICATE_KEY or TOP_LEVEL. Bad numbers, strings and repeated
            keys are told all at once, and in JSON Lines all bad
            lines, up to a thousand.
    """
    start = start_of_text(data)
    by_line = is_lines(data, start)
    limits = Limits(max_depth, max_weight, max_string_bytes)
    limit = None
    n_keys = 0
    for part in skeletons(data, start, by_line=by_line, max_number=MAX_NUMBER_CHARACTERS):
        if limit := limits.first_broken(data, part):
            break
        n_keys += int(np.count_nonzero(part.mark == COLON))
    if limit is None and (parsed := _parse_fast(data, start, by_line, n_keys)):
        return parsed
    return _parse_exactly(data, start, by_line, limit)


def is_lines(data: bytes, start: int) -> bool:
    """Is the first line a whole object or list, and does the next begin one?"""
    begin = skip_blanks(data, start)
    end = data.find(b"\n", begin)
    if end < 0 or data[begin] not in OPENINGS:
        return False
    following = skip_blanks(data, end)
    if following == len(data) or data[following] not in OPENINGS:
        return False
    depth, last = 1, begin
    for part in skeletons(data, begin, end):
        if not len(part.at):
            continue
        if depth < 1 or (part.depth[:-1] < 1).any():
            return False
        depth, last = int(part.depth[-1]), int(part.at[-1])
    return depth == 0 and skip_blanks(data, last + 1) >= end


def _parse_fast(data: bytes, start: int, by_line: bool, n_keys: int) -> Parsed | None:
    """What msgspec reads, if it is beyond doubt."""
    if rb"\u0000" in data:
        return None
    lines: tuple[int, ...] | None = None
    try:
        if by_line:
            written = list(numbered_lines(data[start:]))
            value: Any = [DECODER.decode(line) for _, line in written]
            lines = tuple(number for number, _ in written)
        else:
            value = DECODER.decode(memoryview(data)[start:])
    except msgspec.MsgspecError:
        return None
    if not isinstance(value, dict | list) or _count_keys(value) != n_keys:
        return None
    return Parsed(value, lines)


def _count_keys(value: Any) -> int | None:
    """Keys in all objects of a value, fewer than written if one repeats; None at a bad number."""
    n_keys = 0
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind is dict:
            n_keys += len(item)
            waiting.extend(item.values())
        elif kind is list:
            waiting.extend(item)
        elif (kind is int or kind is float) and not abs(item) <= LARGEST_NUMBER:
            return None
    return n_keys


def _parse_exactly(data: bytes, start: int, by_line: bool, limit: Broken | None) -> Parsed:
    """What the exact reader makes of the text, up to a broken limit."""
    problems = Problems()
    text = data[start : limit.offset if limit else len(data)]
    cut_line = 1 + (text.count(b"\n") if by_line else 0) if limit else 0
    values = []
    numbers = []
    for number, line in numbered_lines(text) if by_line else [(1, text)]:
        characters = line.decode()
        problems.locate = partial(in_line, number) if by_line else str
        is_cut = number == cut_line
        try:
            value = decode(characters)
        except json.JSONDecodeError as fault:
            if not is_cut or fault.pos < len(characters):
                problems.add("SYNTAX", *explain(characters, fault, number))
                limit = None if is_cut else limit
        else:
            if not is_cut:
                note_faults(value, problems)
            values.append(value)
            numbers.append(number)
        if problems.n_problems >= MAX_COUNTED:
            break
    if limit:
        problems.locate = str
        problems.add(limit.code, limit.place(data, start, by_line), limit.found, limit.wanted)
    problems.raise_if_any()
    if by_line:
        return Parsed(values, tuple(numbers))
    if not isinstance(values[0], dict | list):
        refuse("TOP_LEVEL", "", kind_of(values[0]), "", "an object or a list")
    return Parsed(values[0], None)


def in_line(number: int, place: str) -> str:
    """What to print for a JSON pointer within a line."""
    return f"line {number} {place}".rstrip() if place[:1] in ("", "/") else place


def numbered_lines(text: bytes, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each line that is not blank."""
    for number, line in enumerate(text.split(b"\n"), first):
        if line.strip(b" \t\r"):
            yield number, line
