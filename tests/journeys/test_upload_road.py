"""The road of an upload, walked with a real broker, real workers and real PostgreSQL."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from portal import services
from portal.evaluations.models import Evaluation, Event, Score
from portal.exchange import jobs, queue
from portal.exchange.storage import open_store
from portal.submissions.models import Submission
from tests import factories
from tests.conftest import Process, Start, Stores, wait_until
from tests.servers import Broker

pytestmark = [pytest.mark.journey, pytest.mark.django_db(transaction=True)]

Status = Evaluation.Status
FINAL = {Status.SCORED, Status.REJECTED, Status.FAILED, Status.WITHDRAWN}


@pytest.fixture
def version(broker: str, tmp_path: Path, stores: Stores) -> object:
    return factories.version(tmp_path, stores)


def evaluation_of(submission_id: UUID) -> Evaluation:
    return Evaluation.objects.get(submission_id=submission_id)


def is_scored(submission_id: UUID) -> Callable[[], bool]:
    return lambda: evaluation_of(submission_id).status in FINAL


def starts_of(submission_id: UUID) -> int:
    return Event.objects.filter(submission_id=submission_id, kind="evaluation.started").count()


def test_upload_is_scored_with_intervals(
    version: object, start_worker: Callable[..., Process]
) -> None:
    start_worker()
    person = factories.user()
    accepted = factories.submit(person, publish=True)
    assert accepted.submission["state"] == "waiting"

    def settled() -> bool:
        state = services.submission_state(user=person, submission_id=accepted.id)
        return state["state"] == "scored" and state["intervals"] != "pending"

    wait_until(settled)
    state = services.submission_state(user=person, submission_id=accepted.id)
    assert state["headline"] is not None
    assert state["headline"]["text"] == "100.00"
    assert state["intervals"] == "ready"
    assert evaluation_of(accepted.id).attempt == 1


def test_trivial_rows_are_scored_by_the_worker(
    broker: str, tmp_path: Path, stores: Stores, start_worker: Callable[..., Process]
) -> None:
    factories.version(tmp_path, stores, with_trivial=True)
    start_worker()
    trivial = Evaluation.objects.filter(submission__source="TRIVIAL")
    wait_until(lambda: not trivial.exclude(status=Status.SCORED).exists())
    recalls = Score.objects.filter(
        evaluation__submission__system__slug="all-letters", slice="all", metric="recall"
    )
    assert {score.value for score in recalls} == {1.0}


def test_rejected_file_says_all_its_problems(
    version: object, start_worker: Callable[..., Process]
) -> None:
    start_worker()
    person = factories.user()
    accepted = factories.submit(person, factories.predictions(lambda number: ["Z"]))
    wait_until(is_scored(accepted.id))
    state = services.submission_state(user=person, submission_id=accepted.id)
    assert state["state"] == "rejected"
    assert state["n_problems"] == factories.N_IMAGES
    assert state["problems"][0]["where"] == "/predictions/0/answer/0"
    assert state["scores"] == []


def test_killed_in_mid_score_is_claimed_again_and_scored_once(
    version: object, start_worker: Callable[..., Process]
) -> None:
    accepted = factories.submit(factories.user())
    worker = start_worker()
    wait_until(lambda: evaluation_of(accepted.id).status == Status.RUNNING, step=0.005)
    worker.kill()
    assert evaluation_of(accepted.id).status == Status.RUNNING

    start_worker()
    wait_until(is_scored(accepted.id))
    evaluation = evaluation_of(accepted.id)
    assert (evaluation.status, evaluation.attempt) == (Status.SCORED, 2)
    scored = Event.objects.filter(evaluation_id=evaluation.id, kind="evaluation.scored")
    assert scored.count() == 1
    per_address = Counter(
        Score.objects.filter(evaluation=evaluation).values_list("slice", "metric")
    )
    assert set(per_address.values()) == {1}


def test_worker_stopped_beyond_its_lease_writes_nothing(
    version: object, start_worker: Callable[..., Process]
) -> None:
    accepted = factories.submit(factories.user())
    zombie = start_worker()
    wait_until(lambda: evaluation_of(accepted.id).status == Status.RUNNING, step=0.005)
    os.killpg(zombie.pid, signal.SIGSTOP)
    assert evaluation_of(accepted.id).status == Status.RUNNING

    start_worker()
    wait_until(is_scored(accepted.id))
    before = Evaluation.objects.values().get(submission_id=accepted.id)
    n_events = Event.objects.count()
    os.killpg(zombie.pid, signal.SIGCONT)
    wait_until(lambda: b"lost its claim" in zombie.log.read_bytes())
    after = Evaluation.objects.values().get(submission_id=accepted.id)
    keep = ("status", "attempt", "outcome_digest", "finished_at", "worker")
    assert {name: after[name] for name in keep} == {name: before[name] for name in keep}
    events = Event.objects.order_by("id")[n_events:]
    assert not [event for event in events if event.kind == "evaluation.scored"]


def test_letters_delivered_five_times_make_one_claim(
    version: object, start_worker: Callable[..., Process]
) -> None:
    accepted = factories.submit(factories.user())
    evaluation = evaluation_of(accepted.id)
    for _ in range(5):
        assert queue.post(jobs.SCORE, evaluation.id)
    start_worker()
    wait_until(is_scored(accepted.id))
    wait_until(lambda: queue.n_waiting_letters("score") == 0)
    assert starts_of(accepted.id) == 1


def test_letters_that_name_nothing_do_nothing(
    version: object, start_worker: Callable[..., Process]
) -> None:
    start_worker()
    for text in ("not-an-id", "00000000-0000-4000-8000-000000000000"):
        queue.app.send_task(jobs.SCORE, args=[text], queue="score")
    accepted = factories.submit(factories.user())
    wait_until(is_scored(accepted.id))
    assert evaluation_of(accepted.id).status == Status.SCORED


def test_broker_away_at_submit_delays_and_loses_nothing(
    version: object,
    broker_server: Broker,
    start_worker: Callable[..., Process],
    start_process: Start,
) -> None:
    start_worker()
    broker_server.kill()
    try:
        accepted = factories.submit(factories.user())
        assert accepted.submission["state"] == "waiting"
        # The worker's own look at the table needs no broker at all.
        wait_until(is_scored(accepted.id))
    finally:
        broker_server.start()
    start_process("housekeeping", "worker.housekeeping")
    evaluation = evaluation_of(accepted.id)
    assert evaluation.status == Status.SCORED
    wait_until(lambda: evaluation_of(accepted.id).intervals == Evaluation.Intervals.READY)


def test_sweeper_rings_for_what_nobody_heard(
    version: object,
    broker: str,
    start_worker: Callable[..., Process],
    start_process: Start,
) -> None:
    accepted = factories.submit(factories.user())
    with queue.app.connection_for_write() as bell:
        for name in queue.QUEUES:
            bell.default_channel.queue_purge(name)
    start_process("housekeeping", "worker.housekeeping")
    wait_until(lambda: queue.n_waiting_letters("score"))
    start_worker()
    wait_until(is_scored(accepted.id))


def test_housekeeping_sweeps_uploads_soon_after_its_start(
    version: object, stores: Stores, start_process: Start
) -> None:
    accepted = factories.submit(factories.user())
    uploads = open_store("uploads")
    lost = uploads.put(b"never submitted").digest
    for file in (stores.folder / "uploads").rglob("*"):
        os.utime(file, (0, 0))
    start_process("housekeeping", "worker.housekeeping")
    wait_until(lambda: not uploads.exists(lost))
    assert uploads.exists(Submission.objects.get(id=accepted.id).file_digest)


def test_housekeeping_does_not_start_with_more_keys_than_it_needs(start_process: Start) -> None:
    process = start_process("scoring", "worker.housekeeping")
    wait_until(lambda: process.popen.poll() is not None)
    assert process.popen.returncode != 0
    assert b"starts with 'housekeeping' only" in process.log.read_bytes()
