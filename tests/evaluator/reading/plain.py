"""A slow, plain reader of predictions files, written straight from the rules.

Character by character, and nothing of ours is imported: what it says is what
the fast reader must say. Positions follow the usual convention: a fault of
syntax stands at the first character that cannot be there, an unclosed string
at its opening quote, a bad escape at its backslash.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field
from typing import Any

BLANKS = " \t\r\n"
LARGEST = 2**53
LONGEST_NUMBER = 40
ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
CONTAINERS = (b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08", b"\x93NUMPY", b"\x7fELF")


@dataclass
class Reading:
    """What a file holds, or the (code, place) of all that is wrong with it."""

    value: Any = None
    lines: tuple[int, ...] | None = None
    problems: list[tuple[str, str]] = field(default_factory=list)


class Fault(Exception):
    """A text stops being JSON at a position."""

    def __init__(self, position: int) -> None:
        self.position = position


class Wrong:
    """A number that breaks the rules."""


class Twice(dict[str, Any]):
    """An object with a key that is written twice."""


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


class Parser:
    """Recursive descent over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.path: list[str | int] = []

    def document(self) -> Any:
        self._skip()
        value = self._value()
        self._skip()
        if self.at < len(self.text):
            raise Fault(self.at)
        return value

    def path_to_end(self) -> list[str | int]:
        """The path of the value that would begin where the text ends."""
        with contextlib.suppress(Fault):
            self.document()
        return self.path

    def _char(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def _skip(self) -> None:
        while self._char() and self._char() in BLANKS:
            self.at += 1

    def _value(self) -> Any:
        char = self._char()
        if char == '"':
            return self._string()
        if char == "{":
            return self._object()
        if char == "[":
            return self._list()
        for word, value in (("null", None), ("true", True), ("false", False)):
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        for word in ("NaN", "Infinity", "-Infinity"):
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return Wrong()
        number = NUMBER.match(self.text, self.at)
        if not number:
            raise Fault(self.at)
        self.at = number.end()
        return _number(number.group())

    def _object(self) -> dict[str, Any]:
        members: dict[str, Any] = {}
        is_twice = False
        self.at += 1
        self._skip()
        if self._char() == "}":
            self.at += 1
            return members
        while True:
            if self._char() != '"':
                raise Fault(self.at)
            key = self._string()
            self._skip()
            if self._char() != ":":
                raise Fault(self.at)
            self.at += 1
            self._skip()
            self.path.append(key)
            value = self._value()
            self._skip()
            is_twice = is_twice or key in members
            members[key] = value
            if self._char() not in ("}", ","):
                raise Fault(self.at)
            self.path.pop()
            self.at += 1
            if self.text[self.at - 1] == "}":
                return Twice(members) if is_twice else members
            self._skip()

    def _list(self) -> list[Any]:
        items: list[Any] = []
        self.at += 1
        self._skip()
        if self._char() == "]":
            self.at += 1
            return items
        while True:
            self.path.append(len(items))
            items.append(self._value())
            self._skip()
            if self._char() not in ("]", ","):
                raise Fault(self.at)
            self.path.pop()
            self.at += 1
            if self.text[self.at - 1] == "]":
                return items
            self._skip()

    def _string(self) -> str:
        opened = self.at
        self.at += 1
        units: list[int] = []
        while True:
            char = self._char()
            if not char:
                raise Fault(opened)
            if ord(char) < 0x20:
                raise Fault(self.at)
            if char == '"':
                self.at += 1
                return _joined(units)
            if char != "\\":
                units.append(ord(char))
                self.at += 1
                continue
            escape = self.text[self.at + 1 : self.at + 2]
            if not escape:
                raise Fault(opened)
            if escape == "u":
                digits = self.text[self.at + 2 : self.at + 6]
                # A text that ends within or right after the digits has a bad escape.
                if not re.fullmatch("[0-9a-fA-F]{4}", digits) or self.at + 6 >= len(self.text):
                    raise Fault(self.at)
                units.append(int(digits, 16) | 1 << 24)  # marked as written by escape
                self.at += 6
            elif escape in ESCAPES:
                units.append(ord(ESCAPES[escape]))
                self.at += 2
            else:
                raise Fault(self.at)


def _joined(units: list[int]) -> str:
    """Characters; a high and a low half side by side, both escaped, make one."""
    text = ""
    position = 0
    while position < len(units):
        unit = units[position] & 0xFFFFFF
        after = units[position + 1] if position + 1 < len(units) else 0
        is_pair = units[position] >> 24 and after >> 24
        low = after & 0xFFFFFF
        if is_pair and 0xD800 <= unit < 0xDC00 <= low < 0xE000:
            text += chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
            position += 2
        else:
            text += chr(unit)
            position += 1
    return text


def _number(written: str) -> Any:
    value = float(written) if re.search("[.eE]", written) else int(written)
    return value if abs(value) <= LARGEST else Wrong()


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
