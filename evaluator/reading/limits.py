"""The limits of a predictions file, and the first place that breaks one.

They are checked on the skeleton of the text, before a parser allocates anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.reading.places import pointer_at
from evaluator.reading.structure import CHUNK, COLON, COMMA, NEWLINE, OPENINGS, QUOTE, Skeleton

LARGEST_NUMBER = 2**53  # beyond it, integers are no longer exact everywhere
MAX_NUMBER_CHARACTERS = 40
MAX_DEPTH = 8
MAX_STRING_BYTES = 1 << 20
MAX_WEIGHT = 2_000_000  # at most about 90 bytes each once parsed
MAX_COUNTED = 1000  # problems; a reader does not go on after as many

WEIGHTY = (COMMA, COLON, NEWLINE, *OPENINGS)
WEIGHT = np.zeros(256, dtype=np.int64)
WEIGHT[[COMMA, COLON, NEWLINE, OPENINGS[1]]] = 1  # newlines in JSON Lines only
WEIGHT[OPENINGS[0]] = 2
NUMBER_RUN = re.compile(rb"[-+.0-9eE]+")


@dataclass(frozen=True, slots=True)
class Broken:
    """Where a text first breaks a limit; nothing after it is read."""

    offset: int
    code: str
    found: str
    wanted: str

    def place(self, data: bytes, start: int, by_line: bool) -> str:
        """The place to print; `start` is where the text begins."""
        if self.code in ("DEPTH", "NUMBER"):
            return f"byte {self.offset}"
        if self.code == "COUNT":
            return ""
        if not by_line:
            return pointer_at(data, start, self.offset)
        line_start = max(start, data.rfind(b"\n", 0, self.offset) + 1)
        line = data.count(b"\n", start, self.offset) + 1
        return f"line {line} {pointer_at(data, line_start, self.offset)}".rstrip()


@dataclass(slots=True)
class Limits:
    """What a text may hold; fed with its skeleton in order.

    Attributes:
        max_depth: objects and lists within each other.
        max_weight: commas, colons, lists, lines and twice the objects, together.
        max_string_bytes: of a string as written, without its quotes; a string
            that is the whole text is spared, since it is refused as such.
    """

    max_depth: int
    max_weight: int
    max_string_bytes: int
    depth_before: int = 0  # containers around the text
    _weight: int = 0
    _quote_at: int = -1

    def first_broken(self, data: bytes, part: Skeleton) -> Broken | None:
        """The first limit that this part breaks."""
        found = [self._heavy(part), self._deep(part), self._string(part), _number(data, part)]
        return min((broken for broken in found if broken), key=lambda b: b.offset, default=None)

    def _heavy(self, part: Skeleton) -> Broken | None:
        before = self._weight
        self._weight += weight_of(part.mark)
        if self._weight <= self.max_weight:
            return None
        weights = np.cumsum(WEIGHT[part.mark]) + before
        offset = int(part.at[np.argmax(weights > self.max_weight)])
        wanted = f"at most {self.max_weight:,} commas, colons, lists and lines; objects count twice"
        return Broken(offset, "COUNT", "too many items", wanted)

    def _deep(self, part: Skeleton) -> Broken | None:
        deep = part.depth > self.max_depth - self.depth_before
        if not deep.any():
            return None
        # The mark that passes the limit is an opening bracket.
        offset = int(part.at[np.argmax(deep)])
        found = f"a list or object nested more than {self.max_depth} deep"
        return Broken(offset, "DEPTH", found, f"at most {self.max_depth} levels")

    def _string(self, part: Skeleton) -> Broken | None:
        quotes = np.flatnonzero(part.mark == QUOTE)
        if not len(quotes):
            return None
        before, self._quote_at = self._quote_at, int(part.at[quotes[-1]])
        if self.max_string_bytes >= CHUNK:
            quotes = quotes[:1]  # others open and close within the chunk
        at = part.at[quotes]
        opened = np.concatenate(([before], at[:-1]))
        n_bytes = np.where(part.closes[quotes] & (part.depth[quotes] > 0), at - opened - 1, 0)
        long = n_bytes > self.max_string_bytes
        if not long.any():
            return None
        first = int(np.argmax(long))
        found = f"a string of {int(n_bytes[first]):,} bytes"
        wanted = f"at most {self.max_string_bytes:,} bytes"
        return Broken(int(opened[first]), "STRING", found, wanted)


def weight_of(mark: NDArray[np.uint8]) -> int:
    """What marks add to the weight of a text."""
    return sum(int(WEIGHT[byte]) * int(np.count_nonzero(mark == byte)) for byte in WEIGHTY)


def _number(data: bytes, part: Skeleton) -> Broken | None:
    if not len(part.long_numbers):
        return None
    offset = int(part.long_numbers[0])
    run = NUMBER_RUN.match(data, offset)
    n_characters = len(run.group()) if run else 0
    found = f"a number of {n_characters:,} characters"
    return Broken(offset, "NUMBER", found, f"at most {MAX_NUMBER_CHARACTERS} characters")
