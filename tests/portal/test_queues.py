"""Large files wait in a queue of their own, and who is waited for goes before the house."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db.models.functions import Now

from portal import services
from portal.evaluations.models import Evaluation
from portal.exchange import jobs, queue
from tests import factories
from tests.conftest import Process, Stores, wait_until
from worker import polling

pytestmark = pytest.mark.django_db(transaction=True)

SMALL = factories.predictions()
LARGE = factories.predictions(lambda _: ["A"]).ljust(len(SMALL) + 1000)


@pytest.fixture
def ids(broker: str, tmp_path: Path, stores: Stores, settings: Any) -> dict[str, UUID]:
    """A small and a large file that wait, by queue."""
    settings.LARGE_FILE_BYTES = len(SMALL) + 500
    factories.version(tmp_path, stores)
    with queue.app.connection_for_write() as bell:
        for name in queue.QUEUES:
            bell.default_channel.queue_purge(name)
    person = factories.user()
    for data in (LARGE, SMALL):
        factories.submit(person, data)
    rows = Evaluation.objects.filter(submission__source="UPLOAD")
    return {row.queue: row.id for row in rows}


def test_row_and_letter_go_to_the_queue_of_the_file(ids: dict[str, UUID]) -> None:
    assert set(ids) == {"score", "large"}
    assert [queue.n_waiting_letters(name) for name in queue.QUEUES] == [1, 1, 0, 0]


def test_a_worker_looks_for_rows_of_its_own_queues_only(
    ids: dict[str, UUID], stores: Stores
) -> None:
    Evaluation.objects.update(due_at=Now())
    assert services.begin_scoring(worker="w", queues=["infer"]) is None
    first = services.begin_scoring(worker="w", queues=["score"])
    assert first is not None and first.evaluation_id == ids["score"]
    assert services.begin_scoring(worker="w", queues=["score", "maintenance"]) is None
    with stores.acting_as("scoring"):
        assert not polling.look(["score"])
    second = services.begin_scoring(worker="w", queues=["large"])
    assert second is not None and second.evaluation_id == ids["large"]


def test_the_sweeper_rings_in_the_queue_of_the_row(ids: dict[str, UUID]) -> None:
    with queue.app.connection_for_write() as bell:
        for name in queue.QUEUES:
            bell.default_channel.queue_purge(name)
    Evaluation.objects.update(due_at=Now() - timedelta(minutes=1))
    assert services.sweep().n_bells == 2
    assert [queue.n_waiting_letters(name) for name in ("score", "large")] == [1, 1]


def test_letters_are_taken_by_priority(
    ids: dict[str, UUID], start_worker: Callable[..., Process]
) -> None:
    for word, priority in (("house", jobs.LAST), ("boards", jobs.LATER), ("entrant", jobs.FIRST)):
        assert queue.post(jobs.SCORE, word, priority=priority)
    log = start_worker().log
    words = ("entrant", "boards", "house")
    wait_until(lambda: all(f"'{word}'".encode() in log.read_bytes() for word in words))
    places = [log.read_bytes().index(f"'{word}'".encode()) for word in words]
    assert places == sorted(places)
