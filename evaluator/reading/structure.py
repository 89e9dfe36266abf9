"""The skeleton of a JSON text, found with array operations and without parsing.

One linear pass in chunks: quotes, brackets, commas and colons outside strings,
with the depth after each. It holds for any bytes, valid or not, and costs about
3 ns per byte, so that limits stand before a parser sees the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 18  # stays in the second-level cache
QUOTE, BACKSLASH, NEWLINE, COMMA, COLON = b'"\\\n,:'
OPENINGS, CLOSINGS = b"{[", b"}]"
MARKS = bytes(byte in b'"\n{}[],:' for byte in range(256))
NUMBER = bytes(byte in b"0123456789+-.eE" for byte in range(256))
STEP = np.zeros(256, dtype=np.int32)
STEP[list(OPENINGS)] = 1
STEP[list(CLOSINGS)] = -1


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The marks of one chunk that stand outside strings, in order.

    Attributes:
        at: (M,) byte offsets in the file.
        mark: (M,) the bytes; an opening and a closing quote are both marks.
        depth: (M,) containers that are open after the mark.
        closes: (M,) the mark is a closing quote; its opening is the quote before it.
        long_numbers: offsets of numbers with more characters than allowed.
        end: offset after the chunk.
    """

    at: NDArray[np.int64]
    mark: NDArray[np.uint8]
    depth: NDArray[np.int32]
    closes: NDArray[np.bool_]
    long_numbers: NDArray[np.int64]
    end: int


@dataclass(slots=True)
class _State:
    """What one chunk hands to the next."""

    inside: int = 0  # 1 within a string
    escaped: bool = False  # the next byte follows a backslash
    depth: int = 0
    run: int = 0  # number characters just before the chunk


def skeleton(
    data: bytes,
    start: int = 0,
    stop: int | None = None,
    *,
    by_line: bool = False,
    max_number: int | None = None,
) -> Iterator[Skeleton]:
    """The marks of `data[start:stop]`, chunk by chunk.

    A backslash hides the byte after it. With `by_line` each newline ends
    strings and containers, so that one broken line does not spoil the next.
    """
    state = _State()
    last = len(data) if stop is None else stop
    for offset in range(start, last, CHUNK):
        chunk = data[offset : min(offset + CHUNK, last)]
        numbers = _long_numbers(chunk, state, max_number) if max_number else []
        at, mark, inside, after, depth = _marks(chunk, state, by_line)
        shown = (inside == 0) | (mark == QUOTE)
        if by_line:
            shown |= mark == NEWLINE
        long_numbers = np.array(numbers, dtype=np.int64)
        if len(numbers):
            before = np.searchsorted(at, long_numbers) - 1
            within = np.where(before >= 0, after[before], state.inside) if len(at) else state.inside
            long_numbers = long_numbers[np.broadcast_to(within, long_numbers.shape) == 0]
        yield Skeleton(
            at[shown] + offset,
            mark[shown],
            depth[shown],
            (inside[shown] == 1) & (mark[shown] == QUOTE),
            long_numbers + offset,
            offset + len(chunk),
        )
        if len(at):
            state.inside, state.depth = int(after[-1]), int(depth[-1])
