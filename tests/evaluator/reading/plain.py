"""A slow, plain reader of predictions files, written straight from the rules.

Byte by byte, and nothing of ours is imported: what it says is what the fast
reader must say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from tests.evaluator.reading.plain_json import Fault, Parser, Twice, Wrong

LONGEST_NUMBER = 40
CONTAINERS = (
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"PK\x07\x08",
    b"\x93NUMPY",
    b"\x7fELF",
)


@dataclass
class Reading:
    """What a file holds, or the (code, place) of all that is wrong with it."""

    value: Any = None
    lines: tuple[int, ...] | None = None
    problems: list[tuple[str, str]] = field(default_factory=list)


def read(data: bytes, *, max_depth: int, max_weight: int, max_string_bytes: int) -> Reading:
    """The value of a file or all its problems."""
    refusal = _refusal(data)
    if refusal:
        return Reading(problems=[refusal])
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    body = data[start:]
    by_line = is_lines(body)
    limit = _first_limit(body, by_line, max_depth, max_weight, max_string_bytes)
    reading = Reading(lines=() if by_line else None)
    texts = list(enumerate(body.split(b"\n"), 1)) if by_line else [(1, body)]
    values, numbers = [], []
    offset = 0
    for number, raw in texts:
        cut = limit is not None and offset <= limit[1] <= offset + len(raw)
        if cut:
            raw = raw[: limit[1] - offset]  # type: ignore[index]  # there is a limit
        offset += len(raw) + 1
        if by_line and not raw.strip(b" \t\r"):
            if cut:
                break
            continue
        text = raw.decode()
        try:
            value = Parser(text).document()
        except Fault as fault:
            if not cut or fault.position < len(text):
                line = text.count("\n", 0, fault.position) + number
                column = fault.position - text.rfind("\n", 0, fault.position)
                reading.problems.append(("SYNTAX", f"line {line} column {column}"))
                limit = None if cut else limit
        else:
            if not cut:
                reading.problems += [
                    (code, _place(path, number if by_line else None, code))
                    for code, path in faults(value, ())
                ]
            values.append(value)
            numbers.append(number)
        if cut:
            break
    if limit is not None:
        reading.problems.append((limit[0], _limit_place(limit, body, start, by_line)))
    if reading.problems:
        return reading
    if by_line:
        return Reading(values, tuple(numbers))
    if not isinstance(values[0], dict | list):
        return Reading(problems=[("TOP_LEVEL", "")])
    return Reading(values[0])


def _refusal(data: bytes) -> tuple[str, str] | None:
    """The one reason why the bytes are no text."""
    if data.startswith(CONTAINERS) or re.match(rb"\x80[\x01-\x05]", data):
        return "CONTAINER", "byte 0"
    if re.match(rb"[ \t\r\n]*<[!?/A-Za-z]", data):
        return "CONTAINER", "byte 0"
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return "ENCODING", "byte 0"
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    if not data[start:].strip(b" \t\r\n"):
        return "EMPTY", "file"
    if 0 in data:
        return "ENCODING", f"byte {data.index(0)}"
    try:
        data.decode()
    except UnicodeDecodeError as fault:
        return "ENCODING", f"byte {fault.start}"
    return None


def is_lines(body: bytes) -> bool:
    """Is the first line a whole object or list, and does the next begin one?"""
    stripped = body.lstrip(b" \t\r\n")
    first, newline, rest = stripped.partition(b"\n")
    rest = rest.lstrip(b" \t\r\n")
    if not newline or first[:1] not in (b"{", b"[") or rest[:1] not in (b"{", b"["):
        return False
    depth = 0
    inside = hidden = False
    for position, byte in enumerate(first):
        char = chr(byte)
        if hidden:
            hidden = False
        elif char == "\\":
            hidden = True
        elif char == '"':
            inside = not inside
        elif not inside and char in "{[":
            depth += 1
        elif not inside and char in "}]":
            depth -= 1
        if depth == 0 and not inside and not hidden:
            return not first[position + 1 :].strip(b" \t\r")
    return False


def _first_limit(
    body: bytes, by_line: bool, max_depth: int, max_weight: int, max_string: int
) -> tuple[str, int] | None:
    """Code and offset of the first limit that is broken, whatever the syntax."""
    depth = weight = 0
    inside = hidden = False
    opened = 0
    run = 0  # number characters so far
    broken: list[tuple[int, int, str]] = []
    for at, byte in enumerate(body):
        char = chr(byte)
        if by_line and char == "\n":
            depth, inside, hidden, run = 0, False, False, 0
            weight += 1
            if weight > max_weight:
                broken.append((at, 0, "COUNT"))
                break
            continue
        if not inside and char in "0123456789+-.eE":
            run += 1
            if run == LONGEST_NUMBER + 1:
                broken.append((at - LONGEST_NUMBER, 2, "NUMBER"))
        elif char not in "0123456789+-.eE":
            run = 0
        if hidden:
            hidden = False
        elif char == "\\":
            hidden = True
        elif char == '"':
            if not inside:
                opened = at
            elif depth > 0 and at - opened - 1 > max_string:
                broken.append((opened, 3, "STRING"))
            inside = not inside
        elif not inside:
            if char in "{[":
                depth += 1
                if depth > max_depth:
                    broken.append((at, 1, "DEPTH"))
            elif char in "}]":
                depth -= 1
            weight += {"{": 2, "[": 1, ",": 1, ":": 1}.get(char, 0)
            if weight > max_weight:
                broken.append((at, 0, "COUNT"))
                break
    return min(((code, at) for at, _, code in sorted(broken)), key=lambda b: b[1], default=None)


def _limit_place(limit: tuple[str, int], body: bytes, start: int, by_line: bool) -> str:
    code, at = limit
    if code == "COUNT":
        return ""
    if code in ("DEPTH", "NUMBER"):
        return f"byte {at + start}"
    line_start = body.rfind(b"\n", 0, at) + 1 if by_line else 0
    pointer = _pointer(Parser(body[line_start:at].decode()).path_to_end())
    return f"line {body.count(bytes([10]), 0, at) + 1} {pointer}".rstrip() if by_line else pointer


def faults(value: Any, path: tuple[str | int, ...]) -> list[tuple[str, tuple[str | int, ...]]]:
    """Code and path of values that JSON allows and the rules do not."""
    if isinstance(value, Wrong):
        return [("NUMBER", path)]
    if isinstance(value, str):
        return [("STRING", path)] if _is_unstorable(value) else []
    found: list[tuple[str, tuple[str | int, ...]]] = []
    if isinstance(value, Twice):
        found.append(("DUPLICATE_KEY", path))
    if isinstance(value, dict):
        for key, item in value.items():
            if _is_unstorable(key):
                found.append(("STRING", (*path, key)))
            found += faults(item, (*path, key))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            found += faults(item, (*path, position))
    return found


def _is_unstorable(text: str) -> bool:
    return any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text)


def _place(path: tuple[str | int, ...], line: int | None, code: str) -> str:
    if line is not None:
        return f"line {line} {_pointer(path)}".rstrip()
    return "file" if code == "DUPLICATE_KEY" else _pointer(path)


def _pointer(path: list[str | int] | tuple[str | int, ...]) -> str:
    steps = []
    for step in path:
        token = str(step)
        token = token if len(token) <= 80 else token[:80] + "…"
        token = token.replace("~", "~0").replace("/", "~1")
        steps.append("/" + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in token))
    return "".join(steps)
