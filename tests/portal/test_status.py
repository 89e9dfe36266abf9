"""The status page and its API: what they say, to whom, and while parts are away."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.models.functions import Now
from django.test import Client

from portal import services
from portal.accounts.models import User
from portal.benchmarks.models import BenchmarkVersion
from portal.evaluations.models import Event, Presence
from portal.exchange import queue, storage
from portal.services import ready
from portal.services.waits import NOBODY
from tests import factories
from tests.conftest import Stores

pytestmark = pytest.mark.django_db

STATUS = "/api/v1/status"


def page_of(browser: Client, code: int = 200) -> str:
    answer = browser.get("/status/")
    assert answer.status_code == code
    return answer.content.decode()


@pytest.fixture(autouse=True)
def version(tmp_path: Path, stores: Stores, broker: str) -> BenchmarkVersion:
    return factories.version(tmp_path, stores)


@pytest.fixture
def stranger() -> Client:
    """The browser of nobody in particular."""
    return Client()


@pytest.fixture
def entrant() -> User:
    return factories.user("zoe-entrant")


@pytest.fixture
def staffed(version: BenchmarkVersion) -> None:
    """A worker and housekeeping that are there."""
    services.announce_presence(name="secret-host:1", queues=("score", "large"), n_slots=2)
    services.announce_presence(name="secret-host:2", queues=("housekeeping",), n_slots=0)


@pytest.fixture
def no_database(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], AbstractContextManager[None]]:
    """() -> while the block runs, the database answers nothing and takes no new line."""

    @contextmanager
    def away() -> Iterator[None]:
        def refuse(*_: Any) -> None:
            raise OperationalError("connection refused at 10.0.0.7")

        with monkeypatch.context() as patch, connection.execute_wrapper(refuse):
            patch.setitem(connection.settings_dict, "HOST", "127.0.0.1")
            patch.setitem(connection.settings_dict, "PORT", "1")
            yield

    return away


@pytest.fixture
def no_broker() -> Iterator[None]:
    before, queue.app.conf.broker_url = queue.app.conf.broker_url, "redis://127.0.0.1:1/0"
    yield
    queue.app.conf.broker_url = before


def test_a_house_in_order_says_so(stranger: Client, staffed: None) -> None:
    found = stranger.get(STATUS).json()
    assert (found["status"], found["sentences"]) == ("ok", [])
    assert set(found["services"].values()) == {True, found["services"]["housekeeping_seen_at"]}
    [worker] = found["workers"]
    assert (worker["queues"], worker["n_slots"]) == (["score", "large"], 2)
    page = page_of(stranger)
    assert "All is well" in page
    assert "1 at work, 2 files at once" in page
    assert 'data-live="/status/"' in page


def test_no_worker_is_a_sentence_and_no_number(stranger: Client) -> None:
    found = stranger.get(STATUS).json()
    assert found["status"] == "degraded"
    assert found["sentences"][0].startswith(NOBODY)
    [score] = found["queues"]
    assert (score["queue"], score["n_slots"], score["expected_seconds"]) == ("score", 0, None)
    page = page_of(stranger)
    assert NOBODY in page
    assert "Housekeeping is not at work" in page


def test_queues_and_open_tracks_are_told(stranger: Client, staffed: None, entrant: User) -> None:
    for letters in ("A", "B", "C", "D"):
        factories.submit(entrant, factories.predictions(lambda _, letters=letters: [letters]))
        if letters != "D":
            factories.score(factories.claim())
    waiting = stranger.get(STATUS).json()["queues"][0]
    assert (waiting["n_waiting"], waiting["n_running"]) == (1, 0)
    factories.score(factories.claim())
    found = stranger.get(STATUS).json()
    assert [queue["queue"] for queue in found["queues"]] == ["score", "large"]
    score = found["queues"][0]
    assert (score["n_waiting"], score["n_running"]) == (0, 0)
    assert score["text"].startswith("A file sent now is scored within ")
    assert score["expected_seconds"] <= score["expected_seconds_high"]
    [version] = found["versions"]
    assert (version["benchmark"], version["version"]) == ("tiny-hoi", "1")
    public = version["tracks"][0]
    assert (public["track"], public["last_scored_by"]) == (factories.TRACKS[0], "entrant")
    assert public["n_last_hour"] == 4
    page = page_of(stranger)
    assert "an entrant's" in page
    assert "No canary yet" in page


def test_a_canary_says_when_it_was_last_home(
    stranger: Client, version: BenchmarkVersion, staffed: None, settings: Any
) -> None:
    settings.CANARY_SECONDS = 900
    services.make_canaries(version_id=version.id)
    for _ in factories.TRACKS:
        factories.score(factories.claim())
    [told] = stranger.get(STATUS).json()["versions"]
    assert told["canary"]["state"] == "ok"
    assert {track["last_scored_by"] for track in told["tracks"]} == {"canary"}
    page = page_of(stranger)
    assert "Canary sent" in page and "scored in" in page


def test_faults_of_ours_are_counted_by_code(stranger: Client) -> None:
    for number, code in enumerate(("scorer.crashed", "scorer.crashed", "scorer.memory")):
        event = {"before": "RUNNING", "code": code, "attempt": number + 1}
        kind = "evaluation.queued" if number == 0 else "evaluation.failed"
        Event.objects.create(kind=kind, actor="w", data=event)
    old = Event.objects.create(
        kind="evaluation.failed", actor="w", data={"before": "RUNNING", "code": "infra.store"}
    )
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE evaluations_event DISABLE TRIGGER ALL")
    Event.objects.filter(id=old.id).update(at=Now() - timedelta(days=2))
    found = stranger.get(STATUS).json()["faults"]
    assert [(f["code"], f["n_retried"], f["n_failed"]) for f in found] == [
        ("scorer.crashed", 1, 1),
        ("scorer.memory", 0, 1),
    ]
    assert "scorer.memory" in page_of(stranger)


def test_nobody_and_no_machine_is_named(stranger: Client, staffed: None, entrant: User) -> None:
    factories.submit(entrant, publish=True)
    for text in (page_of(stranger), stranger.get(STATUS).content.decode()):
        for name in ("zoe", "Tester", "secret-host"):
            assert not re.search(rf"\b{re.escape(name)}\b", text)


def test_housekeeping_that_fell_silent_was_last_seen_then(stranger: Client, staffed: None) -> None:
    Presence.objects.filter(queues="housekeeping").update(seen_at=Now() - timedelta(hours=3))
    found = stranger.get(STATUS).json()["services"]
    assert found["housekeeping"] is False and found["housekeeping_seen_at"]
    assert "last seen" in page_of(stranger)


def test_a_broker_that_is_away_is_said_and_the_rest_is_told(
    stranger: Client, staffed: None, no_broker: None
) -> None:
    found = stranger.get(STATUS)
    assert found.status_code == 200
    assert found.json()["services"]["broker"] is False
    assert found.json()["versions"]
    page = page_of(stranger)
    assert "The broker does not answer. Files are accepted and scored all the same" in page


def test_a_store_that_is_away_is_said_and_the_rest_is_told(stranger: Client, staffed: None) -> None:
    nowhere = "s3://bucket/x?endpoint=http://127.0.0.1:1&region=a"
    urls: dict[storage.StoreName, str] = {"uploads": nowhere, "questions": nowhere}
    before = storage.use(storage.Keys(role="web", urls=urls))
    try:
        answer, page = stranger.get(STATUS), page_of(stranger)
        ready = stranger.get("/api/v1/ready")
    finally:
        storage.use(before)
    assert answer.status_code == 200 and answer.json()["versions"]
    assert (answer.json()["services"]["uploads"], answer.json()["status"]) == (False, "degraded")
    assert "The store of uploads does not answer" in page
    assert ready.status_code == 503
    amiss = [part["name"] for part in ready.json()["parts"] if not part["is_ready"]]
    assert amiss == ["uploads", "questions"]


@pytest.mark.parametrize("is_signed_in", [False, True])
def test_without_the_database_the_page_says_so_in_words(
    is_signed_in: bool,
    stranger: Client,
    entrant: User,
    no_database: Callable[[], AbstractContextManager[None]],
) -> None:
    if is_signed_in:
        stranger.force_login(entrant)
    with no_database():
        answer, page = stranger.get(STATUS), stranger.get("/status/")
        ready = stranger.get("/api/v1/ready")
    assert (answer.status_code, page.status_code, ready.status_code) == (503, 503, 503)
    assert answer.json()["status"] == "down"
    assert (answer.json()["services"]["database"], answer.json()["services"]["broker"]) == (
        False,
        True,
    )
    assert answer.json()["services"]["housekeeping"] is None
    text = page.content.decode()
    assert "The database does not answer" in text and "Not known" in text
    assert page["Retry-After"] == "5"
    assert "10.0.0.7" not in text + answer.content.decode()
    parts = {part["name"]: part for part in ready.json()["parts"]}
    assert parts["database"]["sentence"] == "The database does not answer."
    assert parts["uploads"]["is_ready"] and not parts["migrations"]["is_ready"]


def test_ready_names_each_part(stranger: Client) -> None:
    answer = stranger.get("/api/v1/ready")
    assert answer.status_code == 200 and "no-store" in answer["Cache-Control"]
    assert answer.json() == {
        "is_ready": True,
        "parts": [
            {"name": name, "is_ready": True, "sentence": ""}
            for name in ("database", "migrations", "uploads", "questions")
        ],
    }


def test_a_release_that_waits_for_its_tables_is_not_ready(
    stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "_are_applied", False)
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM django_migrations WHERE app = 'evaluations' AND name LIKE '0009%%'"
        )
    answer = stranger.get("/api/v1/ready")
    assert answer.status_code == 503
    assert [part["name"] for part in answer.json()["parts"] if not part["is_ready"]] == [
        "migrations"
    ]


def test_the_status_is_found_out_once_for_many_who_look(stranger: Client, settings: Any) -> None:
    settings.STATUS_SECONDS = 60.0
    first = stranger.get(STATUS).json()
    services.announce_presence(name="w:1", queues=("score",), n_slots=1)
    assert stranger.get(STATUS).json() == first
    settings.STATUS_SECONDS = 0.0
    assert stranger.get(STATUS).json() != first


def test_every_page_leads_there(stranger: Client) -> None:
    assert 'href="/status/"' in stranger.get("/benchmarks/").content.decode()
