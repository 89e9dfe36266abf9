"""Quotas: what counts, what is free, and how much is left; counted by the database's clock."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from evaluator.errors import PredictionsInvalid, Problem
from portal import services
from portal.accounts.models import User
from portal.benchmarks.models import BenchmarkVersion
from portal.errors import QuotaSpent
from portal.evaluations.models import Evaluation, Event
from portal.exchange.storage import open_store
from portal.services import quotas
from portal.services.values import Accepted
from portal.submissions.models import Submission
from tests import factories
from tests.conftest import Stores
from tests.factories import MIDNIGHT, moved

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def version(tmp_path: Path, stores: Stores, settings: Any) -> BenchmarkVersion:
    settings.QUOTA_PER_DAY = 2
    settings.QUOTA_IN_ALL = 3
    return factories.version(tmp_path, stores)


@pytest.fixture
def person() -> User:
    return factories.user("ada")


def send(person: User, number: int, **more: str) -> Accepted:
    """A file unlike those of other numbers."""
    letters = ["ABCD"[number // 4**place % 4] for place in range(factories.N_IMAGES)]
    track = more.get("track", factories.TRACKS[0])
    data = factories.predictions(lambda image: [letters[image]], track=track)
    return factories.submit(person, data, **more)  # type: ignore[arg-type]  # texts


def left(person: User) -> tuple[int | None, int | None]:
    quota = services.my_quota(user=person, benchmark="tiny-hoi")
    return quota["left_today"], quota["left_in_all"]


def claim() -> services.ScoringBrief:
    brief = services.begin_scoring(worker="test")
    assert brief is not None
    return brief


def reject() -> None:
    brief = claim()
    problem = Problem("VALUE", "/predictions/0", "Z", "one of A, B, C, D")
    services.record_rejection(
        evaluation_id=brief.evaluation_id,
        attempt=brief.attempt,
        invalid=PredictionsInvalid([problem]),
    )


def fail() -> None:
    brief = claim()
    services.record_failure(
        evaluation_id=brief.evaluation_id, attempt=brief.attempt, code="scorer.memory"
    )


def score() -> None:
    """As a worker would leave it; what the numbers are is no matter."""
    brief = claim()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE evaluations_evaluation SET status = 'SCORED', lease_until = NULL, "
            "finished_at = now() WHERE id = %s",
            [brief.evaluation_id],
        )


def clock() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        found = cursor.fetchone()
    assert found is not None
    return found[0]  # type: ignore[no-any-return]  # a row of one time


def test_waiting_running_and_scored_files_count(person: User) -> None:
    assert left(person) == (2, 3)
    send(person, 1)
    assert left(person) == (1, 2)
    claim()
    assert left(person) == (1, 2)
    send(person, 2)
    score()
    assert left(person) == (0, 1)


def test_a_spent_day_is_refused_until_midnight_of_the_database(person: User) -> None:
    for number in (1, 2):
        send(person, number)
    with pytest.raises(QuotaSpent) as refused:
        send(person, 3)
    now = clock()
    tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    assert f"taken from {tomorrow:%Y-%m-%d} 00:00:00 UTC" in refused.value.detail
    assert refused.value.status == 429
    assert refused.value.code == "policy.quota"
    assert refused.value.retry_after is not None
    assert abs(refused.value.retry_after - (tomorrow - now).total_seconds()) < 10
    assert Submission.objects.filter(team__isnull=False).count() == 2


def test_the_day_ends_at_midnight_of_the_database(person: User) -> None:
    first, second = send(person, 1), send(person, 2)
    moved(first.id, f"{MIDNIGHT} - interval '100 milliseconds'")
    moved(second.id, f"{MIDNIGHT} + interval '100 milliseconds'")
    assert left(person) == (1, 1)
    send(person, 3)
    assert left(person) == (0, 0)


def test_a_spent_version_takes_no_more_on_any_day(person: User) -> None:
    for number in range(3):
        accepted = send(person, number)
        moved(accepted.id, f"{MIDNIGHT} - interval '{number + 1} days'")
    with pytest.raises(QuotaSpent) as refused:
        send(person, 4)
    assert "takes no more" in refused.value.detail
    assert refused.value.retry_after is None


@pytest.mark.parametrize("end", [reject, fail])
def test_rejections_and_our_failures_give_it_back(person: User, end: object) -> None:
    send(person, 1)
    end()  # type: ignore[operator]  # one of the two above
    assert left(person) == (2, 3)


def test_what_is_withdrawn_before_its_score_is_free_and_after_it_is_not(person: User) -> None:
    first, second = send(person, 1), send(person, 2)
    score()
    for accepted in (first, second):
        services.withdraw_submission(user=person, submission_id=accepted.id)
    assert left(person) == (1, 2)


def test_the_same_file_or_key_uses_nothing_even_when_all_is_spent(person: User) -> None:
    send(person, 1, key="once")
    send(person, 2)
    assert left(person) == (0, 1)
    assert not send(person, 1, key="once").is_new
    assert not send(person, 2).is_new
    assert left(person) == (0, 1)


def test_tracks_share_a_quota_and_teams_and_versions_do_not(
    person: User, tmp_path: Path, stores: Stores
) -> None:
    factories.version(tmp_path, stores, factories.bundle(version="2"))
    send(person, 1)
    send(person, 1, track="target-box")
    with pytest.raises(QuotaSpent):
        send(person, 2)
    other = factories.predictions(address="tiny-hoi@2")
    assert factories.submit(person, other, benchmark="tiny-hoi@2").is_new
    assert send(factories.user(), 3).is_new


def test_a_version_may_have_limits_of_its_own(person: User, version: BenchmarkVersion) -> None:
    services.set_quota(version_id=version.id, per_day=1, in_all=0, actor="mia")
    assert left(person) == (1, None)
    send(person, 1)
    with pytest.raises(QuotaSpent):
        send(person, 2)


def test_a_maintainer_sets_limits_and_the_log_says_so(version: BenchmarkVersion) -> None:
    said = StringIO()
    call_command("set_quota", "tiny-hoi@1", "--per-day", "5", "--in-all", "0", stdout=said)
    assert said.getvalue() == "tiny-hoi@1: per day 5, in all without limit\n"
    version.refresh_from_db()
    assert (version.per_day, version.in_all) == (5, 0)
    call_command("set_quota", "tiny-hoi@1", "--per-day", "site", stdout=said)
    version.refresh_from_db()
    assert (version.per_day, version.in_all) == (None, None)
    first, second = Event.objects.filter(kind="version.quota_set")
    assert first.data["after"] == second.data["before"] == {"per_day": 5, "in_all": 0}
    with pytest.raises(CommandError):
        call_command("set_quota", "nothing@1", "--per-day", "5")


def test_invalid_files_have_a_limit_of_their_own(person: User, settings: Any) -> None:
    settings.QUOTA_INVALID_PER_DAY = 2
    send(person, 1)
    reject()
    services.withdraw_submission(user=person, submission_id=send(person, 2).id)
    with pytest.raises(QuotaSpent, match="came to nothing today"):
        send(person, 3)
    send(factories.user(), 3)


def test_few_files_of_a_team_wait_at_once(person: User, settings: Any) -> None:
    settings.QUOTA_WAITING = 1
    send(person, 1)
    with pytest.raises(QuotaSpent, match="wait to be scored") as refused:
        send(person, 2)
    assert refused.value.retry_after == quotas.RETRY_WAITING
    score()
    assert send(person, 2).is_new


def test_zero_is_no_limit(person: User, settings: Any) -> None:
    settings.QUOTA_PER_DAY = settings.QUOTA_IN_ALL = settings.QUOTA_WAITING = 0
    for number in range(5):
        send(person, number)
    assert left(person) == (None, None)


def test_a_large_file_beyond_the_quota_is_not_even_stored(person: User) -> None:
    for number in (1, 2):
        send(person, number)
    items = [{"question_id": "q0000", "answer": ["A"], "note": "x" * 2_000_000}]
    large = json.dumps({"predictions": items}).encode()
    with pytest.raises(QuotaSpent):
        factories.submit(person, large)
    assert not open_store("uploads").exists(hashlib.sha256(large).hexdigest())


def test_who_never_sent_anything_has_all_of_it(person: User) -> None:
    quota = services.my_quota(user=person, benchmark="tiny-hoi@1")
    assert (quota["benchmark"], quota["version"]) == ("tiny-hoi", "1")
    assert (quota["per_day"], quota["in_all"]) == (2, 3)
    assert quota["next_at"] > clock()


def test_scoring_an_old_submission_again_takes_no_place_in_the_line(
    person: User, version: BenchmarkVersion, settings: Any
) -> None:
    settings.QUOTA_WAITING = 1
    accepted = send(person, 1)
    score()
    moved(accepted.id, f"{MIDNIGHT} - interval '3 days'")
    Evaluation.objects.create(submission_id=accepted.id, version=version, evaluator_version="later")
    assert left(person) == (2, 2)
    assert send(person, 2).is_new
