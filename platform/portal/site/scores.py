"""Lays disclosed scores out for a page: the headline rows and the matrix of slices.

Works on the API's documents; the texts in them are final and are not rounded again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]  # Any: a document of the API

WHOLE = "all"  # the slice in which every answer counts


@dataclass(frozen=True, slots=True)
class Whisker:
    """Where a value and its interval lie on a scale from 0 to 100."""

    value: str
    low: str | None = None
    high: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One score as it stands in a table."""

    title: str
    text: str
    interval_text: str
    reason: str
    is_pending: bool
    is_primary: bool
    whisker: Whisker | None


@dataclass(frozen=True, slots=True)
class Row:
    """One slice of the matrix; None where a metric is not defined."""

    title: str
    description: str
    n: int | None
    scores: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    metrics: tuple[Json, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class ScoreTables:
    """What the page of a submission shows of its scores."""

    headline: tuple[Cell, ...]
    n: int | None
    matrix: Matrix | None


def score_tables(
    scores: Sequence[Json], *, slices: Sequence[Json], metrics: Sequence[Json], primary: str,
    is_pending: bool,
) -> ScoreTables:
    """The tables of one submission.

    Args:
        slices, metrics: the family's words, in display order.
        primary: the metric that ranks; it comes first.
        is_pending: intervals are still being computed.
    """
    at = {(score["slice"], score["metric"]): score for score in scores}
    present = {metric for _, metric in at}
    columns = sorted(
        (metric for metric in metrics if metric["slug"] in present),
        key=lambda metric: metric["slug"] != primary,
    )

    def cell(slice_: str, metric: Json) -> Cell | None:
        score = at.get((slice_, metric["slug"]))
        return None if score is None else _cell(score, metric, primary, is_pending)

    headline = [cell(WHOLE, metric) for metric in columns]
    rows = tuple(
        Row(
            title=slice_["title"],
            description=slice_.get("description") or "",
            n=_n(at, slice_["slug"], columns),
            scores=tuple(cell(slice_["slug"], metric) for metric in columns),
        )
        for slice_ in slices
        if slice_["slug"] != WHOLE and any((slice_["slug"], m["slug"]) in at for m in columns)
    )
    return ScoreTables(
        headline=tuple(found for found in headline if found is not None),
        n=_n(at, WHOLE, columns),
        matrix=Matrix(metrics=tuple(columns), rows=rows) if rows else None,
    )


def headline_of(scores: Sequence[Json], metric: str) -> Json | None:
    """The score that ranks, where it has been computed."""
    for score in scores:
        if score["slice"] == WHOLE and score["metric"] == metric:
            return score
    return None


def _cell(score: Json, metric: Json, primary: str, is_pending: bool) -> Cell:
    value = score.get("value")
    return Cell(
        title=metric["title"],
        text=score.get("text") or "",
        interval_text=score.get("interval_text") or "",
        reason=(score.get("reason") if value is None else score.get("interval_reason")) or "",
        is_pending=is_pending and value is not None,
        is_primary=metric["slug"] == primary,
        whisker=None if value is None else _whisker(value, score.get("low"), score.get("high")),
    )


def _whisker(value: float, low: float | None, high: float | None) -> Whisker:
    def place(fraction: float) -> str:
        return f"{min(max(fraction, 0.0), 1.0) * 100:.2f}"

    if low is None or high is None:
        return Whisker(place(value))
    return Whisker(place(value), place(low), place(high))


def _n(at: Mapping[tuple[str, str], Json], slice_: str, metrics: Sequence[Json]) -> int | None:
    """How many questions count in a slice: the most that any of its metrics counted."""
    counts = [at[slice_, m["slug"]].get("n") for m in metrics if (slice_, m["slug"]) in at]
    known = [count for count in counts if count is not None]
    return max(known) if known else None
