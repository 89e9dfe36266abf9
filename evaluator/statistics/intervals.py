"""From draws to an interval (STATISTICS, section 2)."""

from __future__ import annotations

from statistics import NormalDist
from typing import Literal

import numpy as np

from evaluator.family import FloatArray
from evaluator.scorecard import Interval

MAX_DROPPED_SHARE = 0.05  # draws without anything to count
MIN_CLUSTERS = 5


def interval_of(
    value: float,
    draws: FloatArray,
    *,
    rule: Literal["percentile", "recentred"],
    level: float,
    n_clusters: int,
    scale: float = 1.0,
) -> tuple[Interval | None, str | None, int]:
    """The interval of a value, or why there is none, and how many draws were left out.

    Args:
        value: the stored value.
        draws: (B,) values under resampled weights, NaN where nothing counts.
        rule: `recentred` shifts the draws so that their mean is the value.
        n_clusters: clusters that hold something to count.
        scale: the largest value that the metric can have.
    """
    usable = draws[~np.isnan(draws)]
    n_dropped = int(draws.size - usable.size)
    if n_clusters < MIN_CLUSTERS:
        return None, f"fewer than {MIN_CLUSTERS} clusters", n_dropped
    if value in (0.0, scale):
        return wilson(value, n_clusters, level, scale), None, n_dropped
    if n_dropped > MAX_DROPPED_SHARE * draws.size:
        reason = f"{n_dropped} of {draws.size} draws have nothing to count"
        return None, reason, n_dropped
    interval = bounds(value, usable, rule=rule, level=level)
    if value not in interval:
        return None, "the resampled interval does not contain the value", n_dropped
    return interval, None, n_dropped


def tails(level: float) -> tuple[float, float]:
    """Lower and upper quantile of an interval: 0.025 and 0.975, to the last bit, for 0.95."""
    tail = round((1.0 - level) / 2.0, 12)  # 1 - 0.95 alone is off by 4e-17
    return tail, 1.0 - tail


def bounds(
    value: float, usable: FloatArray, *, rule: Literal["percentile", "recentred"], level: float
) -> Interval:
    """Percentile bounds of draws without gaps, recentred on the value where the rule says so."""
    low, high = np.quantile(usable, tails(level))
    if rule == "recentred":
        shift = value - usable.mean()
        low, high = low + shift, high + shift
    return Interval(low=float(low), high=float(high), level=level, method=rule)


def wilson(value: float, n_clusters: int, level: float, scale: float = 1.0) -> Interval:
    """Wilson score interval of a value at either end of [0, scale], on its clusters.

    Resampling cannot see past a value at the edge: every draw repeats it.
    """
    z = NormalDist().inv_cdf(0.5 + level / 2.0)
    reach = scale * z * z / (n_clusters + z * z)
    low, high = (0.0, reach) if value == 0.0 else (scale - reach, scale)
    return Interval(low=low, high=high, level=level, method="wilson")
