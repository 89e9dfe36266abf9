"""Intervals of 18 systems and 153 pairs, against the resampling loop spelt out."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.bootstrap import METRICS, is_bit_equal, ours, spelt_out

WORKLOAD = Path(__file__).parents[3] / "../shared/bench/bootstrap"


@pytest.mark.skipif(not WORKLOAD.is_dir(), reason="../shared/bench/bootstrap is absent")
def test_every_bound_is_the_loops_to_the_last_bit() -> None:
    loop, systems = spelt_out(WORKLOAD.resolve(), draws=250)
    mine = ours(systems, draws=250)
    for metric in METRICS:
        assert mine.systems[metric].shape == (2, 18)
        assert mine.pairs[metric].shape == (2, 153)
    assert is_bit_equal(mine, loop)
