"""Fields of JSON objects, checked one by one so that all problems are told at once.

Each check gives the value, or None after it has noted what is wrong. `at` is
the JSON pointer of the object, `/predictions/3`; `Problems.locate` turns a
pointer into the place to print.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from evaluator.bundle import Benchmark
from evaluator.errors import MAX_PROBLEMS, Problems, quote
from evaluator.reading.exact import BadNumber
from evaluator.reading.kinds import shown
from evaluator.reading.limits import LARGEST_NUMBER, MAX_COUNTED
from evaluator.reading.places import token
from evaluator.reading.strict import Parsed

MAX_TEXT = 512  # characters of an id, a label or a class
# Control, format (bidi, zero width) and separator characters: no name needs them.
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)
HEADER = ("benchmark", "track", "predictions")

Box = tuple[float, float, float, float]


def check_header(
    parsed: Parsed, benchmark: Benchmark, track: str, problems: Problems
) -> tuple[list[Any], str]:
    """The items of a predictions file, and the pointer at which they stand.

    JSON Lines are items alone; a document names benchmark and track, which
    must be the ones it is read for.
    """
    if parsed.lines is not None:
        return parsed.value, ""
    document = parsed.value
    if not isinstance(document, dict):
        wanted = 'an object {"benchmark": ..., "track": ..., "predictions": [...]}'
        problems.add("TOP_LEVEL", "", shown(document), wanted)
        problems.raise_if_any()
    no_other_fields(document, HEADER, "", problems)
    check_address(document, benchmark, track, problems)
    items = list_of(document, "predictions", "", problems, "a list of items")
    if items is None:
        problems.raise_if_any()
    return items or [], "/predictions"


def check_address(
    document: dict[str, Any], benchmark: Benchmark, track: str, problems: Problems
) -> None:
    """A document must name the benchmark and the track that it is read for."""
    named = text_of(document, "benchmark", "", problems)
    if named is not None and named not in (benchmark.name, benchmark.address):
        problems.add("BENCHMARK", "/benchmark", quote(named), f'"{benchmark.address}"')
    asked = text_of(document, "track", "", problems)
    if asked is not None and asked != track:
        problems.add("BENCHMARK", "/track", quote(asked), f'"{track}"')


def no_other_fields(
    item: dict[str, Any], known: Collection[str], at: str, problems: Problems
) -> None:
    """UNKNOWN_FIELD for every key that is not known."""
    unknown = [key for key in item if key not in known]
    problems.n_problems += len(unknown[MAX_PROBLEMS:])
    for key in unknown[:MAX_PROBLEMS]:
        problems.add("UNKNOWN_FIELD", f"{at}/{token(key)}", quote(key), ", ".join(known))


def objects_of(
    items: list[Any], at: str, problems: Problems, wanted: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Pointer and value of each entry that is an object; TYPE for the others.

    Ends early once the file has a thousand problems.
    """
    for row, item in enumerate(items):
        if problems.n_problems >= MAX_COUNTED:
            return
        if isinstance(item, dict):
            yield f"{at}/{row}", item
        elif not isinstance(item, BadNumber):
            problems.add("TYPE", f"{at}/{row}", shown(item), wanted)


def text_of(
    item: dict[str, Any], key: str, at: str, problems: Problems, wanted: str = "a text"
) -> str | None:
    """The printable text at `key`; None where it is missing, no text, or too long."""
    value = _required(item, key, at, problems, wanted)
    if value is None:
        return None
    place = f"{at}/{key}"
    if not isinstance(value, str):
        problems.add("TYPE", place, shown(value), wanted)
        return None
    if len(value) > MAX_TEXT:
        found = f"{len(value):,} characters"
        problems.add("STRING", place, found, f"at most {MAX_TEXT}")
        return None
    if UNPRINTABLE.search(value):
        found = f"a control, invisible or direction character in {quote(value)}"
        problems.add("STRING", place, found, "printable characters")
        return None
    return value


def integer_of(
    item: dict[str, Any], key: str, at: str, problems: Problems, wanted: str = "an integer"
) -> int | None:
    """The integer at `key`; None where it is missing or none. 1.0 is no integer."""
    value = _required(item, key, at, problems, wanted)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        problems.add("TYPE", f"{at}/{key}", shown(value), wanted)
        return None
    return value


def number_of(item: dict[str, Any], key: str, at: str, problems: Problems) -> float | None:
    """The finite number at `key`; None where it is missing or none."""
    value = _required(item, key, at, problems, "a number")
    return None if value is None else _number(value, f"{at}/{key}", problems)


def score_of(item: dict[str, Any], key: str, at: str, problems: Problems) -> float | None:
    """The number in [0, 1] at `key`."""
    score = number_of(item, key, at, problems)
    if score is not None and not 0 <= score <= 1:
        problems.add("SCORE_RANGE", f"{at}/{key}", shown(item[key]), "a number from 0 to 1")
        return None
    return score


def list_of(
    item: dict[str, Any],
    key: str,
    at: str,
    problems: Problems,
    wanted: str = "a list",
    most: int | None = None,
) -> list[Any] | None:
    """The list at `key`, of at most `most` entries; None where it is missing or none."""
    value = _required(item, key, at, problems, wanted)
    if value is None:
        return None
    if not isinstance(value, list):
        problems.add("TYPE", f"{at}/{key}", shown(value), wanted)
        return None
    if most is not None and len(value) > most:
        problems.add("COUNT", f"{at}/{key}", f"{len(value):,} entries", f"at most {most:,}")
        return None
    return value


def box_of(
    item: dict[str, Any],
    key: str,
    at: str,
    problems: Problems,
    size: tuple[float, float] | None = None,
) -> Box | None:
    """The box `x1, y1, x2, y2` at `key`; None where it is missing or none.

    Args:
        size: width and height that it must lie in; None where they are not known.
    """
    value = list_of(item, key, at, problems, "a box [x1, y1, x2, y2]")
    if value is None:
        return None
    place = f"{at}/{key}"
    if len(value) != 4:
        problems.add("LENGTH", place, f"{len(value)} numbers", "four: x1, y1, x2, y2")
        return None
    corners = [_number(corner, f"{place}/{n}", problems) for n, corner in enumerate(value)]
    numbers = [corner for corner in corners if corner is not None]
    if len(numbers) < 4:
        return None
    x1, y1, x2, y2 = numbers
    if x2 <= x1 or y2 <= y1:
        hint = "Corners in pixels, not x, y, width, height."
        problems.add("BOX_ORDER", place, str(value), "x1 < x2 and y1 < y2", hint)
        return None
    n_before = problems.n_problems
    for n, corner in enumerate(numbers if size else ()):
        if size and not 0 <= corner <= size[n % 2]:
            wanted = f"a place within the image ({size[0]:g} x {size[1]:g})"
            problems.add("BOX_RANGE", f"{place}/{n}", shown(value[n]), wanted)
    return (x1, y1, x2, y2) if problems.n_problems == n_before else None


def _required(
    item: dict[str, Any], key: str, at: str, problems: Problems, wanted: str
) -> Any | None:  # whatever JSON holds there
    if key not in item:
        problems.add("MISSING_FIELD", f"{at}/{key}", "nothing", wanted)
        return None
    if item[key] is None:
        problems.add("TYPE", f"{at}/{key}", "null", wanted)
    # The exact reader has named a bad number already.
    return None if isinstance(item[key], BadNumber) else item[key]


def _number(value: object, at: str, problems: Problems) -> float | None:
    if isinstance(value, BadNumber):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        problems.add("TYPE", at, shown(value), "a number")
        return None
    if not abs(value) <= LARGEST_NUMBER:
        problems.add("NUMBER", at, str(value), "a finite number within ±2^53")
        return None
    return float(value)
