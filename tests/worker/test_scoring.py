"""Scoring a claimed row: faults of stores and database become codes, never wrong scores."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import OperationalError
from django.db.models.functions import Now

from portal import services
from portal.benchmarks.models import BenchmarkVersion
from portal.evaluations.models import Evaluation, Event, Score
from portal.services import ScoringBrief
from tests import factories
from tests.conftest import Stores
from worker import persisting, polling, scoring

# The heartbeat has a connection of its own: what it reads must be committed.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def version(tmp_path: Path, stores: Stores) -> BenchmarkVersion:
    return factories.version(tmp_path, stores)


@pytest.fixture(autouse=True)
def as_worker(version: BenchmarkVersion, stores: Stores) -> Iterator[None]:
    factories.submit(factories.user("ada"), publish=True)
    with stores.acting_as("scoring"):
        yield


def claimed() -> ScoringBrief:
    Evaluation.objects.filter(status="QUEUED").update(due_at=Now())
    brief = services.begin_scoring(worker="test")
    assert brief is not None
    return brief


def evaluation() -> Evaluation:
    return Evaluation.objects.get(submission__source="UPLOAD")


def stored(stores: Stores, name: str) -> Path:
    (place,) = (path for path in (stores.folder / name).rglob("*") if path.is_file())
    return place


def test_claimed_row_is_scored_and_its_outcome_kept(stores: Stores) -> None:
    scoring.score_claimed(claimed())
    row = evaluation()
    assert (row.status, row.intervals) == ("SCORED", "PENDING")
    assert (stores.folder / "outcomes" / row.outcome_digest[:2] / row.outcome_digest).is_file()
    assert Score.objects.get(evaluation=row, slice="all", metric="exact_match").value == 1.0


def test_task_takes_what_waits_and_nothing_twice() -> None:
    row = evaluation()
    scoring.score(str(row.id))
    scoring.score(str(row.id))
    scoring.score("no id at all")
    scoring.score("00000000-0000-4000-8000-000000000000")
    assert evaluation().attempt == 1
    assert Event.objects.filter(evaluation_id=row.id, kind="evaluation.scored").count() == 1


def test_file_cut_in_the_store_is_never_scored(stores: Stores) -> None:
    place = stored(stores, "uploads")
    content = place.read_bytes()
    place.write_bytes(content[: len(content) * 9 // 10])
    scoring.score_claimed(claimed())
    assert (evaluation().status, evaluation().attempt) == ("QUEUED", 1)
    place.write_bytes(content)
    scoring.score_claimed(claimed())
    assert evaluation().status == "SCORED"


def test_file_that_stays_damaged_fails_with_its_code(stores: Stores) -> None:
    stored(stores, "uploads").write_bytes(b"other")
    for _ in range(3):
        scoring.score_claimed(claimed())
    assert (evaluation().status, evaluation().failure_code) == ("FAILED", "infra.file_damaged")


def test_changed_truth_stops_the_scorer(stores: Stores) -> None:
    place = stored(stores, "truth")
    place.write_bytes(place.read_bytes().replace(b'"A"', b'"B"', 1))
    scoring.score_claimed(claimed())
    assert (evaluation().status, evaluation().failure_code) == (
        "FAILED",
        "scorer.version_unusable",
    )


def test_store_away_is_tried_again(stores: Stores) -> None:
    outcomes = stores.folder / "outcomes"
    outcomes.write_text("a file where a folder should be")
    scoring.score_claimed(claimed())
    assert evaluation().status == "QUEUED"
    queued = Event.objects.filter(kind="evaluation.queued").latest("id")
    assert queued.data["code"] == "infra.store"
    outcomes.unlink()
    scoring.score_claimed(claimed())
    assert evaluation().status == "SCORED"


def test_database_that_comes_back_gets_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persisting, "PAUSES", (0.01, 0.01))
    tries = []

    def record() -> bool:
        tries.append(1)
        if len(tries) < 3:
            raise OperationalError("the server closed the connection")
        return True

    assert persisting.persist(record)
    assert len(tries) == 3


def test_progress_that_cannot_be_noted_costs_no_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**_: object) -> bool:
        raise OperationalError("the server closed the connection")

    brief = claimed()
    monkeypatch.setattr(services, "report_progress", away)
    monkeypatch.setattr(scoring.connection, "close", lambda: None)  # the test's own transaction
    scoring._report(brief, 1, 3)
    assert evaluation().status == "RUNNING"


def test_poller_takes_what_no_bell_announced() -> None:
    assert not polling.look()  # a bell may still come
    Evaluation.objects.update(due_at=Now() - timedelta(seconds=polling.OVERDUE_SECONDS + 1))
    assert polling.look()
    assert evaluation().status == "SCORED"
    assert not polling.look()


def test_background_row_lets_those_go_first_who_are_waited_for(stores: Stores) -> None:
    person = factories.user()
    row = evaluation()
    Evaluation.objects.filter(id=row.id).update(priority=Evaluation.Priority.BACKGROUND)
    with stores.acting_as("web"):
        awaited = factories.submit(person, factories.predictions(lambda _: ["A"]))
    brief = services.begin_scoring(evaluation_id=row.id, worker="test")
    assert brief is not None and brief.evaluation_id != row.id
    assert Evaluation.objects.get(id=brief.evaluation_id).submission_id == awaited.id
    brief = services.begin_scoring(evaluation_id=row.id, worker="test")
    assert brief is not None and brief.evaluation_id == row.id
