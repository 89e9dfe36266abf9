"""Parts of a running site are killed at random under load: nothing is lost, nothing counts twice.

A short trial; `make chaos` runs the long one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from infra.chaos.ledger import Row, Step, claims_of
from infra.chaos.load import Paper
from infra.chaos.sums import faults_of, lost
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


GOOD = {
    "submitted": 60,
    "lost": 0,
    "double": 0,
    "wrong": 0,
    "slowest_claim_after_recovery_seconds": 30.0,
    "kills": {"broker": 5, "postgres": 6},
    "claims_interrupted": 20,
}


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        ({}, ""),
        ({"submitted": 59}, "59 of 60"),
        ({"lost": 1}, "lost"),
        ({"double": 1}, "more than once"),
        ({"wrong": 1}, "differ"),
        ({"slowest_claim_after_recovery_seconds": 30.1}, "30.1 s"),
        ({"kills": {"broker": 4, "postgres": 6}}, "broker was killed 4 times"),
        ({"kills": {"broker": 5}}, "postgres was killed 0 times"),
        ({"claims_interrupted": 19}, "19 claims"),
    ],
)
def test_planted_faults_are_found(planted: dict[str, Any], words: str) -> None:
    found = list(
        faults_of(
            {**GOOD, **planted},
            ["broker", "postgres"],
            n_submissions=60,
            least_kills=5,
            least_interrupted=20,
        )
    )
    assert len(found) == bool(words)
    assert all(words in sentence for sentence in found)


@pytest.mark.parametrize(
    ("is_sound", "status", "intervals", "is_lost"),
    [
        (True, "SCORED", "READY", False),
        (True, "SCORED", "PENDING", True),
        (True, "SCORED", "NONE", True),
        (True, "REJECTED", "NONE", True),
        (True, "RUNNING", "PENDING", True),
        (True, "FAILED", "NONE", False),
        (False, "REJECTED", "NONE", False),
        (False, "SCORED", "READY", True),
    ],
)
def test_what_counts_as_lost(is_sound: bool, status: str, intervals: str, is_lost: bool) -> None:
    paper = Paper(1, b"", is_sound)
    row = Row("id", paper.key, UUID(EVALUATION), status, intervals)
    assert bool(lost({1: "id"}, [row], [paper])) == is_lost
    assert lost({1: "another"}, [row], [paper]) == [1]
    assert lost({}, [row], [paper]) == [1]
