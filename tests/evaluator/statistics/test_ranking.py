"""Ranks, rank intervals and unresolved marks against the definitions spelt out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.statistics.intervals import tails
from evaluator.statistics.ranking import MAX_ALL_PAIRS, Ranking, _span_zero, rank_systems

LEVEL = 0.95


def make(n: int, spread: float, draws: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    values = 0.5 + spread * np.arange(n)[::-1]
    shared = generator.normal(0, 0.02, draws)
    return values, values[:, None] + shared + generator.normal(0, 0.01, (n, draws))


def ranked(values: np.ndarray, draws: np.ndarray, **how: bool) -> Ranking:
    return rank_systems(
        values,
        draws,
        recentred=how.get("recentred", False),
        higher_is_better=how.get("higher_is_better", True),
        level=LEVEL,
    )


def test_rank_intervals_follow_the_bands_spelt_out() -> None:
    values, draws = make(6, 0.02)
    ranking = ranked(values, draws)
    n = len(values)
    errors = {}
    largest = np.zeros(draws.shape[1])
    for i in range(n):
        for j in range(i + 1, n):
            gap = draws[i] - draws[j]
            errors[i, j] = gap.std()
            largest = np.maximum(largest, np.abs(gap - (values[i] - values[j])) / errors[i, j])
    critical = np.quantile(largest, LEVEL)
    assert ranking.critical == pytest.approx(critical)
    for i in range(n):
        worse = sum(
            values[i] - values[j] > critical * errors[min(i, j), max(i, j)]
            for j in range(n)
            if j != i
        )
        better = sum(
            values[j] - values[i] > critical * errors[min(i, j), max(i, j)]
            for j in range(n)
            if j != i
        )
        assert (ranking.low[i], ranking.high[i]) == (1 + better, n - worse)
        assert ranking.low[i] <= ranking.rank[i] <= ranking.high[i]
    assert ranking.minimum_detectable == pytest.approx(2.8 * np.median(list(errors.values())))


def test_equal_values_share_a_rank_and_the_next_is_skipped() -> None:
    values = np.array([0.7, 0.7, 0.6])
    draws = values[:, None] + np.random.default_rng(1).normal(0, 0.01, 300)
    assert ranked(values, draws).rank.tolist() == [1, 1, 3]


def test_a_constant_lead_is_resolved_by_the_values() -> None:
    values = np.array([0.7, 0.6])
    draws = values[:, None] + np.random.default_rng(1).normal(0, 0.05, 300)
    ranking = ranked(values, draws)
    assert (ranking.low.tolist(), ranking.high.tolist()) == ([1, 2], [1, 2])


def test_lower_is_better_turns_the_order() -> None:
    values, draws = make(4, 0.05)
    assert ranked(values, draws, higher_is_better=False).rank.tolist() == [4, 3, 2, 1]


def test_one_system_is_first_without_doubt() -> None:
    values, draws = make(1, 0.0)
    ranking = ranked(values, draws)
    assert (ranking.rank[0], ranking.low[0], ranking.high[0]) == (1, 1, 1)
    assert ranking.critical is None


def test_draws_without_a_value_are_left_out_for_all() -> None:
    values, draws = make(3, 0.05)
    holed = draws.copy()
    holed[1, ::7] = np.nan
    kept = np.delete(draws, np.s_[::7], axis=1)
    assert ranked(values, holed).critical == ranked(values, kept).critical


def test_recentring_moves_the_interval_of_a_difference_onto_its_value() -> None:
    values = np.array([0.60, 0.50])
    draws = np.random.default_rng(2).normal(0.0, 0.01, (2, 400)) + 0.4
    assert ranked(values, draws).unresolved[0, 1]
    assert not ranked(values, draws, recentred=True).unresolved[0, 1]


def test_bands_of_recentred_draws_are_those_of_draws_at_their_values() -> None:
    values, draws = make(4, 0.02)
    shift = values - draws.mean(axis=1)
    moved = draws + shift[:, None]
    assert ranked(values, draws, recentred=True).critical == pytest.approx(
        ranked(values, moved).critical
    )


def test_beyond_all_pairs_neighbours_are_still_judged_draw_by_draw() -> None:
    values, draws = make(MAX_ALL_PAIRS + 20, 0.002)
    ranking = ranked(values, draws)
    for i in range(len(values) - 1):
        low, high = np.quantile(draws[i] - draws[i + 1], tails(LEVEL))
        if (
            np.argsort(-draws.mean(axis=1))[i] == i
            and np.argsort(-draws.mean(axis=1))[i + 1] == i + 1
        ):
            assert ranking.unresolved[i, i + 1] == (low <= 0 <= high)
    assert (ranking.low <= ranking.rank).all()
    assert (ranking.rank <= ranking.high).all()


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_draws=st.integers(20, 300),
    offset=st.floats(-3, 3),
    digits=st.integers(0, 3),
)
def test_counting_draws_decides_as_the_quantiles_do(
    seed: int, n_draws: int, offset: float, digits: int
) -> None:
    gap = np.random.default_rng(seed).normal(offset, 1.5, (5, n_draws)).round(digits)
    low, high = np.quantile(gap, tails(LEVEL), axis=1)
    assert _span_zero(gap, LEVEL).tolist() == ((low <= 0) & (high >= 0)).tolist()
