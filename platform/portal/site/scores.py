"""Lays disclosed scores out for a page: the headline rows and the matrix of slices.

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
class HeadlineRow:
    """One metric over all answers."""

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
    n: int | None
    scores: tuple[ScoreDocument | None, ...]


@dataclass(frozen=True, slots=True)
class ScoreTables:
    """What the page of a submission shows of its scores.

    Attributes:
        n: questions that count in all.
    """

    headline: tuple[HeadlineRow, ...]
    n: int | None
    columns: tuple[Column, ...]
    rows: tuple[SliceRow, ...]


def score_tables(scores: Sequence[ScoreDocument], *, family: FamilyDocument) -> ScoreTables:
    """The tables of one submission; the metric that ranks comes first."""
    at = {(score["slice"], score["metric"]): score for score in scores}
    primary = family["primary_metric"]
    metrics = sorted(dict.fromkeys(s["metric"] for s in scores), key=lambda m: m != primary)
    slices = [s for s in dict.fromkeys(score["slice"] for score in scores) if s != WHOLE]
    whole = [at[WHOLE, metric] for metric in metrics if (WHOLE, metric) in at]
    in_slices = [m for m in metrics if any((slice_, m) in at for slice_ in slices)]
    columns = {m["slug"]: Column(m["short"], m["description"]) for m in family["metrics"]}
    about = {entry["slug"]: entry["description"] for entry in family["slices"]}
    return ScoreTables(
        headline=tuple(
            HeadlineRow(score, score["metric"] == primary, _whisker(score)) for score in whole
        ),
        n=_most(whole),
        columns=tuple(columns[metric] for metric in in_slices),
        rows=tuple(
            _slice_row(about.get(slice_, ""), [at.get((slice_, metric)) for metric in in_slices])
            for slice_ in slices
        ),
    )


def _slice_row(description: str, scores: Sequence[ScoreDocument | None]) -> SliceRow:
    present = [score for score in scores if score is not None]
    return SliceRow(
        title=present[0]["slice_title"],  # a slice is listed because it has a score
        description=description,
        n=_most(present),
        scores=tuple(scores),
    )


def _most(scores: Sequence[ScoreDocument]) -> int | None:
    """How many answers count: the most that one of the metrics counted."""
    return max((score["n"] for score in scores if score["n"] is not None), default=None)


def _whisker(score: ScoreDocument) -> Whisker | None:
    if score["value"] is None:
        return None
    if score["low"] is None or score["high"] is None:
        return Whisker(_place(score["value"]))
    return Whisker(_place(score["value"]), _place(score["low"]), _place(score["high"]))


def _place(fraction: float) -> str:
    return f"{min(max(fraction, 0.0), 1.0) * 100:.2f}"
