"""Submitting: what is accepted once, what is found again, what is refused and why."""

from __future__ import annotations

import io
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

import evaluator
from evaluator.errors import PredictionsInvalid, Problem
from infra.samples.detections import detection_bundle, detections_of, detectors
from portal import services
from portal.benchmarks.models import BenchmarkVersion
from portal.errors import (
    BenchmarkNotFound,
    ContainerRefused,
    IdempotencyMismatch,
    PolicyRefused,
    SubmissionNotFound,
    TooLarge,
)
from portal.evaluations import transitions
from portal.evaluations.models import Evaluation, Event
from portal.exchange import queue
from portal.exchange.storage import open_store
from portal.submissions.models import Submission, System
from tests import factories
from tests.conftest import Stores

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def version(tmp_path: Path, stores: Stores) -> BenchmarkVersion:
    return factories.version(tmp_path, stores)


def uploads() -> int:
    return Submission.objects.filter(source=Submission.Source.UPLOAD).count()


def test_upload_is_stored_and_waits(version: BenchmarkVersion) -> None:
    person, data = factories.user("ada"), factories.predictions()
    accepted = factories.submit(person, data, facets={"kind": "fine-tuned"}, publish=True)
    assert accepted.is_new and accepted.duplicate_of is None
    assert open_store("uploads").get(accepted.submission["file_digest"]) == data
    state = services.submission_state(user=person, submission_id=accepted.id)
    assert (state["state"], state["position"], state["visibility"]) == ("waiting", 1, "published")
    assert (state["team"], state["system"]["name"]) == ("ada", "Tester 7B")
    assert state["benchmark"] == "tiny-hoi" and state["version"] == "1"
    kinds = Event.objects.filter(submission_id=accepted.id).values_list("kind", flat=True)
    assert list(kinds) == ["submission.accepted", "evaluation.queued"]


def test_position_counts_who_waits_before() -> None:
    person = factories.user()
    answers = (factories.predictions(lambda _, letter=letter: [letter]) for letter in "ABC")
    accepted = [factories.submit(person, data) for data in answers]
    states = [services.submission_state(user=person, submission_id=a.id) for a in accepted]
    assert [state["position"] for state in states] == [1, 2, 3]


def test_list_of_what_waits_asks_no_more_for_many_than_for_one() -> None:
    person = factories.user()

    def n_queries() -> int:
        with CaptureQueriesContext(connection) as queries:
            services.my_submissions(user=person)
        return len(queries)

    counts = []
    for letter in "ABCD":
        factories.submit(person, factories.predictions(lambda _, letter=letter: [letter]))
        counts.append(n_queries())
    assert counts == [counts[0]] * 4


def test_same_key_gives_the_same_submission() -> None:
    person = factories.user()
    first = factories.submit(person, key="once")
    second = factories.submit(person, key="once")
    assert (second.id, second.is_new, second.duplicate_of) == (first.id, False, None)
    assert uploads() == 1


def test_same_key_with_other_answers_is_refused() -> None:
    person = factories.user()
    factories.submit(person, key="once")
    with pytest.raises(IdempotencyMismatch):
        factories.submit(person, factories.predictions(lambda _: []), key="once")
    with pytest.raises(IdempotencyMismatch):
        factories.submit(person, factories.predictions(), key="once", track="target-box")


def test_same_key_of_another_team_is_another_submission() -> None:
    first = factories.submit(factories.user(), key="once")
    second = factories.submit(factories.user(), key="once")
    assert second.is_new and second.id != first.id


def test_same_answers_are_found_and_said() -> None:
    person = factories.user()
    first = factories.submit(person, key="one")
    second = factories.submit(person, key="two", system="Another name")
    assert (second.id, second.is_new, second.duplicate_of) == (first.id, False, first.id)
    assert uploads() == 1


def test_withdrawn_answers_may_be_sent_again() -> None:
    person = factories.user()
    first = factories.submit(person)
    services.withdraw_submission(user=person, submission_id=first.id)
    assert factories.submit(person).is_new


def test_answers_that_failed_by_our_fault_may_be_sent_again() -> None:
    person = factories.user()
    first = factories.submit(person)
    brief = services.begin_scoring(worker="test")
    assert brief is not None
    services.record_failure(
        evaluation_id=brief.evaluation_id, attempt=brief.attempt, code="scorer.memory"
    )
    again = factories.submit(person)
    assert again.is_new and again.id != first.id


def test_answers_that_another_evaluator_rejected_may_be_sent_again() -> None:
    person = factories.user()
    first = factories.submit(person)
    brief = services.begin_scoring(worker="test")
    assert brief is not None
    problem = Problem("VALUE", "/predictions/0", "Z", "one of A, B, C, D")
    services.record_rejection(
        evaluation_id=brief.evaluation_id,
        attempt=brief.attempt,
        invalid=PredictionsInvalid([problem]),
    )
    wished = factories.submit(person, publish=True)
    assert (wished.id, wished.is_published_now) == (first.id, False)
    Evaluation.objects.filter(id=brief.evaluation_id).update(evaluator_version="0.0.1")
    again = factories.submit(person)
    assert again.is_new and again.id != first.id


def test_same_answers_are_published_where_that_is_wished() -> None:
    person = factories.user()
    first = factories.submit(person, key="one")
    assert first.submission["visibility"] == "private"
    for name, is_wished in (("Another name", True), ("Tester 7B", False)):
        kept = factories.submit(person, system=name, publish=is_wished)
        assert (kept.submission["visibility"], kept.is_published_now) == ("private", False)
    wished = factories.submit(person, publish=True)
    assert (wished.id, wished.is_published_now) == (first.id, True)
    assert wished.submission["visibility"] == "published"
    assert not factories.submit(person, publish=True).is_published_now
    published = Event.objects.filter(submission_id=first.id, kind="submission.published")
    assert published.count() == uploads() == 1


@pytest.mark.django_db(transaction=True)
def test_fifty_parallel_posts_with_one_key_make_one_submission() -> None:
    person, data = factories.user(), factories.predictions()

    def send(_: int) -> tuple[object, bool]:
        try:
            accepted = factories.submit(person, data, key="double-click")
            return accepted.id, accepted.is_new
        finally:
            connections.close_all()

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(send, range(50)))
    assert len({submission_id for submission_id, _ in answers}) == 1
    assert sum(is_new for _, is_new in answers) == 1
    assert uploads() == 1
    assert Evaluation.objects.filter(submission__source="UPLOAD").count() == 1


@pytest.mark.django_db(transaction=True)
def test_broker_away_costs_less_than_half_a_second() -> None:
    before, queue.app.conf.broker_url = queue.app.conf.broker_url, "redis://127.0.0.1:1/0"
    try:
        began = time.monotonic()
        accepted = factories.submit(factories.user())
        assert time.monotonic() - began < 0.5
        assert accepted.is_new
    finally:
        queue.app.conf.broker_url = before


def test_system_keeps_one_row_per_name_and_takes_what_is_said_last() -> None:
    person = factories.user()
    factories.submit(person, facets={"kind": "vlm-zero-shot"})
    other = factories.predictions(lambda _: ["A"])
    factories.submit(person, other, facets={"kind": "fine-tuned", "size": "small"})
    (system,) = System.objects.filter(team__memberships__user=person)
    assert system.facets == {"kind": "fine-tuned", "size": "small"}
    assert services.my_systems(user=person, benchmark="tiny-hoi") == [
        {"slug": system.slug, "name": "Tester 7B"}
    ]
    third = factories.predictions(lambda _: ["B"])
    assert factories.submit(person, third, system=system.slug).submission["system"] == {
        "slug": system.slug,
        "name": "Tester 7B",
    }


def test_two_teams_may_use_one_name() -> None:
    slugs = {factories.submit(factories.user()).submission["system"]["slug"] for _ in range(2)}
    assert slugs == {"tester-7b", "tester-7b-2"}


@pytest.mark.parametrize(
    ("name", "is_accepted"),
    [
        ("LLaVA-1.5-7B (ours)", True),
        ("<img src=x onerror=alert(1)>", True),
        ('=HYPERLINK("http://e/"&A1)', True),
        ("{{7*7}} {% debug %}", True),
        ("नमस्ते मॉडल", True),
        ("\t=1", False),
        ("a\u202egpj.exe", False),
        ("a\0b", False),
        ("\ud800", False),
        ("", False),
        ("   ", False),
        ("x" * 101, False),
        ("a" + "\u0301\u0302\u0303\u0304\u0305" * 3, False),
    ],
)
def test_names_of_systems(name: str, is_accepted: bool) -> None:
    if is_accepted:
        assert factories.submit(factories.user(), system=name).is_new
    else:
        with pytest.raises(PolicyRefused) as refused:
            factories.submit(factories.user(), system=name)
        assert refused.value.code == "policy.system_name"
        assert uploads() == 0


@pytest.mark.parametrize(
    "link",
    [
        "http://x.org",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,<script>",
        "https://user:pw@x.org/",
        "https://x.org\\@evil.org/",
        "https://[::1]/",
        "https://2130706433/",
        "//evil.org",
        "https://x.org/\r\nSet-Cookie: a=b",
    ],
)
def test_links_that_lead_elsewhere_are_refused(link: str) -> None:
    with pytest.raises(PolicyRefused) as refused:
        services.submit_predictions(
            user=factories.user(),
            benchmark="tiny-hoi",
            track="all-people",
            system="S",
            file=io.BytesIO(factories.predictions()),
            url=link,
        )
    assert refused.value.code == "policy.url"


@pytest.mark.parametrize("facets", [{"colour": "red"}, {"kind": "magic"}])
def test_unknown_facets_are_refused(facets: dict[str, str]) -> None:
    with pytest.raises(PolicyRefused) as refused:
        factories.submit(factories.user(), facets=facets)
    assert refused.value.code == "policy.facets"


@pytest.mark.parametrize("head", [b"PK\x03\x04", b"\x1f\x8b\x08", b"\x80\x04\x95", b"\x93NUMPY"])
def test_archives_and_pickles_are_refused_at_once(head: bytes) -> None:
    with pytest.raises(ContainerRefused):
        factories.submit(factories.user(), head + b"\0" * 100)
    assert uploads() == 0


def test_file_beyond_the_limit_is_refused(settings: object) -> None:
    settings.MAX_UPLOAD_BYTES = 100  # type: ignore[attr-defined]
    with pytest.raises(TooLarge):
        factories.submit(factories.user(), b" " * 101)
    assert uploads() == 0


def test_unknown_benchmark_and_track() -> None:
    for address in ("nothing", "tiny-hoi@2", "tiny-hoi@"):
        if address == "tiny-hoi@":
            assert factories.submit(factories.user(), benchmark=address).is_new
            continue
        with pytest.raises(BenchmarkNotFound):
            factories.submit(factories.user(), benchmark=address)
    with pytest.raises(PolicyRefused) as refused:
        factories.submit(factories.user(), track="setting-9")
    assert refused.value.code == "policy.track"


def test_closed_version_takes_nothing(version: BenchmarkVersion) -> None:
    services.close_version(version_id=version.id, actor="maintainer")
    with pytest.raises(PolicyRefused) as refused:
        factories.submit(factories.user())
    assert refused.value.code == "policy.closed"


def test_draft_version_is_not_there(tmp_path: Path, stores: Stores) -> None:
    factories.version(tmp_path, stores, factories.bundle(version="2"), is_open=False)
    with pytest.raises(BenchmarkNotFound):
        factories.submit(factories.user(), benchmark="tiny-hoi@2")


def test_foreign_submission_is_missing() -> None:
    accepted = factories.submit(factories.user())
    stranger = factories.user()
    for step in (
        services.submission_state,
        services.publish_submission,
        services.withdraw_submission,
    ):
        with pytest.raises(SubmissionNotFound):
            step(user=stranger, submission_id=accepted.id)
    assert services.my_submissions(user=stranger) == []


def test_withdrawing_takes_it_off_the_queue() -> None:
    person = factories.user()
    accepted = factories.submit(person, publish=True)
    state = services.withdraw_submission(user=person, submission_id=accepted.id)
    assert (state["state"], state["visibility"]) == ("withdrawn", "withdrawn")
    assert services.begin_scoring(worker="test") is None
    waiting = transitions.claimable(evaluator_version=evaluator.__version__, overdue_seconds=0)
    assert waiting == {}
    services.withdraw_submission(user=person, submission_id=accepted.id)
    kinds = list(Event.objects.filter(submission_id=accepted.id).values_list("kind", flat=True))
    assert kinds[-2:] == ["submission.withdrawn", "evaluation.withdrawn"]


def test_publishing_twice_is_one_event() -> None:
    person = factories.user()
    accepted = factories.submit(person)
    for _ in range(2):
        state = services.publish_submission(user=person, submission_id=accepted.id)
        assert state["visibility"] == "published"
    published = Event.objects.filter(submission_id=accepted.id, kind="submission.published")
    assert published.count() == 1


def test_a_facet_that_the_family_wants_is_stated_once_for_a_system(
    tmp_path: Path, stores: Stores
) -> None:
    person, bundle = factories.user(), detection_bundle()
    factories.version(tmp_path, stores, content=bundle)
    for row, detector in enumerate(detectors()[:2]):
        about = {"benchmark": bundle.benchmark.name, "track": "detect", "system": "Egret"}
        data = detections_of(detector)
        if not row:
            with pytest.raises(PolicyRefused, match="pre-trained, fine-tuned, oracle"):
                factories.submit(person, data, facets={"backbone": "ViT-L"}, **about)
        facets = None if row else {"detector": "oracle"}
        assert factories.submit(person, data, facets=facets, **about).is_new
