"""How much a ranking hangs on the clusters it was measured on (STATISTICS, section 6).

Weights go through `values_under` as those of the bootstrap do; what comes out is
summed up here. Source: ActionLens, appendix L.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.family import FloatArray
from evaluator.scorecard import Interval
from evaluator.statistics.intervals import tails

SUBSET_SIZES = (8, 16, 32, 48)
REPETITIONS = 10_000
N_LARGEST = 10
_BATCH = 500  # repetitions gathered at once


@dataclass(frozen=True, slots=True)
class Stability:
    """Rankings of resampled benchmarks beside the full one.

    Attributes:
        mean: of Spearman's rank correlation with the full ranking.
        low, high: 95 % of the correlations.
        least: the smallest correlation.
        leader_retained: share of resamples led by the full ranking's leader, alone or tied.
        n: resamples in which every system has a value.
    """

    mean: float
    low: float
    high: float
    least: float
    leader_retained: float
    n: int


@dataclass(frozen=True, slots=True)
class Concentration:
    """How questions are spread over clusters.

    Attributes:
        least, median, most: questions of a cluster.
        largest_share: of the questions, the share of the ten largest clusters.
        n_clusters, n_in_every_slice: clusters, and those with a question in each slice.
    """

    least: int
    median: float
    most: int
    largest_share: float
    n_clusters: int
    n_in_every_slice: int


def subset_weights(n_clusters: int, size: int, draws: int, seed: int) -> NDArray[np.int16]:
    """`size` distinct clusters in each row, (B, C) of 0 and 1.

    Raises:
        ValueError: there are not that many clusters.
    """
    if not 0 < size <= n_clusters:
        raise ValueError(f"{size} of {n_clusters} clusters")
    generator = np.random.Generator(np.random.PCG64(seed))
    weights = np.zeros((draws, n_clusters), dtype=np.int16)
    for start in range(0, draws, _BATCH):
        batch = weights[start : start + _BATCH]
        chosen = generator.random(batch.shape).argpartition(size - 1, axis=1)[:, :size]
        np.put_along_axis(batch, chosen, 1, axis=1)
    return weights


def leave_one_out_weights(n_clusters: int) -> NDArray[np.int16]:
    """Row c is without cluster c, (C, C)."""
    return (1 - np.eye(n_clusters, dtype=np.int16)).astype(np.int16)


def equal_cluster_weights(sizes: FloatArray | NDArray[np.int64]) -> FloatArray:
    """One row (1, C) under which each cluster counts the same, whatever its size."""
    weights = np.divide(1.0, sizes, out=np.zeros(sizes.size), where=sizes > 0)
    return weights[None, :]


def one_per_cell(
    correct: NDArray[np.bool_], cell: NDArray[np.int32], repetitions: int, seed: int
) -> FloatArray:
    """Diagnostic-macro scores from one question of each populated cell, (N, R).

    A cell is a cluster and a group of questions. Within a group all its cells
    weigh the same, and so do the groups.

    Args:
        correct: (N, Q) of each system.
        cell: (Q, 2), cluster and group of each question.
    """
    order = np.lexsort((cell[:, 0], cell[:, 1]))
    cells, starts, sizes = np.unique(
        cell[order][:, ::-1], axis=0, return_index=True, return_counts=True
    )
    _, first_cell = np.unique(cells[:, 0], return_index=True)
    n_cells = np.diff(np.append(first_cell, len(cells)))
    generator = np.random.Generator(np.random.PCG64(seed))
    values = np.empty((correct.shape[0], repetitions))
    in_order = correct[:, order].astype(np.float64)
    for start in range(0, repetitions, _BATCH):
        n = min(_BATCH, repetitions - start)
        chosen = starts + (generator.random((n, len(cells))) * sizes).astype(np.int64)
        for system, right in enumerate(in_order):
            by_group = np.add.reduceat(right[chosen], first_cell, axis=1) / n_cells
            values[system, start : start + n] = by_group.mean(axis=1)
    return values


def rank_stability(values: FloatArray, resampled: FloatArray, *, level: float = 0.95) -> Stability:
    """How far resampled rankings agree with the full one.

    Args:
        values: (N,) of the full benchmark, at least two systems; higher is better.
        resampled: (N, R); repetitions in which any system has no value are left out.

    Raises:
        ValueError: no repetition is left, or fewer than two systems.
    """
    usable = resampled[:, ~np.isnan(resampled).any(axis=0)]
    if values.size < 2 or not usable.shape[1]:
        raise ValueError("a ranking wants two systems and a resample in which both have a value")
    rho = spearman(values, usable)
    low, high = np.quantile(rho, tails(level))
    leader = int(values.argmax())
    return Stability(
        mean=float(rho.mean()),
        low=float(low),
        high=float(high),
        least=float(rho.min()),
        leader_retained=float((usable[leader] == usable.max(axis=0)).mean()),
        n=usable.shape[1],
    )


def spearman(values: FloatArray, resampled: FloatArray) -> FloatArray:
    """Spearman's correlation of (N,) with each column of (N, R); ties share their mean rank.

    A column (or `values`) in which all are tied says nothing: its correlation is 0.
    """
    first, second = _ranks(values[:, None]), _ranks(resampled)
    first = first - first.mean(axis=0)
    second = second - second.mean(axis=0)
    spread = np.sqrt((first**2).sum(axis=0) * (second**2).sum(axis=0))
    both: FloatArray = (first * second).sum(axis=0)
    rho: FloatArray = np.divide(both, spread, out=np.zeros_like(both), where=spread > 0)
    return rho


def _ranks(values: FloatArray) -> FloatArray:
    """Mean ranks within each column of (N, R), from 1."""
    order = values.argsort(axis=0, kind="stable")
    ascending = np.take_along_axis(values, order, axis=0)
    place = np.arange(len(values))[:, None]
    differs = ascending[1:] != ascending[:-1]
    edge = np.ones((1, values.shape[1]), dtype=bool)
    first = np.where(np.concatenate([edge, differs]), place, 0)
    last = np.where(np.concatenate([differs, edge]), place, len(values))
    first = np.maximum.accumulate(first, axis=0)
    last = np.minimum.accumulate(last[::-1], axis=0)[::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=0)
    return ranks


def independent_interval(
    n_right: int, n_questions: int, *, draws: int, seed: int, level: float = 0.95
) -> Interval:
    """The percentile interval of a share of questions, were questions independent.

    Resampling questions one by one makes the count of right ones binomial.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    counts = generator.binomial(n_questions, n_right / n_questions, size=draws)
    low, high = np.quantile(counts / n_questions, tails(level))
    return Interval(low=float(low), high=float(high), level=level, method="percentile")


def design_effect(clustered: Interval, independent: Interval) -> float | None:
    """Cluster half-width over half-width with questions independent; None where that is zero."""
    width = independent.high - independent.low
    return (clustered.high - clustered.low) / width if width > 0 else None


def concentration(n_questions: NDArray[np.int64]) -> Concentration:
    """How questions are spread, from their number by cluster and slice, (C, S).

    The slices partition the questions (such as the diagnostics).
    """
    sizes = n_questions.sum(axis=1)
    sizes = np.sort(sizes[sizes > 0])
    if not sizes.size:
        raise ValueError("no cluster holds a question")
    return Concentration(
        least=int(sizes[0]),
        median=float(np.median(sizes)),
        most=int(sizes[-1]),
        largest_share=float(sizes[-N_LARGEST:].sum() / sizes.sum()),
        n_clusters=int(sizes.size),
        n_in_every_slice=int((n_questions > 0).all(axis=1).sum()),
    )
