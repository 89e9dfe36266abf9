"""Lays disclosed scores out for a page: all answers, by slice, in series.

The texts that come in are final; nothing is rounded here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from portal.services.values import FamilyDocument, ScoreDocument

WHOLE = "all"  # the slice in which every answer counts


@dataclass(frozen=True, slots=True)
class Whisker:
    """Where a value and its interval lie on a scale from 0 to 100, as SVG numbers."""

    value: str
    low: str | None = None
    high: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One score drawn on the scale; `title` is its metric's or its slice's."""

    title: str
    score: ScoreDocument
    is_primary: bool
    whisker: Whisker | None


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class SliceRow:
    """One slice; None where a metric is not defined on it."""

    title: str
    description: str
    scores: tuple[ScoreDocument | None, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """One metric over slices that have no other, such as the bins of a histogram."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ScoreTables:
    """What the page of a submission shows of its scores."""

    headline: tuple[Line, ...]
    columns: tuple[Column, ...]
    rows: tuple[SliceRow, ...]
    series: tuple[Series, ...]


def score_tables(scores: Sequence[ScoreDocument], *, family: FamilyDocument) -> ScoreTables:
    """The tables of one submission; the metric that ranks comes first."""
    primary = family["primary_metric"]
    by_slice: dict[str, dict[str, ScoreDocument]] = {}
    for score in scores:
        by_slice.setdefault(score["slice"], {})[score["metric"]] = score
    whole = by_slice.pop(WHOLE, {})
    wide = {slug: found for slug, found in by_slice.items() if len(found) > 1}
    alone = [found for slug, found in by_slice.items() if slug not in wide]
    columns = {m["slug"]: Column(m["short"], m["description"]) for m in family["metrics"]}
    about = {entry["slug"]: entry["description"] for entry in family["slices"]}
    metrics = sorted(
        dict.fromkeys(metric for found in wide.values() for metric in found),
        key=lambda metric: metric != primary,
    )
    return ScoreTables(
        headline=tuple(
            _line(score, score["metric_title"], is_primary=metric == primary)
            for metric, score in sorted(whole.items(), key=lambda item: item[0] != primary)
        ),
        columns=tuple(columns[metric] for metric in metrics),
        rows=tuple(
            SliceRow(
                title=next(iter(found.values()))["slice_title"],
                description=about.get(slug, ""),
                scores=tuple(found.get(metric) for metric in metrics),
            )
            for slug, found in wide.items()
        ),
        series=_series([score for found in alone for score in found.values()]),
    )


def _series(scores: Sequence[ScoreDocument]) -> tuple[Series, ...]:
    titles = dict.fromkeys(score["metric_title"] for score in scores)
    return tuple(
        Series(
            title,
            tuple(_line(s, s["slice_title"]) for s in scores if s["metric_title"] == title),
        )
        for title in titles
    )


def _line(score: ScoreDocument, title: str, *, is_primary: bool = False) -> Line:
    return Line(title, score, is_primary, _whisker(score))


def _whisker(score: ScoreDocument) -> Whisker | None:
    if score["value"] is None:
        return None
    if score["low"] is None or score["high"] is None:
        return Whisker(_place(score["value"]))
    return Whisker(_place(score["value"]), _place(score["low"]), _place(score["high"]))


def _place(fraction: float) -> str:
    return f"{min(max(fraction, 0.0), 1.0) * 100:.2f}"
