"""Fields of JSON objects, checked one by one so that all problems are told at once."""

from __future__ import annotations

import math
from typing import Any

from evaluator.bundle import Benchmark
from evaluator.errors import Problems, quote
from evaluator.reading.strict import Parsed

MAX_TEXT = 512  # characters of an id, a label or a class

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
        problems.add(
            "TOP_LEVEL",
            "",
            quote(document)[:40],
            'an object {"benchmark": ..., "track": ..., "predictions": [...]}',
        )
        problems.raise_if_any()
    for key in document:
        if key not in ("benchmark", "track", "predictions"):
            problems.add("UNKNOWN_FIELD", f"/{quote(key)[1:-1]}", quote(key), "no such field")
    named = text_of(document, "benchmark", "", problems)
    if named is not None and named not in (benchmark.name, benchmark.address):
        problems.add("BENCHMARK", "/benchmark", quote(named), f'"{benchmark.address}"')
    asked = text_of(document, "track", "", problems)
    if asked is not None and asked != track:
        problems.add("BENCHMARK", "/track", quote(asked), f'"{track}"')
    items = document.get("predictions")
    if "predictions" not in document:
        problems.add("MISSING_FIELD", "/predictions", "nothing", "a list of items")
    elif not isinstance(items, list):
        problems.add("TYPE", "/predictions", quote(items)[:40], "a list of items")
    if not isinstance(items, list):
        problems.raise_if_any()
        return [], "/predictions"
    return items, "/predictions"


def text_of(item: dict[str, Any], key: str, at: str, problems: Problems) -> str | None:
    """The text at `key`; None where it is missing, no text, or too long."""
    value = _required(item, key, at, problems, "a text")
    if value is None:
        return None
    if not isinstance(value, str):
        problems.add("TYPE", f"{at}/{key}", quote(value), "a text")
        return None
    if len(value) > MAX_TEXT:
        problems.add("STRING", f"{at}/{key}", f"{len(value)} characters", f"at most {MAX_TEXT}")
        return None
    return value


def number_of(item: dict[str, Any], key: str, at: str, problems: Problems) -> float | None:
    """The finite number at `key`; None where it is missing or none."""
    value = _required(item, key, at, problems, "a number")
    return None if value is None else _number(value, f"{at}/{key}", problems)


def box_of(item: dict[str, Any], key: str, at: str, problems: Problems) -> Box | None:
    """The box `x1, y1, x2, y2` at `key`; None where it is missing or none."""
    value = _required(item, key, at, problems, "a box [x1, y1, x2, y2]")
    if value is None:
        return None
    place = f"{at}/{key}"
    if not isinstance(value, list):
        problems.add("TYPE", place, quote(value), "a box [x1, y1, x2, y2]")
        return None
    if len(value) != 4:
        problems.add("LENGTH", place, f"{len(value)} numbers", "four: x1, y1, x2, y2")
        return None
    corners = [_number(corner, f"{place}/{n}", problems) for n, corner in enumerate(value)]
    if None in corners:
        return None
    x1, y1, x2, y2 = corners
    if x2 <= x1 or y2 <= y1:  # type: ignore[operator]  # none of them is None
        problems.add(
            "BOX_ORDER",
            place,
            str(value),
            "x1 < x2 and y1 < y2",
            "Corners in pixels, not x, y, width, height.",
        )
        return None
    return x1, y1, x2, y2  # type: ignore[return-value]  # none of them is None


def _required(
    item: dict[str, Any], key: str, at: str, problems: Problems, wanted: str
) -> Any | None:  # whatever JSON holds there
    if key not in item:
        problems.add("MISSING_FIELD", f"{at}/{key}", "nothing", wanted)
        return None
    if item[key] is None:
        problems.add("TYPE", f"{at}/{key}", "null", wanted)
    return item[key]


def _number(value: object, at: str, problems: Problems) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        problems.add("TYPE", at, quote(value), "a number")
        return None
    if not math.isfinite(value):
        problems.add("NUMBER", at, str(value), "a finite number")
        return None
    return float(value)
