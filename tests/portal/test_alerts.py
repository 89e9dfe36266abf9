"""Who is told what is amiss, once, in one message, and what a broken mail server changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from smtplib import SMTPException
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.db.models.functions import Now
from django.test import Client

from portal import services
from portal.benchmarks.models import BenchmarkVersion
from portal.environment import EnvironmentIncomplete
from portal.evaluations import events, presence, transitions
from portal.evaluations.models import Evaluation, Event
from portal.mail import mail_at, people
from portal.services import alerts
from tests import factories
from tests.conftest import Stores
from tests.mailbox import Mailbox, running_mailbox
from worker.alerting import alert_once

pytestmark = pytest.mark.django_db

ADMIN = "admin@example.org"


@pytest.fixture(autouse=True)
def at_once(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ADMINS = [("", ADMIN)]
    monkeypatch.setattr(alerts, "SETTLED", timedelta())
    monkeypatch.setattr(alerts, "PAUSES", (0,))


@pytest.fixture
def version(tmp_path: Path, stores: Stores) -> BenchmarkVersion:
    return factories.version(tmp_path, stores)


def late(version: BenchmarkVersion, track: str = "all-people") -> None:
    events.record(events.CANARY_LATE, actor="house", version_id=version.id, track=track, why="late")


def recovered(version: BenchmarkVersion, track: str = "all-people") -> None:
    events.record(
        events.CANARY_RECOVERED, actor="house", version_id=version.id, track=track, seconds=2.13
    )


def fail_one(code: str = "scorer.memory") -> None:
    """An entrant's submission fails for good."""
    factories.submit(factories.user(), factories.predictions(lambda n: ["ABCD"[n % 4]]))
    claim = transitions.claim(
        evaluation_id=None, worker="w", evaluator_version="1", lease_seconds=30
    )
    assert claim is not None and transitions.finish_failed(claim, code=code)


def test_what_is_amiss_is_told_once_and_so_is_what_is_mended(
    version: BenchmarkVersion, mailoutbox: list[mail.EmailMessage]
) -> None:
    late(version)
    assert services.mail_alerts() == 1
    assert services.mail_alerts() == 0
    recovered(version)
    assert services.mail_alerts() == 1
    first, second = mailoutbox
    assert first.to == second.to == [ADMIN]
    assert first.subject.startswith("[Plumbline] tiny-hoi@1, track all-people: the canary did not")
    assert "it was not scored in time" in first.body
    assert "the canary came through again, in 2.1 s" in second.body


def test_fifty_at_once_are_one_message(
    version: BenchmarkVersion, mailoutbox: list[mail.EmailMessage]
) -> None:
    for number in range(60):
        late(version, f"track-{number}")
    assert services.mail_alerts() == 1
    (message,) = mailoutbox
    assert message.subject.startswith("[Plumbline] 60 alerts: tiny-hoi@1")
    assert message.body.count("did not come through") == alerts.MAX_LINES
    assert "… and 10 more" in message.body


def test_the_more_there_were_the_longer_the_next_one_waits(
    version: BenchmarkVersion,
    mailoutbox: list[mail.EmailMessage],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alerts, "PAUSES", (0, 20))
    for number in range(3):
        late(version, f"track-{number}")
        services.mail_alerts()
    assert len(mailoutbox) == 1
    monkeypatch.setattr(alerts, "PAUSES", (0, 0))
    services.mail_alerts()
    assert mailoutbox[1].subject.startswith("[Plumbline] 2 alerts")


def test_maintainers_read_of_their_own_benchmarks(
    tmp_path: Path, stores: Stores, mailoutbox: list[mail.EmailMessage], settings: Any
) -> None:
    versions = [factories.version(tmp_path, stores, factories.bundle(name)) for name in ("a", "b")]
    one, both, gone, silent, admin = (
        factories.user(name, email=f"{name}@example.org" if name != "silent" else "")
        for name in ("one", "both", "gone", "silent", "admin")
    )
    gone.is_active = False
    gone.save()
    for version in versions:
        version.benchmark.maintainers.add(both, gone, silent, admin)
    versions[0].benchmark.maintainers.add(one)
    for version in versions:
        late(version)
    events.record(events.QUEUE_STALLED, actor="house", queue="score", why="no-worker", n_waiting=3)
    assert services.mail_alerts() == 3
    read = {message.to[0]: message.body for message in mailoutbox}
    assert read.keys() == {ADMIN, "one@example.org", "both@example.org"}
    assert "a@1" in read["one@example.org"] and "b@1" not in read["one@example.org"]
    assert "b@1" in read["both@example.org"] and "queue" not in read["both@example.org"]
    assert "queue score: 3 submissions wait and no worker is present" in read[ADMIN]
    # Without an administrator the house is everybody's business.
    settings.ADMINS = []
    events.record(events.QUEUE_MOVING, actor="house", queue="score")
    assert services.mail_alerts() == 3
    assert "queue score: moves again" in mailoutbox[-1].body


def test_failures_of_ours_are_told_to_maintainers_as_well(
    version: BenchmarkVersion, mailoutbox: list[mail.EmailMessage]
) -> None:
    for _ in range(2):
        fail_one()
    assert services.mail_alerts() == 1
    assert "tiny-hoi@1: 2 submissions failed with scorer.memory: " in mailoutbox[0].body


def test_answers_that_are_alike_are_one_line_for_the_group(
    version: BenchmarkVersion, mailoutbox: list[mail.EmailMessage]
) -> None:
    sent = [factories.submit(factories.user(f"team-{n}"), system=f"S{n}").id for n in range(3)]
    for later, earlier in ((1, 0), (2, 0), (2, 1)):
        events.record(
            events.SUBMISSION_ALIKE,
            actor="house",
            version_id=version.id,
            submission_id=sent[later],
            other=str(sent[earlier]),
            share=0.0,
            n=200,
            n_different=0,
        )
    assert services.mail_alerts() == 1
    (message,) = mailoutbox
    assert message.body.count("\n- ") + message.body.startswith("- ") == 1
    assert "3 submissions of different teams" in message.body
    assert "S2 of team-2" in message.body


def test_without_mail_or_reader_nothing_is_lost_or_sent(
    version: BenchmarkVersion, mailoutbox: list[mail.EmailMessage], settings: Any
) -> None:
    late(version)
    settings.EMAIL_BACKEND, before = mail_at("none:").backend, settings.EMAIL_BACKEND
    assert services.mail_alerts() == 0
    settings.EMAIL_BACKEND, settings.ADMINS = before, []
    assert services.mail_alerts() == 0
    settings.ADMINS = [("", ADMIN)]
    assert services.mail_alerts() == 1


def test_old_news_is_no_news(version: BenchmarkVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    late(version)
    monkeypatch.setattr(alerts, "KEPT", timedelta())
    assert services.mail_alerts() == 0


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    with running_mailbox() as server:
        use(settings, f"smtp://127.0.0.1:{server.port}")
        yield server


def use(settings: Any, url: str) -> None:
    way = mail_at(url)
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = (
        way.backend,
        way.host,
        way.port,
    )


def test_mail_leaves_by_a_real_server(version: BenchmarkVersion, mailbox: Mailbox) -> None:
    late(version)
    assert services.mail_alerts() == 1
    (received,) = mailbox.received
    assert f"To: {ADMIN}" in received
    assert "Subject: [Plumbline] tiny-hoi@1" in received


@pytest.mark.django_db(transaction=True)
def test_broken_mail_server_is_survived_and_told_later(
    version: BenchmarkVersion,
    mailbox: Mailbox,
    settings: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    late(version)
    works = settings.EMAIL_PORT
    settings.EMAIL_PORT = 1
    with pytest.raises(OSError):
        services.mail_alerts()
    assert not alert_once()
    assert "alerts were not sent" in caplog.text
    settings.EMAIL_PORT = works
    assert alert_once()
    assert len(mailbox.received) == 1
    assert services.mail_alerts() == 0


def test_one_refused_address_keeps_nobody_else_from_reading(
    version: BenchmarkVersion, mailbox: Mailbox, settings: Any
) -> None:
    settings.ADMINS = [("", "nobody@refused.example")]
    version.benchmark.maintainers.add(factories.user(email="one@example.org"))
    late(version)
    assert services.mail_alerts() == 1
    assert "one@example.org" in mailbox.received[0]
    settings.ADMINS = [("", "nobody@refused.example")]
    version.benchmark.maintainers.clear()
    late(version, "target-box")
    with pytest.raises(SMTPException):
        services.mail_alerts()


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("none:", ("dummy", "", 0, "", False, False)),
        ("console:", ("console", "", 0, "", False, False)),
        ("smtp://mail.example.org", ("smtp", "mail.example.org", 25, "", False, False)),
        ("smtp+starttls://u:p%40@m.org", ("smtp", "m.org", 587, "p@", True, False)),
        ("smtps://u:p@m.org:999", ("smtp", "m.org", 999, "p", False, True)),
    ],
)
def test_one_address_says_how_mail_leaves(url: str, wanted: tuple[Any, ...]) -> None:
    way = mail_at(url)
    kind = way.backend.split(".")[-2]
    found = (kind, way.host, way.port, way.password, way.has_starttls, way.has_tls)
    assert found == wanted


@pytest.mark.parametrize("url", ["mail.example.org", "smtp:", "imap://x", "smtp://x:port"])
def test_address_that_leads_nowhere_stops_the_start(url: str) -> None:
    with pytest.raises(EnvironmentIncomplete, match="PLUMBLINE_EMAIL_URL"):
        mail_at(url)


def test_administrators_are_addresses() -> None:
    assert people("") == []
    assert people("Ada <ada@example.org>, b@example.org") == [
        ("Ada", "ada@example.org"),
        ("", "b@example.org"),
    ]
    with pytest.raises(EnvironmentIncomplete, match="PLUMBLINE_ADMINS"):
        people("ada@example.org, nobody")


@pytest.fixture
def wait(version: BenchmarkVersion) -> Callable[[float], None]:
    """(seconds) -> a submission waits, and could have been claimed for so long."""

    def one(seconds: float) -> None:
        if not Evaluation.objects.filter(submission__source="UPLOAD").exists():
            factories.submit(factories.user())
        waiting = Evaluation.objects.filter(submission__source="UPLOAD")
        waiting.update(due_at=Now() - timedelta(seconds=seconds))

    return one


def kinds() -> list[tuple[str, str]]:
    told = Event.objects.filter(kind__startswith="queue.").order_by("id")
    return [(event.kind, event.data.get("why", "")) for event in told]


def look_twice() -> None:
    services.watch_queues(suspected=services.watch_queues(suspected=frozenset()))


def test_queue_without_a_worker_is_told_after_half_a_minute(
    wait: Callable[[float], None], caplog: pytest.LogCaptureFixture
) -> None:
    wait(20)
    look_twice()
    assert kinds() == []
    wait(31)
    suspected = services.watch_queues(suspected=frozenset())
    assert suspected == {"score"}
    assert kinds() == []  # one look alone says little
    services.watch_queues(suspected=suspected)
    look_twice()
    assert kinds() == [("queue.stalled", "no-worker")]
    assert [record for record in caplog.records if record.levelno == logging.ERROR]


def test_queue_of_which_nothing_is_claimed_is_told_after_a_minute(
    wait: Callable[[float], None],
) -> None:
    presence.announce("w", queues=("score",), n_slots=1, evaluator_version="1")
    wait(45)
    look_twice()
    assert kinds() == []
    wait(61)
    look_twice()
    assert kinds() == [("queue.stalled", "nothing-claimed")]


def test_queue_that_moves_is_no_concern_however_long_it_is(
    wait: Callable[[float], None],
) -> None:
    factories.submit(factories.user(), factories.predictions(lambda n: ["D"]))
    claim = transitions.claim(
        evaluation_id=None, worker="w", evaluator_version="1", lease_seconds=30
    )
    assert claim is not None
    wait(3600)
    Evaluation.objects.filter(id=claim.evaluation_id).update(
        status="RUNNING", lease_until=Now() + timedelta(seconds=30)
    )
    look_twice()
    assert kinds() == []
    transitions.finish_failed(claim, code="scorer.memory")
    look_twice()
    assert kinds() == []


def test_queue_that_moves_again_is_told(wait: Callable[[float], None]) -> None:
    wait(100)
    look_twice()
    claim = transitions.claim(
        evaluation_id=None, worker="w", evaluator_version="1", lease_seconds=30
    )
    assert claim is not None
    look_twice()
    look_twice()
    assert kinds() == [("queue.stalled", "no-worker"), ("queue.moving", "")]


def test_flags_are_a_list_that_nobody_changes(version: BenchmarkVersion, client: Client) -> None:
    sent = [factories.submit(factories.user(f"team-{n}"), system=f"S{n}").id for n in range(2)]
    for share, n_different in ((0.0, 0), (0.005, 1)):
        events.record(
            events.SUBMISSION_ALIKE,
            actor="house",
            version_id=version.id,
            submission_id=sent[1],
            other=str(sent[0] if share else uuid4()),
            share=share,
            n=200,
            n_different=n_different,
        )
    late(version)
    client.force_login(factories.user(is_staff=True, is_superuser=True))
    page = client.get("/admin/evaluations/flag/").content.decode()
    assert page.index("1 of 200 (0.50 %)") < page.index("0 of 200 (0.00 %)")
    assert "tiny-hoi@1, all-people" in page and "canary" not in page
    for submission_id, name in zip(sent, ("S0", "S1"), strict=True):
        assert f'/admin/submissions/submission/{submission_id}/change/">{name}</a>' in page
    assert "team-0" in page and "team-1" in page
    newest = Event.objects.filter(kind=events.SUBMISSION_ALIKE).latest("id")
    address = f"/admin/evaluations/flag/{newest.id}/change/"
    assert client.get(address).status_code == 200
    assert client.post(address, {"actor": "me"}).status_code == 403
    assert client.get("/admin/evaluations/flag/add/").status_code == 403
    client.force_login(factories.user())
    assert client.get("/admin/evaluations/flag/").status_code == 302
