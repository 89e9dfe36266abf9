"""The poller: with the broker away, what was sent still arrives on its board."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models.functions import Now

from portal import services
from portal.benchmarks.models import BenchmarkVersion
from portal.evaluations.models import Evaluation
from portal.exchange import queue
from tests import factories
from tests.conftest import Stores
from worker import polling

# The heartbeat has a connection of its own: what it reads must be committed.
pytestmark = pytest.mark.django_db(transaction=True)

LONG_AGO = timedelta(minutes=1)


@pytest.fixture
def version(tmp_path: Path, stores: Stores) -> BenchmarkVersion:
    return factories.version(tmp_path, stores)


@pytest.fixture
def no_broker() -> Iterator[None]:
    before, queue.app.conf.broker_url = queue.app.conf.broker_url, "redis://127.0.0.1:1/0"
    yield
    queue.app.conf.broker_url = before


def stage(version: BenchmarkVersion, track: str = factories.TRACKS[0]) -> str:
    return services.board_stage(version_id=version.id, track=track)


def test_without_a_broker_a_published_file_arrives_on_its_board(
    version: BenchmarkVersion, stores: Stores, no_broker: None
) -> None:
    factories.submit(factories.user(), publish=True)
    with stores.acting_as("scoring"):
        Evaluation.objects.filter(status="QUEUED").update(due_at=Now() - LONG_AGO)
        assert polling.look()
        Evaluation.objects.filter(status="SCORED").update(finished_at=Now() - LONG_AGO)
        assert polling.look()
        assert not polling.look()
        assert stage(version) == "outdated"
        turns = 0
        while polling.look_at_boards(turns):
            turns += 1
            assert turns < 8
    # The published track takes two steps, the one without rows no more.
    assert turns <= 4
    assert {stage(version, track) for track in factories.TRACKS} == {"complete"}


def test_a_board_that_waits_for_more_holds_up_no_other(
    version: BenchmarkVersion, stores: Stores, no_broker: None
) -> None:
    factories.submit(factories.user(), publish=True)
    with stores.acting_as("scoring"):
        Evaluation.objects.filter(status="QUEUED").update(due_at=Now() - LONG_AGO)
        assert polling.look()  # the intervals are still to come
        for turn in range(4):
            assert polling.look_at_boards(turn)
    first, second = factories.TRACKS
    assert (stage(version, first), stage(version, second)) == ("first look", "complete")


def test_while_the_broker_is_up_boards_are_left_to_letters(
    version: BenchmarkVersion, stores: Stores, broker: str
) -> None:
    assert stage(version) == "outdated"
    with stores.acting_as("scoring"):
        assert not polling.look_at_boards(0)
    assert stage(version) == "outdated"
