"""Scores, intervals and differences, and the JSON form in which they travel.

Every number has the address (version, track, system, slice, metric). A score
that cannot be computed is None with a reason: never zero, never NaN.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

IntervalMethod = Literal["percentile", "recentred", "wilson", "printed"]


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of a value, in the value's unit, at `level` (0.95)."""

    low: float
    high: float
    level: float
    method: IntervalMethod

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """One value at (slice, metric).

    Attributes:
        value: fraction, or None with `reason`.
        interval: None with `interval_reason` where there is none.
        n: what was counted (questions, or classes for averages over classes).
        n_clusters: clusters that hold something to count.
        n_dropped_draws: draws without anything to count, left out of the interval.
    """

    slice: str
    metric: str
    value: float | None
    reason: str | None = None
    interval: Interval | None = None
    interval_reason: str | None = None
    n: int | None = None
    n_clusters: int | None = None
    n_dropped_draws: int = 0


class Scorecard(msgspec.Struct, frozen=True, kw_only=True):
    """All scores of one submission under one version, and how they were made."""

    benchmark: str  # name@version
    track: str
    rules: str
    evaluator: str
    draws: int  # 0: values only
    seed: int
    level: float
    scores: tuple[Score, ...]
    notes: tuple[str, ...] = ()

    def score(self, slice_: str, metric: str) -> Score:
        """The score at an address; KeyError if the scorecard has none there."""
        for score in self.scores:
            if score.slice == slice_ and score.metric == metric:
                return score
        raise KeyError((slice_, metric))


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """First minus second on common draws.

    Attributes:
        probability_better: share of draws above zero plus half the ties.
        unresolved: the interval spans zero.
    """

    slice: str
    metric: str
    value: float | None
    reason: str | None = None
    interval: Interval | None = None
    interval_reason: str | None = None
    probability_better: float | None = None
    unresolved: bool | None = None


def flat(score: Score | Difference) -> dict[str, Any]:
    """JSON form of a score with its bounds beside the value (`low`, `high`)."""
    fields: dict[str, Any] = msgspec.to_builtins(score)
    interval = fields.pop("interval")
    fields["low"] = interval["low"] if interval else None
    fields["high"] = interval["high"] if interval else None
    fields["level"] = interval["level"] if interval else None
    fields["method"] = interval["method"] if interval else None
    return fields


def flat_scorecard(card: Scorecard) -> dict[str, Any]:
    """JSON form of a scorecard, its scores flat."""
    fields: dict[str, Any] = msgspec.to_builtins(card)
    fields["scores"] = [flat(score) for score in card.scores]
    return fields
