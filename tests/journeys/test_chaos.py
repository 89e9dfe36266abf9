"""Parts of a running site are killed at random under load: nothing is lost, nothing counts twice.

A short trial; `make chaos` runs the long one.
"""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from infra.chaos.ledger import Step, claims_of
from infra.chaos.trial import Plan, run

pytestmark = pytest.mark.journey

EVALUATION = "00000000-0000-4000-8000-000000000001"


def test_nothing_is_lost_or_counted_twice(clean_environment: None, tmp_path: Path) -> None:
    plan = Plan(n_kills=10, n_submissions=60, seed=7, least_kills=2, least_interrupted=3)
    report = run(plan, tmp_path)
    assert report.faults == [], report.document
    assert report.document["submitted"] == 60
    assert sum(report.document["final"].values()) == 60
    assert report.document["final"]["rejected"] == 3


def steps(*kinds: str) -> list[Step]:
    return [Step(at=float(number), kind=f"evaluation.{kind}") for number, kind in enumerate(kinds)]


@pytest.mark.parametrize(
    ("kinds", "n_interrupted", "n_double"),
    [
        (("queued", "started", "scored"), 0, 0),
        (("queued", "started", "started", "scored"), 1, 0),
        (("queued", "started", "queued", "started", "rejected"), 1, 0),
        (("queued", "started", "scored", "started", "scored"), 1, 1),
        (("queued", "started", "started", "started", "failed"), 3, 0),
        (("queued", "started", "scored", "failed"), 0, 1),
    ],
)
def test_sums_tell_interrupted_and_double(
    kinds: tuple[str, ...], n_interrupted: int, n_double: int
) -> None:

    claims = claims_of({UUID(EVALUATION): steps(*kinds)}, [])
    assert (claims.n_interrupted, claims.n_double) == (n_interrupted, n_double)


def test_sums_count_the_wait_from_the_last_return() -> None:

    events = {UUID(EVALUATION): [Step(0.0, "evaluation.queued"), Step(50.0, "evaluation.started")]}
    assert claims_of(events, []).slowest_claim == 50.0
    assert claims_of(events, [10.0, 45.0, 60.0]).slowest_claim == 5.0
    assert claims_of(events, [45.0]).longest_wait == 50.0
