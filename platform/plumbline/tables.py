"""Aligned tables for a terminal, in percent as on the board."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

NOTHING = "–"


def percent(value: float | None) -> str:
    """A fraction as percent with two decimals; a dash for none."""
    return NOTHING if value is None else f"{100 * value:.2f}"


def points(value: float | None) -> str:
    """A difference of fractions in percentage points, with its sign."""
    return NOTHING if value is None else f"{100 * value:+.2f}"


def span(low: float | None, high: float | None, *, signed: bool = False) -> str:
    """Bounds in percent; a dash where there are none."""
    if low is None or high is None:
        return NOTHING
    shown = points if signed else percent
    return f"{shown(low)} to {shown(high)}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> str:
    """Columns two spaces apart.

    Args:
        align: one letter per column, `l` or `r`.
    """
    lines = [head, *rows]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            _padded(cell, width, side)
            for cell, width, side in zip(line, widths, align, strict=True)
        ).rstrip()
        for line in lines
    )


def _padded(cell: str, width: int, side: str) -> str:
    room = " " * (width - _width(cell))
    return room + cell if side == "r" else cell + room


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
