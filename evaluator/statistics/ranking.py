"""Ranks that carry their uncertainty (STATISTICS, section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evaluator.family import FloatArray
from evaluator.statistics.intervals import tails

MAX_ALL_PAIRS = 200  # systems for which simultaneous bands run over all pairs
DETECTABLE = 2.8  # standard errors: 5 % two-sided, 80 % power


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranks of N systems at one (slice, metric), in the order given.

    Attributes:
        rank: 1 + number of systems with a better value; equal values share.
        low, high: rank interval from the simultaneous bands.
        unresolved: (N, N), the pair's own 95 % interval spans zero.
        better: (N, N), row is better than column by the simultaneous bands.
        critical: the max-t quantile that the bands use; None below two systems.
        minimum_detectable: 2.8 x median standard error of paired differences.
    """

    rank: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    unresolved: NDArray[np.bool_]
    better: NDArray[np.bool_]
    critical: float | None
    minimum_detectable: float | None


def rank_systems(
    values: FloatArray, draws: FloatArray, *, recentred: bool, higher_is_better: bool, level: float
) -> Ranking:
    """Ranks, rank intervals and unresolved marks of measured systems.

    Args:
        values: (N,) stored values at full precision.
        draws: (N, B) values under common weights; draws in which any system
            has nothing to count are left out for all, so that pairs stay paired.
        recentred: the metric's interval rule.
    """
    sign = 1.0 if higher_is_better else -1.0
    value = sign * np.asarray(values, dtype=np.float64)
    usable = sign * draws[:, ~np.isnan(draws).any(axis=0)]
    n = value.size
    rank = 1 + (value[None, :] > value[:, None]).sum(axis=1)
    if n < 2 or usable.shape[1] < 2:
        nobody = np.zeros((n, n), dtype=bool)
        doubt = ~np.eye(n, dtype=bool)
        ones = np.ones(n, dtype=np.int64)
        return Ranking(rank, ones, ones * n, doubt, nobody, None, None)

    error = pair_errors(usable)
    centre = usable.mean(axis=1) if recentred else value
    critical = max_t_quantile(usable, centre, error, level)
    gap = value[:, None] - value[None, :]
    # A pair without error is a tie or a constant offset: its values decide.
    better = np.where(error > 0, gap > critical * error, gap > 0)
    worse = better.T
    return Ranking(
        rank=rank,
        low=1 + worse.sum(axis=1),
        high=n - better.sum(axis=1),
        unresolved=_unresolved(value, usable, error, recentred=recentred, level=level),
        better=better,
        critical=critical,
        minimum_detectable=_minimum_detectable(error),
    )


def pair_errors(draws: FloatArray) -> FloatArray:
    """Standard errors of all paired differences, (N, N), from the covariance of the draws."""
    centred = draws - draws.mean(axis=1, keepdims=True)
    covariance = centred @ centred.T / draws.shape[1]
    spread = np.diag(covariance)
    square = spread[:, None] + spread[None, :] - 2.0 * covariance
    # Rounding of equal systems leaves dust of about 1e-17 of the variance.
    dust = 1e-12 * np.maximum(spread[:, None] + spread[None, :], 1e-300)
    return np.sqrt(np.where(square > dust, square, 0.0))


def max_t_quantile(draws: FloatArray, centre: FloatArray, error: FloatArray, level: float) -> float:
    """`level` quantile over draws of max over pairs |difference - its value| / its error.

    All pairs up to 200 systems; beyond that neighbours in the order of the
    means, whose bands then hold for neighbours and chosen pairs.

    Args:
        centre: (N,) stored values; of a recentred metric the means of its draws,
            from which the draws are as far as recentred ones are from the values.
    """
    centred = draws - centre[:, None]
    largest = np.zeros(draws.shape[1])
    for i, others in _pairs(draws):
        others = others[error[i, others] > 0]
        if others.size:
            t = np.abs(centred[i] - centred[others]) / error[i, others][:, None]
            np.maximum(largest, t.max(axis=0), out=largest)
    return float(np.quantile(largest, level))


def _pairs(draws: FloatArray) -> list[tuple[int, NDArray[np.int64]]]:
    """The pairs that are looked at draw by draw: a system, and others to hold against it."""
    n = draws.shape[0]
    if n <= MAX_ALL_PAIRS:
        return [(i, np.arange(i + 1, n)) for i in range(n - 1)]
    order = np.argsort(-draws.mean(axis=1), kind="stable")
    return [(int(i), np.array([j])) for i, j in pairwise(order)]


def _unresolved(
    value: FloatArray, draws: FloatArray, error: FloatArray, *, recentred: bool, level: float
) -> NDArray[np.bool_]:
    """(N, N) pairs whose own interval spans zero.

    Beyond 200 systems the intervals of pairs that are no neighbours are taken
    from their standard errors.
    """
    n = value.size
    if n <= MAX_ALL_PAIRS:
        unresolved = np.zeros((n, n), dtype=bool)
    else:
        z = NormalDist().inv_cdf(tails(level)[1])
        unresolved = np.abs(value[:, None] - value[None, :]) <= z * error
        np.fill_diagonal(unresolved, False)
    for i, others in _pairs(draws):
        gap = draws[i] - draws[others]
        if recentred:
            gap += (value[i] - value[others] - gap.mean(axis=1))[:, None]
        spans = _span_zero(gap, level)
        unresolved[i, others] = spans
        unresolved[others, i] = spans
    return unresolved


def _span_zero(gap: FloatArray, level: float) -> NDArray[np.bool_]:
    """Rows of (n, B) whose percentile interval holds zero.

    Counting draws on either side of zero decides all rows but those where
    zero falls between the two order statistics that a bound interpolates.
    """
    n_below, n_above = (gap <= 0).sum(axis=1), (gap >= 0).sum(axis=1)
    rank = int((gap.shape[1] - 1) * tails(level)[0])
    spans: NDArray[np.bool_] = (n_below > rank + 1) & (n_above > rank + 1)
    doubtful = (np.minimum(n_below, n_above) == rank + 1).nonzero()[0]
    if doubtful.size:
        low, high = np.quantile(gap[doubtful], tails(level), axis=1)
        spans[doubtful] = (low <= 0) & (high >= 0)
    return spans


def _minimum_detectable(error: FloatArray) -> float | None:
    pairs = error[np.triu_indices_from(error, k=1)]
    pairs = pairs[pairs > 0]
    return float(DETECTABLE * np.median(pairs)) if pairs.size else None
