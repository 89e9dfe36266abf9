"""The skeleton of a JSON text, found with array operations and without parsing.

One linear pass in chunks: quotes, brackets, commas and colons outside strings,
with the depth after each. It is defined for any bytes, valid or not, and costs
a few ns per byte, so that limits are enforced before a parser sees the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 18  # stays in the second-level cache
QUOTE, BACKSLASH, NEWLINE, COMMA, COLON = b'"\\\n,:'
OPENINGS, CLOSINGS = b"{[", b"}]"
MARKS = bytes(byte in b'"{}[],:' for byte in range(256))
MARKS_AND_NEWLINES = bytes(byte in b'"{}[],:\n' for byte in range(256))
NUMBER = bytes(byte in b"0123456789+-.eE" for byte in range(256))
STEP = np.zeros(256, dtype=np.int8)
STEP[list(OPENINGS)] = 1
STEP[list(CLOSINGS)] = -1


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The marks of one chunk that stand outside strings, in order.

    Attributes:
        at: (M,) byte offsets in the file.
        mark: (M,) the bytes; opening and closing quotes are both marks, and
            newlines where the text is read by line.
        depth: (M,) containers that are open after the mark.
        closes: (M,) the mark is a closing quote; the quote before it opened the string.
        long_numbers: offsets of numbers outside strings with too many characters.
    """

    at: NDArray[np.int64]
    mark: NDArray[np.uint8]
    depth: NDArray[np.int32]
    closes: NDArray[np.bool_]
    long_numbers: NDArray[np.int64]

    def where(self, shown: NDArray[np.bool_]) -> Skeleton:
        """The marks that are to be shown."""
        return Skeleton(
            self.at[shown],
            self.mark[shown],
            self.depth[shown],
            self.closes[shown],
            self.long_numbers,
        )

    def until(self, mark: int) -> Skeleton:
        """The part before the mark with that index."""
        return Skeleton(
            self.at[:mark],
            self.mark[:mark],
            self.depth[:mark],
            self.closes[:mark],
            self.long_numbers[self.long_numbers < self.at[mark]],
        )


@dataclass(slots=True)
class _State:
    """What one chunk hands to the next."""

    inside: bool = False  # within a string
    escaped: bool = False  # the next byte follows a backslash
    depth: int = 0
    run: int = 0  # number characters just before the chunk


def skeletons(
    data: bytes,
    start: int = 0,
    stop: int | None = None,
    *,
    by_line: bool = False,
    max_number: int | None = None,
) -> Iterator[Skeleton]:
    """The marks of `data[start:stop]`, chunk by chunk.

    A backslash hides the byte after it. With `by_line` every newline ends
    strings and containers, so that a broken line does not spoil the next.
    Long numbers are looked for where `max_number` says how long they may be.
    """
    state = _State()
    last = len(data) if stop is None else stop
    for offset in range(start, last, CHUNK):
        chunk = data[offset : min(offset + CHUNK, last)]
        at, mark = _marks(chunk, state, by_line)
        quote = mark == QUOTE
        newline = mark == NEWLINE  # none without by_line
        quotes = np.cumsum(quote, dtype=np.int32)
        quotes += state.inside
        inside_after = ((quotes - _at_last(newline, quotes)) & 1).astype(np.bool_)
        inside = inside_after ^ quote
        step = STEP[mark]
        step[inside] = 0
        depth = np.cumsum(step, dtype=np.int32)
        depth += state.depth
        depth -= _at_last(newline, depth)
        long_numbers = np.array(_long_numbers(chunk, state, max_number), dtype=np.int64)
        if len(long_numbers):
            states = np.concatenate(([state.inside], inside_after))
            long_numbers = long_numbers[~states[np.searchsorted(at, long_numbers)]]
        if len(at):
            state.inside, state.depth = bool(inside_after[-1]), int(depth[-1])
        part = Skeleton(at + offset, mark, depth, quote & inside, long_numbers + offset)
        within = inside & ~quote
        yield part.where(~within) if within.any() else part


def _at_last(newline: NDArray[np.bool_], totals: NDArray[np.int32]) -> NDArray[np.int32]:
    """For each mark, the total at the last newline up to it; 0 before the first."""
    if not newline.any():
        return np.zeros_like(totals)
    last = np.maximum.accumulate(np.where(newline, np.arange(1, len(totals) + 1), 0))
    return np.concatenate((np.zeros(1, dtype=totals.dtype), totals))[last]


def _marks(
    chunk: bytes, state: _State, by_line: bool
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Offsets in the chunk and bytes of all marks that no backslash hides."""
    marks = chunk.translate(MARKS_AND_NEWLINES if by_line else MARKS)
    at = np.flatnonzero(np.frombuffer(marks, dtype=np.bool_))
    bytes_ = np.frombuffer(chunk, dtype=np.uint8)
    mark = bytes_[at]
    if state.escaped or BACKSLASH in chunk:
        shown = ~_hidden(bytes_, state)[at] | (mark == NEWLINE)
        at, mark = at[shown], mark[shown]
    return at, mark


def _hidden(bytes_: NDArray[np.uint8], state: _State) -> NDArray[np.bool_]:
    """Which bytes follow a backslash that is not itself hidden."""
    slashes = np.flatnonzero(bytes_ == BACKSLASH)
    hidden = np.zeros(len(bytes_) + 1, dtype=np.bool_)
    if state.escaped:
        hidden[0] = True
        slashes = slashes[slashes > 0]
    begins_run = np.diff(slashes, prepend=-2) != 1
    run = np.maximum.accumulate(np.where(begins_run, slashes, 0))
    hidden[slashes[(slashes - run) % 2 == 0] + 1] = True
    state.escaped = bool(hidden[-1])
    return hidden[:-1]


def _long_numbers(chunk: bytes, state: _State, max_number: int | None) -> list[int]:
    """Where runs of number characters longer than `max_number` begin.

    A run that began in an earlier chunk has a negative offset.
    """
    if max_number is None:
        return []
    number = chunk.translate(NUMBER)
    head = number.find(0)
    if head < 0:
        head = len(chunk)
    found = [-state.run] if state.run <= max_number < state.run + head else []
    if head == len(chunk):
        state.run += head
        return found
    if b"\1" * (max_number + 1) in number:
        edges = np.diff(np.frombuffer(number, dtype=np.int8), prepend=0, append=0)
        begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
        found += begins[(ends - begins > max_number) & (begins >= head)].tolist()
    state.run = len(chunk) - 1 - number.rfind(0)
    return found
