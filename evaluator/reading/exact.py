"""The exact reader: slower than the fast one, it names every fault and its place.

It reads on over numbers, strings and keys that break the rules, so that all of
them are told at once; it stops at the first fault of syntax. It is called on
text whose depth, numbers and size are known to be within the limits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from evaluator.errors import MAX_PROBLEMS, Problems, quote
from evaluator.reading.limits import LARGEST_NUMBER
from evaluator.reading.places import pointer

UNSTORABLE = re.compile("[\ud800-\udfff\0]")
HARMLESS = frozenset({bool, int, float, type(None)})


@dataclass(frozen=True, slots=True)
class BadNumber:
    """Stands where the file has a number that breaks the rules."""

    written: str


class Repeating(dict[str, Any]):
    """An object in which a key is written more than once; the last value is kept."""

    def __init__(self, pairs: list[tuple[str, Any]], members: dict[str, Any]) -> None:
        super().__init__(members)
        # Keys stand in the order of their first appearance: the first pair
        # that is out of step repeats one.
        steps = zip_longest(pairs, members)
        self.repeated: str = next(pair[0] for pair, key in steps if pair[0] != key)


def _integer(written: str) -> int | BadNumber:
    value = int(written)
    return value if abs(value) <= LARGEST_NUMBER else BadNumber(written)


def _fraction(written: str) -> float | BadNumber:
    value = float(written)
    return value if abs(value) <= LARGEST_NUMBER else BadNumber(written)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    return members if len(members) == len(pairs) else Repeating(pairs, members)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_fraction,
    parse_constant=BadNumber,
)


def decode(text: str) -> Any:
    """The value of a text, with markers where numbers or keys break the rules.

    Raises:
        json.JSONDecodeError: at the first fault of syntax.
    """
    return _DECODER.decode(text)


def note_faults(value: Any, problems: Problems) -> None:
    """Add what `decode` marked, in the order of the text."""
    for path, fault in _faults(value):
        if len(problems.kept) == MAX_PROBLEMS:
            problems.n_problems += 1
        elif isinstance(fault, BadNumber):
            problems.add(
                "NUMBER",
                pointer(path),
                f"the number {quote(fault.written)[1:-1]}",
                "a finite number within ±2^53",
                "JSON has no NaN and no infinity: leave such an item out.",
            )
        elif isinstance(fault, Repeating):
            place = problems.locate(pointer(path))
            problems.add(
                "DUPLICATE_KEY",
                place if place.startswith("line ") else "file",
                f"key {quote(fault.repeated)} twice in the object at {place or 'the top level'}",
                "each key once in an object",
            )
        else:
            problems.add(
                "STRING",
                pointer(path),
                f"a NUL or half a surrogate pair in {quote(fault)}",
                "text that can be stored",
            )


def _faults(value: Any) -> Iterator[tuple[list[str | int], Any]]:
    """Path and value of everything that breaks a rule, in the order of the text."""
    path: list[str | int] = [""]
    levels: list[Iterator[tuple[str | int, Any]]] = [iter([("", value)])]
    while levels:
        for key, item in levels[-1]:
            path[-1] = key
            if isinstance(key, str) and UNSTORABLE.search(key):
                yield path[1:], key
            if type(item) in HARMLESS:
                continue
            if isinstance(item, BadNumber | Repeating) or (
                isinstance(item, str) and UNSTORABLE.search(item)
            ):
                yield path[1:], item
            if isinstance(item, BadNumber | str):
                continue
            levels.append(iter(item.items()) if isinstance(item, dict) else iter(enumerate(item)))
            path.append("")
            break
        else:
            levels.pop()
            path.pop()
