"""What the database itself refuses, whoever asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction

from portal.benchmarks.models import BenchmarkVersion, Track
from portal.evaluations.models import Evaluation, Event, Score
from portal.submissions.models import Submission
from tests import factories
from tests.conftest import Stores

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(tmp_path: Path, stores: Stores) -> BenchmarkVersion:
    return factories.version(tmp_path, stores)


def refused(statement: str, *values: object) -> None:
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)


def test_events_are_never_changed_or_deleted() -> None:
    event = Event.objects.create(kind="test", actor="nobody")
    refused("UPDATE evaluations_event SET kind = 'x'")
    refused("DELETE FROM evaluations_event")
    event.refresh_from_db()
    assert event.kind == "test"


@pytest.fixture
def guarded_truncate() -> Iterator[None]:
    """The trigger that tests switch off to empty tables, switched on."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE evaluations_event ENABLE TRIGGER event_table_stays")
        yield
        cursor.execute("ALTER TABLE evaluations_event DISABLE TRIGGER event_table_stays")


def test_event_table_is_never_emptied(guarded_truncate: None) -> None:
    refused("TRUNCATE evaluations_event")


@pytest.mark.parametrize(
    "change",
    [
        "definition = '{}'",
        "questions_digest = ''",
        "truth_digest = repeat('0', 64)",
        "version = '2'",
        "state = 'DRAFT'",
        "n_questions = 1",
    ],
)
def test_opened_version_never_changes(version: BenchmarkVersion, change: str) -> None:
    refused(f"UPDATE benchmarks_benchmarkversion SET {change} WHERE id = %s", version.id)


def test_tracks_of_an_opened_version_never_change(version: BenchmarkVersion) -> None:
    refused("UPDATE benchmarks_track SET answers = 'hidden'")
    refused("DELETE FROM benchmarks_track")
    with pytest.raises(IntegrityError), transaction.atomic():
        Track.objects.create(version=version, slug="more", title="More", answers="public")


def test_draft_version_may_still_change(tmp_path: Path, stores: Stores) -> None:
    draft = factories.version(tmp_path, stores, is_open=False)
    BenchmarkVersion.objects.filter(id=draft.id).update(n_questions=1)
    Track.objects.filter(version=draft).update(note="box public")


def test_closed_version_stays_closed(version: BenchmarkVersion) -> None:
    BenchmarkVersion.objects.filter(id=version.id).update(state="CLOSED")
    refused("UPDATE benchmarks_benchmarkversion SET state = 'OPEN'")


def test_content_of_a_submission_never_changes(version: BenchmarkVersion) -> None:
    accepted = factories.submit(factories.user())
    rows = Submission.objects.filter(id=accepted.id)
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.update(file_digest="0" * 64)
    other = version.tracks.get(slug="target-box")
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.update(track=other)


@pytest.mark.parametrize("status", ["SCORED", "REJECTED", "FAILED"])
def test_waiting_evaluation_cannot_be_finished_unclaimed(
    version: BenchmarkVersion, status: str
) -> None:
    accepted = factories.submit(factories.user())
    with pytest.raises(IntegrityError), transaction.atomic():
        Evaluation.objects.filter(submission_id=accepted.id).update(
            status=status, n_problems=1, failure_code="infra.store"
        )


def test_score_is_a_number_or_a_reason(version: BenchmarkVersion) -> None:
    accepted = factories.submit(factories.user())
    evaluation = Evaluation.objects.get(submission_id=accepted.id)
    for value, reason in ((float("nan"), ""), (None, ""), (0.5, "both"), (float("inf"), "")):
        with pytest.raises(IntegrityError), transaction.atomic():
            Score.objects.create(
                evaluation=evaluation, slice="all", metric="f1", value=value, reason=reason
            )
