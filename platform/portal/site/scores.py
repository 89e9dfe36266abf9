"""Lays disclosed scores out for a page: the headline rows and the matrix of slices.

The texts that come in are final; nothing is rounded here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from portal.services.values import ShownScore
from portal.site.words import metrics_of, primary_metric, slice_description

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

    score: ShownScore
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
    scores: tuple[ShownScore | None, ...]


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


def score_tables(scores: Sequence[ShownScore], *, family: str) -> ScoreTables:
    """The tables of one submission; the metric that ranks comes first."""
    at = {(score.slice, score.metric): score for score in scores}
    primary = primary_metric(family)
    metrics = sorted(dict.fromkeys(s.metric for s in scores), key=lambda m: m != primary)
    slices = [s for s in dict.fromkeys(score.slice for score in scores) if s != WHOLE]
    titles = {score.metric: score.metric_title for score in scores}
    known = {metric.slug: metric for metric in metrics_of(family)}
    whole = [at[WHOLE, metric] for metric in metrics if (WHOLE, metric) in at]
    in_slices = [m for m in metrics if any((slice_, m) in at for slice_ in slices)]
    return ScoreTables(
        headline=tuple(
            HeadlineRow(score, score.metric == primary, _whisker(score)) for score in whole
        ),
        n=_most(whole),
        columns=tuple(
            Column(known[m].short, known[m].description) if m in known else Column(titles[m], "")
            for m in in_slices
        ),
        rows=tuple(
            _slice_row(family, [at.get((slice_, metric)) for metric in in_slices])
            for slice_ in slices
        ),
    )


def primary_score(scores: Sequence[ShownScore], *, family: str) -> ShownScore | None:
    """The score that ranks, where there is one."""
    primary = primary_metric(family)
    for score in scores:
        if score.slice == WHOLE and score.metric == primary:
            return score
    return None


def _slice_row(family: str, scores: Sequence[ShownScore | None]) -> SliceRow:
    present = [score for score in scores if score is not None]
    first = present[0]  # a slice is listed because it has a score
    return SliceRow(
        title=first.slice_title,
        description=slice_description(family, first.slice),
        n=_most(present),
        scores=tuple(scores),
    )


def _most(scores: Sequence[ShownScore]) -> int | None:
    """How many answers count: the most that one of the metrics counted."""
    return max((score.n for score in scores if score.n is not None), default=None)


def _whisker(score: ShownScore) -> Whisker | None:
    if score.value is None:
        return None
    if score.low is None or score.high is None:
        return Whisker(_place(score.value))
    return Whisker(_place(score.value), _place(score.low), _place(score.high))


def _place(fraction: float) -> str:
    return f"{min(max(fraction, 0.0), 1.0) * 100:.2f}"
