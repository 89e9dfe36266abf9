"""The log tells exactly what happened: every change of state once, in order, and nothing else."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.db import transaction
from django.db.models.functions import Now
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluator.scorecard import Score
from portal.accounts.models import User
from portal.evaluations import failures, transitions
from portal.evaluations.models import Evaluation, Event
from portal.evaluations.transitions import Claim
from portal.services.scoring import score_row
from tests import factories
from tests.conftest import Stores

pytestmark = pytest.mark.django_db

SCORES = [Score(slice="all", metric="recall", value=0.5, n=1, n_clusters=1)]
CODES = sorted(failures.FAILURES)

# (what, which of the two rows, which of its attempts: 0 the latest, 1 the one before, and so on)
STEPS = st.tuples(
    st.sampled_from(
        ["claim", "expire", "extend", "progress", "score", "reject", "withdraw", "sweep", *CODES]
    ),
    st.integers(0, 1),
    st.integers(0, 2),
)


@pytest.fixture
def person(tmp_path: Path, stores: Stores) -> User:
    factories.version(tmp_path, stores)
    return factories.user()


def state_of(evaluation_id: UUID) -> tuple[str, int]:
    row = Evaluation.objects.get(id=evaluation_id)
    return row.status, row.attempt


def take(what: str, evaluation_id: UUID, attempt: int) -> None:
    """One step of a worker, a person or the sweeper, on the row as it is."""
    claim = Claim(evaluation_id, attempt)
    match what:
        case "claim":
            Evaluation.objects.filter(id=evaluation_id, status="QUEUED").update(due_at=Now())
            transitions.claim(
                evaluation_id=evaluation_id,
                worker="w",
                evaluator_version=Evaluation.objects.get(id=evaluation_id).evaluator_version,
                lease_seconds=30,
            )
        case "expire":
            past = Now() - timedelta(seconds=1)
            Evaluation.objects.filter(id=evaluation_id, status="RUNNING").update(lease_until=past)
        case "extend":
            transitions.extend_lease(claim, lease_seconds=30)
        case "progress":
            transitions.report_progress(claim, done=1, total=3)
        case "score":
            transitions.finish_scored(
                claim,
                scores=[score_row(score) for score in SCORES],
                outcome_digest="",
                intervals=Evaluation.Intervals.NONE,
            )
        case "reject":
            transitions.finish_rejected(claim, problems=[{"code": "EMPTY"}], n_problems=1)
        case "withdraw":
            row = Evaluation.objects.get(id=evaluation_id)
            transitions.withdraw_unfinished(row.submission_id, actor="ada")
        case "sweep":
            transitions.fail_abandoned()
        case code:
            transitions.finish_failed(claim, code=code)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=st.lists(STEPS, min_size=1, max_size=25))
def test_events_are_the_changes_of_state_and_nothing_else(
    person: User, steps: list[tuple[str, int, int]]
) -> None:
    with transaction.atomic():
        rows = [
            factories.submit(person, factories.predictions(lambda _, letter=letter: [letter]))
            for letter in "AB"
        ]
        ids = [Evaluation.objects.get(submission_id=row.id).id for row in rows]
        seen = {row: [(None, *state_of(row))] for row in ids}  # before, after, attempt
        for what, which, back in steps:
            row = ids[which]
            before = {id_: state_of(id_) for id_ in ids}
            take(what, row, before[row][1] - back)
            for id_ in ids:
                if (after := state_of(id_)) != before[id_]:
                    seen[id_].append((before[id_][0], *after))
        for id_ in ids:
            told = [
                (event.data["before"], event.data["after"], event.data["attempt"])
                for event in Event.objects.filter(evaluation_id=id_).order_by("id")
            ]
            assert told == seen[id_]
            row_now = Evaluation.objects.get(id=id_)
            assert row_now.scores.exists() == (row_now.status == "SCORED")
        transaction.set_rollback(True)
