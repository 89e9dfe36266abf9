"""Outcomes ranked at one address, with what their common draws can tell apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.bundle import Benchmark
from evaluator.family import FloatArray, Metric, Slice
from evaluator.outcome import Outcome
from evaluator.scorecard import Interval
from evaluator.scoring import NO_VALUE, family_of, point_values
from evaluator.statistics.bootstrap import checked_weights, draw_weights, values_under
from evaluator.statistics.intervals import interval_of
from evaluator.statistics.ranking import rank_systems


@dataclass(frozen=True, slots=True)
class Standing:
    """One outcome's place.

    Attributes:
        entry: index of the outcome in the order given.
        reason: why there is no value, or no interval.
        rank: None without a value.
        low, high: the rank interval; None where there is no interval of the value.
        unresolved_from_next: its difference to the next one spans zero.
    """

    entry: int
    value: float | None
    interval: Interval | None
    reason: str | None
    rank: int | None
    low: int | None
    high: int | None
    unresolved_from_next: bool


@dataclass(frozen=True, slots=True)
class Standings:
    """All outcomes, best first, those without a value last."""

    places: tuple[Standing, ...]
    minimum_detectable: float | None


def rank_outcomes(
    benchmark: Benchmark,
    track: str,
    outcomes: Sequence[Outcome],
    address: tuple[Slice, Metric],
    *,
    draws: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Standings:
    """Ranks, rank intervals and unresolved marks at an address that all outcomes define.

    Args:
        draws: None for the version's plan.
        progress: told (outcomes drawn, outcomes in all).
    """
    family = family_of(benchmark)
    slice_, metric = address
    plan = benchmark.bootstrap
    if draws is None or draws == plan.draws:
        weights = checked_weights(outcomes[0].n_clusters, plan)
    else:
        weights = draw_weights(outcomes[0].n_clusters, draws, plan.seed)
    scores = []
    for n_done, outcome in enumerate(outcomes, start=1):
        value = float(point_values(family, outcome, [address])[0])
        drawn = values_under(family, outcome, [address], weights)[:, 0]
        n_clusters = metric.count(outcome, slice_.slug)[1]
        scores.append(_drawn(value, drawn, metric, plan.level, n_clusters))
        if progress:
            progress(n_done, len(outcomes))
    return _standings(scores, metric, plan.level)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A value (NaN for none) with its draws and interval."""

    value: float
    draws: FloatArray
    interval: Interval | None
    reason: str | None


def _drawn(
    value: float, draws: FloatArray, metric: Metric, level: float, n_clusters: int
) -> _Drawn:
    if np.isnan(value):
        return _Drawn(value, draws, None, NO_VALUE)
    interval, reason, _ = interval_of(
        value, draws, rule=metric.interval, level=level, n_clusters=n_clusters
    )
    return _Drawn(value, draws, interval, reason)


def _standings(scores: Sequence[_Drawn], metric: Metric, level: float) -> Standings:
    sign = 1.0 if metric.higher_is_better else -1.0
    values = np.array([score.value for score in scores])
    # Who has no interval has too few draws to be told apart from others.
    sure = [n for n, score in enumerate(scores) if score.interval is not None]
    place_of = {n: place for place, n in enumerate(sure)}
    ranking = rank_systems(
        values[sure],
        np.stack([scores[n].draws for n in sure]) if sure else np.empty((0, 0)),
        recentred=metric.interval == "recentred",
        higher_is_better=metric.higher_is_better,
        level=level,
    )
    n_unsure = int((~np.isnan(values)).sum()) - len(sure)
    order = np.argsort(-sign * values, kind="stable").tolist()  # NaN stands last
    places = []
    for n, below in zip(order, [*order[1:], None], strict=True):
        here, score = place_of.get(n), scores[n]
        is_close = below is not None and score.value == values[below]
        if here is not None and below in place_of:
            is_close = bool(ranking.unresolved[here, place_of[below]])
        is_ranked = not np.isnan(score.value)
        places.append(
            Standing(
                entry=n,
                value=score.value if is_ranked else None,
                interval=score.interval,
                reason=score.reason,
                rank=1 + int((sign * values > sign * score.value).sum()) if is_ranked else None,
                low=None if here is None else int(ranking.low[here]),
                # Each of those without an interval may yet stand above.
                high=None if here is None else int(ranking.high[here]) + n_unsure,
                unresolved_from_next=is_close,
            )
        )
    return Standings(tuple(places), ranking.minimum_detectable)
