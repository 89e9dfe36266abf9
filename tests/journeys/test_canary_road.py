"""Canaries on the real road, with real housekeeping: sent, scored, missed, and well again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from portal import services
from portal.evaluations.models import Evaluation, Event
from tests import factories
from tests.conftest import Process, Start, Stores, wait_until
from tests.mailbox import Mailbox, running_mailbox

pytestmark = [pytest.mark.journey, pytest.mark.django_db(transaction=True)]

EVERY, LATE = 2, 4
SWITCHES = {"PLUMBLINE_CANARY_SECONDS": str(EVERY), "PLUMBLINE_CANARY_LATE_SECONDS": str(LATE)}


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with running_mailbox() as server:
        yield server


def scored() -> int:
    canaries = Evaluation.objects.filter(submission__source="CANARY")
    return canaries.filter(status=Evaluation.Status.SCORED).count()


def state() -> str:
    (canary,) = services.canaries()
    return canary.state


def test_canaries_go_the_whole_road_and_are_missed_when_they_do_not(
    broker: str,
    tmp_path: Path,
    stores: Stores,
    settings: Any,
    mailbox: Mailbox,
    start_worker: Callable[..., Process],
    start_process: Start,
) -> None:
    settings.CANARY_SECONDS, settings.CANARY_LATE_SECONDS = EVERY, LATE
    worker = start_worker()
    wait_until(services.list_present)
    factories.version(tmp_path, stores)
    start_process(
        "housekeeping",
        "worker.housekeeping",
        extra={
            **SWITCHES,
            "PLUMBLINE_EMAIL_URL": f"smtp://127.0.0.1:{mailbox.port}",
            "PLUMBLINE_ADMINS": "admin@example.org",
        },
    )
    # The first of each track, and one more that housekeeping sends without any store.
    wait_until(lambda: scored() > len(factories.TRACKS))
    wait_until(lambda: state() == "ok")
    canaries = Evaluation.objects.filter(submission__source="CANARY", status="SCORED")
    assert {(row.intervals, row.answers_digest) for row in canaries} == {("NONE", "")}
    board = services.board_document(benchmark="tiny-hoi", version="1", track="all-people").value
    assert board["rows"] == []

    worker.kill()
    before = Event.objects.latest("id").id
    news = Event.objects.filter(id__gt=before)
    wait_until(lambda: news.filter(kind="canary.late").exists())
    assert state() == "late"

    start_worker()
    wait_until(lambda: news.filter(kind="canary.recovered").exists())
    wait_until(lambda: state() == "ok")
    assert not Event.objects.filter(kind="canary.failed").exists()
    wait_until(lambda: mailbox.received)
    assert "the canary did not come through" in mailbox.received[0].replace("=\n", "")
