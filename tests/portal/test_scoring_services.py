"""Claiming and recording: once, fenced, with the database's clock, each change with its event."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.db.models.functions import Now

import evaluator
from evaluator.errors import PredictionsInvalid, Problem
from evaluator.scorecard import Interval, Score, Scorecard
from portal import services
from portal.errors import EvaluationNotFound
from portal.evaluations import transitions
from portal.evaluations.models import Evaluation, Event
from portal.evaluations.models import Score as ScoreRow
from portal.services import IntervalsBrief, ScoringBrief
from portal.services.queueing import queue_evaluation
from tests import factories
from tests.conftest import Stores

pytestmark = pytest.mark.django_db

Status = Evaluation.Status
CARD = Scorecard(
    benchmark="tiny-hoi@1",
    track="all-people",
    rules="paper",
    evaluator=evaluator.__version__,
    draws=0,
    seed=1,
    level=0.95,
    scores=(
        Score(slice="all", metric="macro_f1", value=0.5, n=6, n_clusters=12),
        Score(slice="rare", metric="macro_f1", value=None, reason="nothing to count"),
    ),
)
INVALID = PredictionsInvalid([Problem("VALUE", "/predictions/0", "Z", "one of A, B, C, D")])


@pytest.fixture(autouse=True)
def submitted(tmp_path: Path, stores: Stores) -> None:
    factories.version(tmp_path, stores)
    factories.submit(factories.user("ada"), publish=True)


def claimed() -> ScoringBrief:
    brief = services.begin_scoring(worker="test")
    assert brief is not None
    return brief


def evaluation() -> Evaluation:
    return Evaluation.objects.get(submission__source="UPLOAD")


def expire_lease() -> None:
    Evaluation.objects.filter(status=Status.RUNNING).update(
        lease_until=Now() - timedelta(seconds=1)
    )


def record(brief: ScoringBrief) -> bool:
    return services.record_scorecard(
        evaluation_id=brief.evaluation_id,
        attempt=brief.attempt,
        card=CARD,
        outcome_digest="0" * 64,
        intervals_follow=True,
    )


def test_claim_holds_until_the_lease_ends() -> None:
    brief = claimed()
    assert (brief.attempt, brief.track, brief.trivial) == (1, "all-people", "")
    assert services.begin_scoring(worker="other") is None
    assert services.begin_scoring(evaluation_id=brief.evaluation_id, worker="other") is None
    expire_lease()
    again = services.begin_scoring(evaluation_id=brief.evaluation_id, worker="other")
    assert again is not None and again.attempt == 2


def test_row_that_another_of_this_evaluator_replaced_is_passed_over() -> None:
    old = evaluation()
    Evaluation.objects.filter(id=old.id).update(evaluator_version="0.0.1")
    new = queue_evaluation(old.submission, actor="maintainer")
    Evaluation.objects.update(due_at=Now() - timedelta(seconds=5))
    assert services.begin_scoring(evaluation_id=old.id, worker="test") is None
    assert claimed().evaluation_id == new.id
    assert services.begin_scoring(worker="test") is None
    this = evaluator.__version__
    assert transitions.claimable(evaluator_version=this, overdue_seconds=0) == {}


def test_row_of_an_earlier_evaluator_is_scored_by_this_one() -> None:
    Evaluation.objects.filter(status=Status.QUEUED).update(evaluator_version="0.0.1")
    claimed()
    assert evaluation().evaluator_version == evaluator.__version__


def test_unknown_evaluation_is_said() -> None:
    with pytest.raises(EvaluationNotFound):
        services.begin_scoring(evaluation_id=uuid4(), worker="test")


def test_second_delivery_changes_nothing() -> None:
    brief = claimed()
    assert record(brief)
    before = Evaluation.objects.values().get(id=brief.evaluation_id)
    n_events = Event.objects.count()
    assert services.begin_scoring(evaluation_id=brief.evaluation_id, worker="test") is None
    assert not record(brief)
    assert Evaluation.objects.values().get(id=brief.evaluation_id) == before
    assert Event.objects.count() == n_events
    assert ScoreRow.objects.filter(evaluation_id=brief.evaluation_id).count() == 2


def test_zombie_writes_nothing() -> None:
    zombie = claimed()
    expire_lease()
    heir = claimed()
    before = Evaluation.objects.values().get(id=heir.evaluation_id)
    old = {"evaluation_id": zombie.evaluation_id, "attempt": zombie.attempt}
    assert not services.extend_lease(**old)
    assert not services.report_progress(**old, done=1, total=3)
    assert not record(zombie)
    assert not services.record_rejection(**old, invalid=INVALID)
    assert not services.record_failure(**old, code="scorer.crashed")
    assert Evaluation.objects.values().get(id=heir.evaluation_id) == before
    assert record(heir)


def test_heartbeat_keeps_the_claim() -> None:
    brief = claimed()
    expire_lease()
    assert services.extend_lease(evaluation_id=brief.evaluation_id, attempt=brief.attempt)
    assert services.begin_scoring(worker="other") is None


def test_scores_and_status_arrive_together() -> None:
    brief = claimed()
    assert record(brief)
    row = evaluation()
    assert (row.status, row.intervals, row.outcome_digest) == ("SCORED", "PENDING", "0" * 64)
    assert row.lease_until is None and row.finished_at is not None
    missing = ScoreRow.objects.get(evaluation=row, slice="rare")
    assert (missing.value, missing.reason) == (None, "nothing to count")


def test_rejection_keeps_all_problems() -> None:
    brief = claimed()
    assert services.record_rejection(
        evaluation_id=brief.evaluation_id, attempt=brief.attempt, invalid=INVALID
    )
    row = evaluation()
    assert (row.status, row.n_problems, row.intervals) == ("REJECTED", 1, "NONE")
    assert row.problems[0]["where"] == "/predictions/0"


def test_fault_of_ours_is_tried_three_times() -> None:
    for attempt in (1, 2, 3):
        Evaluation.objects.filter(status=Status.QUEUED).update(due_at=Now())
        brief = claimed()
        assert brief.attempt == attempt
        services.record_failure(
            evaluation_id=brief.evaluation_id, attempt=attempt, code="scorer.crashed"
        )
        # Not again at once: the next attempt waits a little.
        assert services.begin_scoring(worker="test") is None
    row = evaluation()
    assert (row.status, row.failure_code) == ("FAILED", "scorer.crashed")


def test_service_that_is_away_costs_no_strike_however_often() -> None:
    for attempt in range(1, 9):
        Evaluation.objects.filter(status=Status.QUEUED).update(due_at=Now())
        brief = claimed()
        services.record_failure(
            evaluation_id=brief.evaluation_id, attempt=attempt, code="infra.store"
        )
    row = evaluation()
    assert (row.status, row.strikes, row.setbacks) == ("QUEUED", 0, 8)
    wait = row.due_at - Event.objects.latest("id").at
    assert timedelta(seconds=14) < wait < timedelta(seconds=17)
    Evaluation.objects.update(due_at=Now())
    assert record(claimed())


def test_service_that_stays_away_for_a_day_ends_in_words() -> None:
    Evaluation.objects.update(queued_at=Now() - timedelta(days=1, minutes=1))
    brief = claimed()
    services.record_failure(evaluation_id=brief.evaluation_id, attempt=1, code="infra.store")
    assert (evaluation().status, evaluation().failure_code) == ("FAILED", "infra.store")


def test_what_three_workers_lost_fails_with_a_code() -> None:
    for _ in range(3):
        claimed()
        expire_lease()
    assert services.begin_scoring(worker="test") is None
    assert services.sweep().n_failed == 1
    assert evaluation().failure_code == "infra.worker_lost"
    assert services.sweep().n_failed == 0


def test_last_worker_that_beats_again_is_not_given_up() -> None:
    for _ in range(3):
        brief = claimed()
        expire_lease()
    services.extend_lease(evaluation_id=brief.evaluation_id, attempt=brief.attempt)
    assert services.sweep().n_failed == 0
    assert record(brief)


def test_memory_is_not_tried_again() -> None:
    brief = claimed()
    services.record_failure(
        evaluation_id=brief.evaluation_id, attempt=brief.attempt, code="scorer.memory"
    )
    assert evaluation().status == Status.FAILED


def test_withdrawn_while_running_is_not_recorded() -> None:
    brief = claimed()
    row = evaluation()
    person = row.submission.created_by
    assert person is not None
    services.withdraw_submission(user=person, submission_id=row.submission_id)
    assert not record(brief)
    assert evaluation().status == Status.WITHDRAWN
    assert not ScoreRow.objects.filter(evaluation=row).exists()


def test_intervals_follow_and_values_stay() -> None:
    brief = claimed()
    record(brief)
    work = services.begin_intervals(evaluation_id=brief.evaluation_id)
    assert work is not None and work.outcome_digest == "0" * 64
    assert services.begin_intervals(evaluation_id=brief.evaluation_id) is None
    interval = Interval(low=0.4, high=0.6, level=0.95, method="recentred")
    with_bounds = Scorecard(
        **{
            **{name: getattr(CARD, name) for name in CARD.__struct_fields__},
            "scores": (
                Score(slice="all", metric="macro_f1", value=0.9, interval=interval),
                CARD.scores[1],
            ),
        }
    )
    done = {"evaluation_id": work.evaluation_id, "attempt": work.attempt, "card": with_bounds}
    assert services.record_intervals(**done, draws_digest="1" * 64)
    assert not services.record_intervals(**done, draws_digest="2" * 64)
    score = ScoreRow.objects.get(evaluation_id=brief.evaluation_id, slice="all")
    assert (score.value, score.low, score.high) == (0.5, 0.4, 0.6)
    assert (evaluation().intervals, evaluation().draws_digest) == ("READY", "1" * 64)


def begin_intervals_at_once(evaluation_id: UUID) -> IntervalsBrief | None:
    Evaluation.objects.update(lease_until=None)
    return services.begin_intervals(evaluation_id=evaluation_id)


def test_intervals_that_never_come_are_given_up() -> None:
    brief = claimed()
    record(brief)
    for _ in range(3):
        work = begin_intervals_at_once(brief.evaluation_id)
        assert work is not None
        services.release_intervals(
            evaluation_id=work.evaluation_id, attempt=work.attempt, is_setback=False
        )
        # Not again at once.
        assert services.begin_intervals(evaluation_id=brief.evaluation_id) is None
    assert begin_intervals_at_once(brief.evaluation_id) is None
    assert services.sweep().n_given_up == 1
    assert evaluation().intervals == "NONE"


def test_intervals_outlast_a_store_that_is_away() -> None:
    brief = claimed()
    record(brief)
    for _ in range(5):
        work = begin_intervals_at_once(brief.evaluation_id)
        assert work is not None
        services.release_intervals(
            evaluation_id=work.evaluation_id, attempt=work.attempt, is_setback=True
        )
    assert services.sweep().n_given_up == 0
    assert begin_intervals_at_once(brief.evaluation_id) is not None


def test_intervals_do_not_wait_for_ever_for_a_store() -> None:
    brief = claimed()
    record(brief)
    Evaluation.objects.update(finished_at=Now() - timedelta(days=1, minutes=1))
    for _ in range(3):
        work = begin_intervals_at_once(brief.evaluation_id)
        assert work is not None
        services.release_intervals(
            evaluation_id=work.evaluation_id, attempt=work.attempt, is_setback=True
        )
    assert begin_intervals_at_once(brief.evaluation_id) is None
    assert services.sweep().n_given_up == 1


def test_intervals_are_kept_by_their_heart_and_lost_with_it() -> None:
    brief = claimed()
    record(brief)
    first = begin_intervals_at_once(brief.evaluation_id)
    assert first is not None
    assert services.extend_intervals_lease(evaluation_id=first.evaluation_id, attempt=first.attempt)
    assert services.begin_intervals(evaluation_id=first.evaluation_id) is None
    assert begin_intervals_at_once(brief.evaluation_id) is not None
    assert not services.extend_intervals_lease(
        evaluation_id=first.evaluation_id, attempt=first.attempt
    )


def test_progress_is_shown() -> None:
    brief = claimed()
    services.report_progress(
        evaluation_id=brief.evaluation_id, attempt=brief.attempt, done=1, total=3
    )
    row = evaluation()
    person = row.submission.created_by
    assert person is not None
    state = services.submission_state(user=person, submission_id=row.submission_id)
    assert (state["state"], state["progress"]) == ("running", {"done": 1, "total": 3})


@pytest.mark.parametrize("seed", range(5))
def test_events_equal_state_changes(seed: int) -> None:
    """Whatever happens in whatever order, the log replays to the state of every row."""
    chance = random.Random(seed)
    person = factories.user()
    for number in range(4):
        picked = "ABCD"[number]
        factories.submit(person, factories.predictions(lambda _, letter=picked: [letter]))
    briefs: list[ScoringBrief] = []
    for _ in range(60):
        step = chance.choice(["claim", "score", "reject", "fail", "expire", "sweep", "withdraw"])
        Evaluation.objects.filter(status=Status.QUEUED).update(due_at=Now())
        brief = chance.choice(briefs) if briefs else None
        if step == "claim" or brief is None:
            found = services.begin_scoring(worker="test")
            briefs += [found] if found else []
            continue
        fence = {"evaluation_id": brief.evaluation_id, "attempt": brief.attempt}
        if step == "score":
            record(brief)
        elif step == "reject":
            services.record_rejection(**fence, invalid=INVALID)
        elif step == "fail":
            code = chance.choice(["infra.store", "scorer.memory", "scorer.crashed"])
            services.record_failure(**fence, code=code)
        elif step == "expire":
            expire_lease()
        elif step == "sweep":
            services.sweep()
        elif chance.random() < 0.2:
            row = Evaluation.objects.get(id=brief.evaluation_id)
            if row.submission.created_by is not None:
                services.withdraw_submission(
                    user=row.submission.created_by, submission_id=row.submission_id
                )
    for row in Evaluation.objects.filter(submission__source="UPLOAD"):
        state, attempt = None, 0
        for event in Event.objects.filter(evaluation_id=row.id, data__has_key="after"):
            assert event.data["before"] == state
            state, attempt = event.data["after"], event.data["attempt"]
        assert (state, attempt) == (row.status, row.attempt)
