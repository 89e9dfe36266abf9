"""Stability of rankings, each against resampling spelt out in a loop."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.scorecard import Interval
from evaluator.statistics.stability import (
    concentration,
    design_effect,
    equal_cluster_weights,
    independent_interval,
    leave_one_out_weights,
    one_per_cell,
    rank_stability,
    spearman,
    subset_weights,
)

RNG = np.random.Generator(np.random.PCG64(3))


def plain_ranks(values: list[float]) -> list[float]:
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def plain_spearman(first: list[float], second: list[float]) -> float:
    a, b = plain_ranks(first), plain_ranks(second)
    n, mean = len(a), (len(a) + 1) / 2
    both = sum((a[i] - mean) * (b[i] - mean) for i in range(n))
    spread = sum((x - mean) ** 2 for x in a) * sum((x - mean) ** 2 for x in b)
    return both / spread**0.5 if spread else 0.0


def test_spearman_is_the_formula_with_ties() -> None:
    values = np.array([0.5, 0.25, 0.5, 0.125, 0.75])
    resampled = RNG.integers(0, 4, size=(5, 60)) / 4.0
    found = spearman(values, resampled)
    wanted = [plain_spearman(list(values), list(column)) for column in resampled.T]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
    assert spearman(values, values[:, None])[0] == pytest.approx(1.0)
    assert spearman(values, np.zeros((5, 1)))[0] == 0.0


@pytest.mark.parametrize("size", [1, 8, 20])
def test_subsets_are_distinct_clusters_each_as_likely(size: int) -> None:
    weights = subset_weights(20, size, 4000, seed=1)
    assert set(np.unique(weights)) <= {0, 1}
    assert (weights.sum(axis=1) == size).all()
    np.testing.assert_allclose(weights.mean(axis=0), size / 20, atol=0.04)
    assert (weights == subset_weights(20, size, 4000, seed=1)).all()
    with pytest.raises(ValueError, match="21 of 20"):
        subset_weights(20, 21, 1, seed=1)


def test_leaving_one_out_leaves_the_others() -> None:
    weights = leave_one_out_weights(4)
    right, asked = np.array([1, 4, 0, 2]), np.array([2, 5, 3, 2])
    for c in range(4):
        kept = [k for k in range(4) if k != c]
        wanted = sum(right[k] for k in kept) / sum(asked[k] for k in kept)
        assert (weights[c] @ right) / (weights[c] @ asked) == wanted


def test_equal_clusters_average_their_own_shares() -> None:
    right, asked = np.array([1, 4, 0, 2]), np.array([2, 5, 0, 2])
    (weights,) = equal_cluster_weights(asked)
    found = (weights @ right) / (weights @ asked)
    assert found == pytest.approx((1 / 2 + 4 / 5 + 2 / 2) / 3)


def test_rank_stability_is_the_loop() -> None:
    values = np.array([0.6, 0.7, 0.5])
    resampled = values[:, None] + RNG.normal(0, 0.1, size=(3, 500))
    resampled[1, 7] = np.nan  # nothing to count for one system: the repetition goes
    found = rank_stability(values, resampled)
    usable = [column for column in resampled.T if not np.isnan(column).any()]
    rho = [plain_spearman(list(values), list(column)) for column in usable]
    assert found.n == 499
    assert found.mean == pytest.approx(float(np.mean(rho)))
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(rho, [2.5, 97.5])))
    assert found.least == pytest.approx(min(rho))
    led = [column[1] == max(column) for column in usable]
    assert found.leader_retained == pytest.approx(float(np.mean(led)))
    with pytest.raises(ValueError, match="two systems"):
        rank_stability(values[:1], resampled[:1])


def test_one_per_cell_draws_one_question_of_every_cell() -> None:
    cell = np.array([[0, 1], [0, 1], [1, 1], [0, 2], [2, 2], [2, 2]], dtype=np.int32)
    shuffle = RNG.permutation(len(cell))
    correct = np.array([[1, 0, 1, 0, 1, 1], [0, 0, 0, 1, 1, 0]], dtype=bool)
    found = one_per_cell(correct[:, shuffle], cell[shuffle], 4000, seed=2)
    # First system: group 1 is (coin + 1) / 2, group 2 is (0 + 1) / 2.
    assert set(np.unique(found[0])) == {0.5, 0.75}
    assert found[0].mean() == pytest.approx(0.625, abs=0.01)
    # Second: group 1 is 0, group 2 is (1 + coin) / 2.
    assert set(np.unique(found[1])) == {0.25, 0.5}
    assert found[1].mean() == pytest.approx(0.375, abs=0.01)


def test_independent_questions_are_the_loop_over_questions() -> None:
    correct = RNG.random(300) < 0.6
    interval = independent_interval(int(correct.sum()), 300, draws=4000, seed=5)
    loop = [correct[RNG.integers(0, 300, 300)].mean() for _ in range(2000)]
    assert (interval.low, interval.high) == pytest.approx(
        tuple(np.percentile(loop, [2.5, 97.5])), abs=0.01
    )
    wide = Interval(low=0.5, high=0.7, level=0.95, method="percentile")
    assert design_effect(wide, interval) == pytest.approx(0.2 / (interval.high - interval.low))
    sure = independent_interval(300, 300, draws=10, seed=5)
    assert design_effect(wide, sure) is None


def test_concentration_is_counted_by_hand() -> None:
    counts = np.array([[1, 0], [2, 3], [0, 0], [4, 1]])
    found = concentration(counts)
    assert (found.least, found.median, found.most) == (1, 5.0, 5)
    assert (found.n_clusters, found.n_in_every_slice) == (3, 2)
    assert found.largest_share == 1.0
    many = np.arange(1, 21)[:, None]
    assert concentration(many).largest_share == pytest.approx(sum(range(11, 21)) / 210)
    with pytest.raises(ValueError, match="no cluster"):
        concentration(np.zeros((3, 2), dtype=np.int64))
