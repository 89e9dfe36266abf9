"""The rules of intervals at their edges."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.bundle import BootstrapPlan
from evaluator.errors import DrawsChanged
from evaluator.statistics.bootstrap import checked_weights, draw_weights, weights_digest
from evaluator.statistics.intervals import interval_of, wilson


def interval(value: float, draws: np.ndarray, rule: str = "percentile", n_clusters: int = 50):  # type: ignore[no-untyped-def]
    return interval_of(value, draws, rule=rule, level=0.95, n_clusters=n_clusters)  # type: ignore[arg-type]


def test_weights_are_the_counts_of_the_index_matrix() -> None:
    n_clusters, draws, seed = 7, 50, 3
    index = np.random.Generator(np.random.PCG64(seed)).integers(
        0, n_clusters, size=(draws, n_clusters), dtype=np.int64
    )
    weights = draw_weights(n_clusters, draws, seed)
    for row in range(draws):
        for cluster in range(n_clusters):
            assert weights[row, cluster] == (index[row] == cluster).sum()
    assert (weights.sum(axis=1) == n_clusters).all()


def test_draws_that_changed_stop_everything() -> None:
    good = weights_digest(7, 50, 3)
    assert checked_weights(7, BootstrapPlan(draws=50, seed=3, weights_sha256=good)).shape == (50, 7)
    with pytest.raises(DrawsChanged, match="maintainer decides"):
        checked_weights(7, BootstrapPlan(draws=50, seed=4, weights_sha256=good))


def test_the_draws_of_today_are_the_draws_of_tomorrow() -> None:
    """A library that changes its stream must not pass unseen."""
    assert weights_digest(64, 1000, 20_260_901).startswith("c09815d1bfa3823b")


def test_recentred_draws_have_the_value_as_their_mean() -> None:
    draws = np.linspace(0.2, 0.4, 1001)
    found, why, dropped = interval(0.5, draws, "recentred")
    assert why is None
    assert dropped == 0
    assert (found.low + found.high) / 2 == pytest.approx(0.5)
    assert found.method == "recentred"


def test_a_percentile_interval_that_misses_its_value_is_withheld() -> None:
    found, why, _ = interval(0.5, np.linspace(0.2, 0.4, 1001))
    assert found is None
    assert "does not contain" in why


@pytest.mark.parametrize(("n_dropped", "given"), [(50, True), (51, False)])
def test_more_than_a_twentieth_of_empty_draws_withholds_the_interval(
    n_dropped: int, given: bool
) -> None:
    draws = np.linspace(0.2, 0.4, 1000)
    draws[:n_dropped] = np.nan
    found, why, dropped = interval(0.31, draws)
    assert dropped == n_dropped
    assert (found is not None) == given
    assert given or "nothing to count" in why


def test_few_clusters_have_no_interval() -> None:
    found, why, _ = interval(0.3, np.linspace(0.2, 0.4, 100), n_clusters=4)
    assert found is None
    assert "clusters" in why


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_value_at_the_edge_gets_a_wilson_interval(value: float) -> None:
    found, _, _ = interval(value, np.full(100, value), n_clusters=20)
    assert found.method == "wilson"
    assert value in found
    assert found.high - found.low == pytest.approx(3.8415 / (20 + 3.8415), abs=1e-4)
    assert wilson(0.0, 20, 0.95).high == pytest.approx(1 - wilson(1.0, 20, 0.95).low)
