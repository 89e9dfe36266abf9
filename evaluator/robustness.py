"""How much a ranking and its values hang on the clusters (STATISTICS, section 6).

One address, the outcomes of several systems; what is not defined there is None
with a reason. Nothing here needs truth, so the worker can call it later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.bundle import Benchmark, BootstrapPlan
from evaluator.family import Family, FloatArray, Metric, Slice, WeightArray
from evaluator.outcome import Outcome
from evaluator.scoring import NO_VALUE, family_of, point_values
from evaluator.statistics.bootstrap import checked_weights, draw_weights, values_under
from evaluator.statistics.intervals import interval_of
from evaluator.statistics.stability import (
    SUBSET_SIZES,
    Concentration,
    Stability,
    concentration,
    design_effect,
    equal_cluster_weights,
    independent_interval,
    leave_one_out_weights,
    one_per_cell,
    rank_stability,
    subset_weights,
)

Progress = Callable[[int, int], None]
NO_RANKING = "a ranking wants two systems"
NO_RESAMPLE = "no resample in which every system has a value"
NO_ITEMS = "outcomes keep no single questions, right or wrong, for this metric and slice"
OTHER_ITEMS = "the systems did not answer the same questions"
NO_SIZES = "the metric is no quotient of sums over clusters"
NO_SHARE = "the metric is no share of questions, each right or wrong"
AT_THE_EDGE = "the value is 0 or 1, where resampled questions do not vary"
NO_QUESTIONS = "each question is a cluster of its own"


@dataclass(frozen=True, slots=True)
class Reranking:
    """How far resampled rankings agree with the full one, or why that is not known."""

    stability: Stability | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Subsets:
    """Rankings on `n_clusters` distinct clusters."""

    n_clusters: int
    ranking: Reranking


@dataclass(frozen=True, slots=True)
class Change:
    """What leaving out `cluster` does to the value of outcome `entry`."""

    entry: int
    cluster: str
    value: float


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Rankings without one cluster; the largest change of any value, None without values."""

    ranking: Reranking
    largest_change: Change | None


@dataclass(frozen=True, slots=True)
class SystemRobustness:
    """One system's value, and what it owes to the clusters.

    Attributes:
        equal_clusters: the value if each cluster counted the same.
        design_effect: half-width of its interval over that of independent questions.
    """

    value: float | None
    equal_clusters: float | None
    equal_clusters_reason: str | None
    design_effect: float | None
    design_effect_reason: str | None


@dataclass(frozen=True, slots=True)
class Robustness:
    """All of it at one address; systems in the order given."""

    systems: tuple[SystemRobustness, ...]
    subsets: tuple[Subsets, ...]
    leave_one_out: LeftOut
    one_per_cell: Reranking
    concentration: Concentration | None
    concentration_reason: str | None


def robustness(
    benchmark: Benchmark,
    outcomes: Sequence[Outcome],
    address: tuple[Slice, Metric],
    *,
    draws: int | None = None,
    progress: Progress | None = None,
) -> Robustness:
    """Stability of the ranking, design effects and concentration at an address of all outcomes.

    Args:
        draws: resamples of each kind; None for the version's plan.
        progress: told (rounds done, rounds in all).
    """
    job = _Job(benchmark, outcomes, address, draws)
    sizes = [size for size in SUBSET_SIZES if size < outcomes[0].n_clusters]
    n_rounds = len(sizes) + 3
    subsets = []
    for n_done, size in enumerate(sizes, start=1):
        weights = subset_weights(outcomes[0].n_clusters, size, job.draws, job.plan.seed)
        subsets.append(Subsets(size, job.reranking(job.under(weights))))
        _tell(progress, n_done, n_rounds)
    left_out = job.left_out()
    _tell(progress, n_rounds - 2, n_rounds)
    cells = job.one_per_cell()
    _tell(progress, n_rounds - 1, n_rounds)
    systems = job.systems()
    _tell(progress, n_rounds, n_rounds)
    return Robustness(systems, tuple(subsets), left_out, cells, *job.concentration())


def _tell(progress: Progress | None, n_done: int, n_rounds: int) -> None:
    if progress:
        progress(n_done, n_rounds)


class _Job:
    """What all parts share: outcomes, address, plan, full values (N,)."""

    def __init__(
        self,
        benchmark: Benchmark,
        outcomes: Sequence[Outcome],
        address: tuple[Slice, Metric],
        draws: int | None,
    ) -> None:
        self.family: Family = family_of(benchmark)
        self.plan: BootstrapPlan = benchmark.bootstrap
        self.draws = self.plan.draws if draws is None else draws
        self.outcomes = outcomes
        self.slice, self.metric = address[0].slug, address[1]
        self.address = address
        self.values: FloatArray = np.array(
            [point_values(self.family, outcome, [address])[0] for outcome in outcomes]
        )

    def under(self, weights: WeightArray) -> FloatArray:
        """(N, B) values of all systems."""
        return np.stack([self._under(outcome, weights) for outcome in self.outcomes])

    def _under(self, outcome: Outcome, weights: WeightArray) -> FloatArray:
        values: FloatArray = values_under(self.family, outcome, [self.address], weights)[:, 0]
        return values

    def reranking(self, resampled: FloatArray) -> Reranking:
        """Agreement of (N, B) at the address with the full ranking."""
        sign = 1.0 if self.metric.higher_is_better else -1.0
        return _reranking(sign * self.values, sign * resampled, self.plan.level)

    def left_out(self) -> LeftOut:
        clusters = self.outcomes[0].clusters
        resampled = self.under(leave_one_out_weights(len(clusters)))
        change = resampled - self.values[:, None]
        largest = None
        if not np.isnan(change).all():
            entry, cluster = divmod(int(np.nanargmax(np.abs(change))), len(clusters))
            largest = Change(entry, clusters[cluster], float(change[entry, cluster]))
        return LeftOut(self.reranking(resampled), largest)

    def one_per_cell(self) -> Reranking:
        """One question of each cell, against the same mean over groups of all questions."""
        found = [self.metric.items and self.metric.items(o, self.slice) for o in self.outcomes]
        items = [each for each in found if each is not None]
        if len(items) < len(found) or not items[0].is_right.size:
            return Reranking(None, NO_ITEMS)
        cell = items[0].cell
        if not all(np.array_equal(each.cell, cell) for each in items):
            return Reranking(None, OTHER_ITEMS)
        right = np.stack([each.is_right for each in items])
        groups = np.unique(cell[:, 1])
        whole = np.mean([right[:, cell[:, 1] == group].mean(axis=1) for group in groups], axis=0)
        resampled = one_per_cell(right, cell, self.draws, self.plan.seed)
        return _reranking(whole, resampled, self.plan.level)

    def systems(self) -> tuple[SystemRobustness, ...]:
        weights: WeightArray | None = None
        if self.metric.is_share_of_questions:
            if self.draws == self.plan.draws:
                weights = checked_weights(self.outcomes[0].n_clusters, self.plan)
            else:
                n_clusters = self.outcomes[0].n_clusters
                weights = draw_weights(n_clusters, self.draws, self.plan.seed)
        return tuple(
            SystemRobustness(
                None if np.isnan(value) else float(value),
                *self._equal_clusters(outcome, float(value)),
                *self._design_effect(outcome, float(value), weights),
            )
            for outcome, value in zip(self.outcomes, self.values, strict=True)
        )

    def _equal_clusters(self, outcome: Outcome, value: float) -> tuple[float | None, str | None]:
        if self.metric.sizes is None:
            return None, NO_SIZES
        if np.isnan(value):
            return None, NO_VALUE
        weights = equal_cluster_weights(self.metric.sizes(outcome, self.slice))
        return float(self._under(outcome, weights)[0]), None

    def _design_effect(
        self, outcome: Outcome, value: float, weights: WeightArray | None
    ) -> tuple[float | None, str | None]:
        n_questions, n_clusters = self.metric.count(outcome, self.slice)
        sizes = self.metric.sizes and self.metric.sizes(outcome, self.slice)
        if weights is None or sizes is None or round(sizes.sum()) != n_questions:
            return None, NO_SHARE
        if np.isnan(value):
            return None, NO_VALUE
        if value in (0.0, 1.0):
            return None, AT_THE_EDGE
        plan = self.plan
        clustered, reason, _ = interval_of(
            value,
            self._under(outcome, weights),
            rule=self.metric.interval,
            level=plan.level,
            n_clusters=n_clusters,
        )
        if clustered is None:
            return None, reason
        independent = independent_interval(
            round(value * n_questions),
            n_questions,
            draws=self.draws,
            seed=plan.seed,
            level=plan.level,
        )
        effect = design_effect(clustered, independent)
        return effect, AT_THE_EDGE if effect is None else None

    def concentration(self) -> tuple[Concentration | None, str | None]:
        if self.family.questions_by_cluster is None:
            return None, NO_QUESTIONS
        counts = self.family.questions_by_cluster(self.outcomes[0], self.slice)
        return (concentration(counts), None) if counts.any() else (None, NO_VALUE)


def _reranking(values: FloatArray, resampled: FloatArray, level: float) -> Reranking:
    """Agreement of (N, B) with (N,), higher is better; or why there is none."""
    if len(values) < 2:
        return Reranking(None, NO_RANKING)
    if np.isnan(values).any() or np.isnan(resampled).any(axis=0).all():
        return Reranking(None, NO_RESAMPLE)
    return Reranking(rank_stability(values, resampled, level=level))
