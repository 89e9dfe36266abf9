"""A plain JSON parser: recursive descent, character by character, nothing of ours.

A fault of syntax stands at the first character that cannot be there, an
unclosed string at its opening quote, a bad escape at its backslash. Numbers
and keys that break the rules of predictions files are marked and read over.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any

BLANKS = " \t\r\n"
LARGEST = 2**53
ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


class Fault(Exception):
    """A text stops being JSON at a position."""

    def __init__(self, position: int) -> None:
        self.position = position


class Wrong:
    """A number that breaks the rules."""


class Twice(dict[str, Any]):
    """An object with a key that is written twice."""


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
