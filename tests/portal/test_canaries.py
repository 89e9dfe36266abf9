"""The house sends files of its own, sees when they do not come through, and cleans up after."""

from __future__ import annotations

import logging
import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

import evaluator
from evaluator.scorecard import Score as ScoreValue
from portal import services
from portal.benchmarks.models import BenchmarkVersion
from portal.errors import SubmissionNotFound
from portal.evaluations import transitions
from portal.evaluations.models import Evaluation, Event
from portal.exchange.storage import open_store
from portal.services.canaries import KEPT, MAX_UNDER_WAY, SOONER
from portal.services.scoring import score_row
from portal.submissions.models import Submission
from tests import factories
from tests.conftest import Stores

pytestmark = pytest.mark.django_db

EVERY, LATE = 900, 60


@pytest.fixture(autouse=True)
def switched_on(settings: object) -> None:
    settings.CANARY_SECONDS, settings.CANARY_LATE_SECONDS = EVERY, LATE  # type: ignore[attr-defined]


@pytest.fixture
def version(tmp_path: Path, stores: Stores) -> BenchmarkVersion:
    return factories.version(tmp_path, stores)


def canaries() -> list[Submission]:
    rows = Submission.objects.filter(source="CANARY").select_related("track", "system")
    return list(rows.order_by("created_at", "track__position"))


def kinds() -> list[str]:
    told = Event.objects.filter(kind__startswith="canary.").order_by("id")
    return list(told.values_list("kind", flat=True))


def end(submission: Submission, *, value: float = 0.5, code: str = "") -> None:
    """Score the canary with that value, or fail it with that code."""
    evaluation = submission.evaluations.get()
    Evaluation.objects.filter(id=evaluation.id).update(due_at=Now())
    claim = transitions.claim(
        evaluation_id=evaluation.id,
        worker="w",
        evaluator_version=evaluator.__version__,
        lease_seconds=30,
    )
    assert claim is not None
    if code:
        assert transitions.finish_failed(claim, code=code)
        return
    card = ScoreValue(slice="all", metric="recall", value=value, n=1, n_clusters=1)
    assert transitions.finish_scored(
        claim,
        scores=[score_row(card)],
        outcome_digest="0" * 64,
        intervals=Evaluation.Intervals.NONE,
    )


def end_all() -> None:
    for submission in canaries():
        if submission.evaluations.get().status == "QUEUED":
            end(submission)


def let_pass(seconds: float) -> None:
    """Everything that was sent, was sent earlier."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE submissions_submission DISABLE TRIGGER submission_stays")
        Submission.objects.update(created_at=F("created_at") - timedelta(seconds=seconds))
        cursor.execute("ALTER TABLE submissions_submission ENABLE TRIGGER submission_stays")
    Evaluation.objects.update(finished_at=F("finished_at") - timedelta(seconds=seconds))


def test_opening_sends_one_down_each_track(version: BenchmarkVersion) -> None:
    sent = canaries()
    assert [submission.track.slug for submission in sent] == list(factories.TRACKS)
    (system,) = {submission.system for submission in sent}
    assert (system.kind, system.team, system.slug) == ("canary", None, "house-canary")
    for submission in sent:
        assert (submission.visibility, submission.team, submission.created_by) == (
            "PRIVATE",
            None,
            None,
        )
        assert submission.evaluations.get().priority == Evaluation.Priority.ENTRANT
        assert open_store("uploads").exists(submission.file_digest)


def test_switched_off_nothing_is_sent(tmp_path: Path, stores: Stores, settings: object) -> None:
    settings.CANARY_SECONDS = 0  # type: ignore[attr-defined]
    factories.version(tmp_path, stores)
    assert services.send_canaries() == 0
    assert services.watch_canaries() == 0
    assert canaries() == []
    assert [(state.version, state.state) for state in services.canaries()] == [
        ("tiny-hoi@1", "none")
    ]


def test_version_that_was_opened_before_gets_its_canaries_later(
    tmp_path: Path, stores: Stores, settings: object
) -> None:
    settings.CANARY_SECONDS = 0  # type: ignore[attr-defined]
    content = factories.bundle()
    version = factories.version(tmp_path, stores, content)
    settings.CANARY_SECONDS = EVERY  # type: ignore[attr-defined]
    assert services.send_canaries() == 0  # housekeeping reads no questions
    with stores.acting_as("maintain"):
        call_command("make_canaries")
        assert len(canaries()) == len(factories.TRACKS)
        call_command("make_canaries", "tiny-hoi@1")
        factories.version(tmp_path, stores, content)
    assert len(canaries()) == len(factories.TRACKS)
    assert services.make_canaries(version_id=version.id) == 0


def test_loading_again_makes_up_for_a_missing_canary(
    tmp_path: Path, stores: Stores, settings: object
) -> None:
    settings.CANARY_SECONDS = 0  # type: ignore[attr-defined]
    folder = factories.folder(tmp_path)
    with stores.acting_as("maintain"):
        services.load_bundle(folder=folder, actor="maintainer", open_now=True)
        settings.CANARY_SECONDS = EVERY  # type: ignore[attr-defined]
        services.load_bundle(folder=folder, actor="maintainer", open_now=True)
    assert len(canaries()) == len(factories.TRACKS)


def test_tracks_take_turns_and_nothing_is_read_for_it(
    version: BenchmarkVersion, stores: Stores
) -> None:
    with Stores(stores.folder / "none").acting_as("web"):
        for _ in range(3):
            end_all()
            assert services.send_canaries() == 0
            let_pass(EVERY)
            assert services.send_canaries() == 1
            assert services.send_canaries() == 0
    sent = canaries()
    tracks = [submission.track.slug for submission in sent]
    assert tracks == [*factories.TRACKS, *factories.TRACKS, factories.TRACKS[0]]
    assert sent[4].file_digest == sent[2].file_digest == sent[0].file_digest


def test_none_is_sent_while_one_is_under_way(version: BenchmarkVersion) -> None:
    let_pass(3 * EVERY)
    assert services.send_canaries() == 0
    end_all()
    assert services.send_canaries() == 1


def test_closed_version_gets_no_more(version: BenchmarkVersion) -> None:
    end_all()
    services.close_version(version_id=version.id, actor="maintainer")
    let_pass(EVERY)
    assert services.send_canaries() == 0
    assert services.canaries() == []


def test_many_versions_are_probed_a_few_at_a_time(tmp_path: Path, stores: Stores) -> None:
    n_versions = MAX_UNDER_WAY + 2
    for number in range(n_versions):
        factories.version(tmp_path, stores, factories.bundle(f"tiny-{number}"))
    end_all()
    let_pass(EVERY)
    assert services.send_canaries() == MAX_UNDER_WAY
    assert services.send_canaries() == 0
    end_all()
    assert services.send_canaries() == 2


def test_late_is_told_once_and_so_is_what_came_through_in_time(
    version: BenchmarkVersion, caplog: pytest.LogCaptureFixture
) -> None:
    assert services.watch_canaries() == 0
    let_pass(LATE + 1)
    assert services.watch_canaries() == len(factories.TRACKS)
    assert services.watch_canaries() == 0
    assert kinds() == ["canary.late"] * len(factories.TRACKS)
    told = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert sorted(record.getMessage() for record in told) == [
        f"canary.late: tiny-hoi@1, track {track} late" for track in sorted(factories.TRACKS)
    ]
    # Through at last, and too late: the road is not well before one comes in time.
    end_all()
    assert services.watch_canaries() == 0
    let_pass(EVERY / SOONER)
    for _ in factories.TRACKS:
        assert services.send_canaries() == 1
        end_all()
        assert services.watch_canaries() == 1
        let_pass(EVERY)
    assert kinds()[len(factories.TRACKS) :] == ["canary.recovered"] * len(factories.TRACKS)


def test_failure_and_rejection_are_told_with_their_reason(version: BenchmarkVersion) -> None:
    first, second = canaries()
    end(first, code="scorer.memory")
    end(second)
    assert services.watch_canaries() == 1
    event = Event.objects.get(kind="canary.failed")
    assert (event.version_id, event.submission_id) == (version.id, first.id)
    assert (event.data["track"], event.data["why"]) == ("all-people", "scorer.memory")
    # The one that failed is sent again, sooner than usual, and the other every second time.
    let_pass(EVERY / SOONER)
    assert services.send_canaries() == 1
    assert canaries()[-1].track.slug == "all-people"
    end_all()
    assert services.watch_canaries() == 1
    assert kinds() == ["canary.failed", "canary.recovered"]


def test_late_and_then_failed_is_two_messages(version: BenchmarkVersion) -> None:
    first, second = canaries()
    end(second)
    let_pass(LATE + 1)
    # Scored in time, as far as the second one goes: it ended before.
    Evaluation.objects.filter(submission=second).update(finished_at=F("queued_at"))
    services.watch_canaries()
    end(first, code="scorer.memory")
    services.watch_canaries()
    services.watch_canaries()
    assert [kind for kind in kinds() if kind != "canary.recovered"][-1] == "canary.failed"
    assert kinds().count("canary.failed") == 1


def test_another_value_under_the_same_evaluator_is_a_failure(version: BenchmarkVersion) -> None:
    end_all()
    assert services.watch_canaries() == 0
    let_pass(EVERY)
    assert services.send_canaries() == 1
    end(canaries()[-1], value=0.5 + 1e-12)  # another machine's last bits
    assert services.watch_canaries() == 0
    let_pass(EVERY)
    services.send_canaries()
    end(canaries()[-1])
    let_pass(EVERY)
    services.send_canaries()
    end(canaries()[-1], value=0.4)
    assert services.watch_canaries() == 1
    assert Event.objects.get(kind="canary.failed").data["why"] == "values"
    # It does not become right by being repeated.
    let_pass(EVERY)
    services.send_canaries()
    end(canaries()[-1])
    let_pass(EVERY)
    services.send_canaries()
    end(canaries()[-1], value=0.4)
    assert services.watch_canaries() == 0
    assert [state.why for state in services.canaries()] == ["values"]


def test_another_evaluator_may_give_other_values(
    version: BenchmarkVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_all()
    let_pass(EVERY)
    monkeypatch.setattr(evaluator, "__version__", "99.0.0")
    services.send_canaries()
    end(canaries()[-1], value=0.4)
    assert services.watch_canaries() == 0


def test_state_of_a_version_is_its_latest_or_what_is_amiss(version: BenchmarkVersion) -> None:
    (state,) = services.canaries()
    assert (state.state, state.at) == ("none", None)
    first, second = canaries()
    end(second)
    (state,) = services.canaries()
    assert (state.version, state.track, state.state) == ("tiny-hoi@1", "target-box", "ok")
    assert state.at == second.created_at
    assert state.seconds is not None and 0 <= state.seconds < LATE
    end(first, code="scorer.memory")
    (state,) = services.canaries()
    assert (state.track, state.state, state.why) == ("all-people", "failed", "scorer.memory")
    assert state.seconds is None


def test_canaries_appear_nowhere_but_in_the_admin(
    version: BenchmarkVersion, stores: Stores
) -> None:
    person = factories.user(is_staff=True)
    end_all()
    assert services.my_submissions(user=person) == []
    assert services.my_systems(user=person, benchmark="tiny-hoi") == []
    board = services.board_document(benchmark="tiny-hoi", version="1", track="all-people").value
    assert board["rows"] == []
    with pytest.raises(SubmissionNotFound):
        services.submission_state(user=person, submission_id=canaries()[0].id)


def test_an_entrant_may_send_the_same_file(version: BenchmarkVersion, stores: Stores) -> None:
    sent = canaries()[0]
    with stores.acting_as("scoring"):
        content = open_store("uploads").get(sent.file_digest)
    accepted = factories.submit(factories.user(), content)
    assert accepted.is_new and accepted.duplicate_of is None


def test_old_ones_go_but_not_the_latest_nor_the_first_scored(version: BenchmarkVersion) -> None:
    for _ in range(6):
        end_all()
        let_pass(EVERY)
        services.send_canaries()
    end_all()
    n_events = Event.objects.count()
    assert services.prune_canaries() == 0
    let_pass(KEPT.total_seconds())
    before = canaries()
    assert len(before) == 8
    assert services.prune_canaries() == 4
    after = canaries()
    assert after == [*before[:2], *before[-2:]]
    assert Evaluation.objects.count() == Submission.objects.count() - 2 + 2
    assert Event.objects.count() == n_events
    assert {submission.file_digest for submission in after} == {
        submission.file_digest for submission in before
    }
    assert services.send_canaries() == 1  # the digests are still known


def test_their_files_are_swept_by_nobody(version: BenchmarkVersion, stores: Stores) -> None:
    end_all()
    let_pass(2 * KEPT.total_seconds())
    assert services.prune_canaries() == 0
    for file in (stores.folder / "uploads").rglob("*"):
        os.utime(file, (0, 0))
    with stores.acting_as("housekeeping"):
        assert services.sweep_uploads().n_deleted == 0
    assert all(open_store("uploads").exists(sent.file_digest) for sent in canaries())


def test_one_under_way_and_what_entrants_sent_never_go(version: BenchmarkVersion) -> None:
    factories.submit(factories.user())
    let_pass(KEPT.total_seconds())
    n_submissions = Submission.objects.count()
    with connection.cursor() as cursor:
        cursor.execute("SELECT plumbline_prune_canaries('-10 days')")
    assert Submission.objects.count() == n_submissions
