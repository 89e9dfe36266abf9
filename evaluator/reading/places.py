"""Where in a file something stands: JSON pointers, lines and columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from evaluator.errors import MAX_QUOTE
from evaluator.reading.structure import BACKSLASH, COLON, COMMA, OPENINGS, QUOTE, skeletons


def pointer(path: Iterable[str | int]) -> str:
    """A JSON pointer; keys are escaped, made printable and shortened."""
    return "".join(f"/{key if isinstance(key, int) else token(key)}" for key in path)


def token(key: str) -> str:
    """A key as one printable step of a JSON pointer."""
    short = key if len(key) <= MAX_QUOTE else key[:MAX_QUOTE] + "…"
    short = short.replace("~", "~0").replace("/", "~1")
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in short)


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Line and column of a character, both from 1."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


@dataclass(slots=True)
class _Open:
    """An open container on the way to a place."""

    is_object: bool
    n_commas: int = 0
    colon: int | None = None  # the last one, unless a comma has followed


def line_and_column_at(data: bytes, start: int, offset: int) -> tuple[int, int]:
    """Line and column of the byte at `offset`, in a text that begins at `start`."""
    line_start = max(start, data.rfind(b"\n", 0, offset) + 1)
    return data.count(b"\n", 0, offset) + 1, len(data[line_start:offset].decode()) + 1


def pointer_at(data: bytes, start: int, offset: int) -> str:
    """JSON pointer of the value that begins at `offset` of a text that is valid up to there."""
    opened: list[_Open] = []
    for part in skeletons(data, start, offset):
        if not len(part.at):
            continue
        del opened[max(int(part.depth.min()), 0) :]
        for depth in range(1, int(part.depth[-1]) + 1):
            here = part.depth == depth
            if depth > len(opened):
                since = int(np.flatnonzero(here & np.isin(part.mark, list(OPENINGS)))[-1])
                opened.append(_Open(is_object=part.mark[since] == OPENINGS[0]))
                here[:since] = False
            container = opened[depth - 1]
            container.n_commas += int(np.count_nonzero(here & (part.mark == COMMA)))
            turns = np.flatnonzero(here & ((part.mark == COMMA) | (part.mark == COLON)))
            if len(turns):
                turn = turns[-1]
                container.colon = int(part.at[turn]) if part.mark[turn] == COLON else None
    return pointer(_steps(data, opened))


def _steps(data: bytes, opened: list[_Open]) -> Iterator[str | int]:
    for container in opened:
        if not container.is_object:
            yield container.n_commas
        elif container.colon is not None:
            yield key_before(data, container.colon)


def key_before(data: bytes, colon: int) -> str:
    """The key whose colon stands at `colon`.

    Raises:
        ValueError: the text before it is no key.
    """
    end = begin = data.rindex(QUOTE, 0, colon)
    while True:
        begin = data.rindex(QUOTE, 0, begin)
        slashes = 0
        while slashes < begin and data[begin - 1 - slashes] == BACKSLASH:
            slashes += 1
        if slashes % 2 == 0:
            return str(json.loads(data[begin : end + 1]))
