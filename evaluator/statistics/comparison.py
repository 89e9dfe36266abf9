"""Paired differences and what can be told apart (STATISTICS, section 6)."""

from __future__ import annotations

import numpy as np

from evaluator.family import FloatArray, Metric
from evaluator.scorecard import Difference
from evaluator.statistics.intervals import MAX_DROPPED_SHARE, MIN_CLUSTERS, bounds


def difference_of(
    slice_: str,
    metric: Metric,
    values: tuple[float | None, float | None],
    draws: tuple[FloatArray, FloatArray],
    *,
    level: float,
    n_clusters: int,
) -> Difference:
    """First minus second on common draws, by the metric's interval rule.

    Args:
        values: stored values of the two systems.
        draws: their (B,) values under the same weights, NaN where nothing counts.
        n_clusters: the smaller count of clusters that hold something.
    """
    first, second = values
    if first is None or second is None:
        return Difference(
            slice=slice_, metric=metric.slug, value=None, reason="one of the two has no value"
        )
    value = first - second
    gap = draws[0] - draws[1]
    usable = gap[~np.isnan(gap)]
    n_dropped = gap.size - usable.size
    if n_clusters < MIN_CLUSTERS:
        why = f"fewer than {MIN_CLUSTERS} clusters"
    elif n_dropped > MAX_DROPPED_SHARE * gap.size:
        why = f"{n_dropped} of {gap.size} draws have nothing to count"
    else:
        interval = bounds(value, usable, rule=metric.interval, level=level)
        shift = value - usable.mean() if metric.interval == "recentred" else 0.0
        centred = usable + shift
        better = float(np.mean(centred > 0) + np.mean(centred == 0) / 2)
        return Difference(
            slice=slice_,
            metric=metric.slug,
            value=value,
            interval=interval,
            probability_better=better,
            unresolved=0.0 in interval,
        )
    return Difference(slice=slice_, metric=metric.slug, value=value, interval_reason=why)
