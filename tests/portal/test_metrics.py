"""What Prometheus reads: the right figures, that never go back, for those with the token."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from evaluator.errors import PredictionsInvalid, Problem
from portal import services
from portal.benchmarks.models import BenchmarkVersion
from portal.evaluations import tallies
from portal.evaluations.models import Evaluation, Event
from portal.services import ScoringBrief, metrics
from tests import factories
from tests.conftest import Stores

# A transaction of its own that changes nothing: it cannot be inside of one of a test.
pytestmark = pytest.mark.django_db(transaction=True)

TOKEN = "a-token-for-the-collector"
INVALID = PredictionsInvalid([Problem("EMPTY", "", "nothing", "answers", "Send some.")], 1)
Labels = frozenset[tuple[str, str]]
Figures = dict[tuple[str, Labels], float]


@pytest.fixture(autouse=True)
def version(tmp_path: Path, stores: Stores, broker: str) -> None:
    factories.version(tmp_path, stores)


@pytest.fixture
def scrape(settings: Any, client: Client) -> Callable[[], Figures]:
    """() -> all figures by name and labels, as Prometheus would read them."""
    settings.METRICS_TOKEN = TOKEN

    def look() -> Figures:
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 200
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(answer.content.decode())
            for sample in family.samples
        }

    return look


def of(figures: Figures, name: str, **labels: str) -> float:
    return figures["plumbline_" + name, frozenset(labels.items())]


def send(letters: str = "A") -> UUID:
    person = factories.user()
    return factories.submit(person, factories.predictions(lambda _: list(letters))).id


def fence(brief: ScoringBrief) -> Mapping[str, Any]:
    return {"evaluation_id": brief.evaluation_id, "attempt": brief.attempt}


def score(brief: ScoringBrief, *, took: float = 0.0) -> None:
    rows = Evaluation.objects.filter(id=brief.evaluation_id)
    rows.update(started_at=F("started_at") - timedelta(seconds=took))
    factories.score(brief)


def test_without_the_token_there_is_no_such_page(client: Client, settings: Any) -> None:
    assert client.get("/metrics").status_code == 404
    settings.METRICS_TOKEN = TOKEN
    for wrong in ("", "Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer é"):
        assert client.get("/metrics", headers={"Authorization": wrong}).status_code == 404
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_every_figure_says_what_it_is(settings: Any, client: Client) -> None:
    settings.METRICS_TOKEN = TOKEN
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer["Content-Type"].startswith("text/plain; version=")
    families = list(text_string_to_metric_families(answer.content.decode()))
    assert len(families) >= 15
    for family in families:
        assert family.name.startswith("plumbline_")
        assert family.documentation and family.type in {"counter", "gauge", "histogram"}


def test_the_queue_is_counted_by_queue_state_and_priority(scrape: Callable[[], Figures]) -> None:
    for letters in ("A", "B", "C", "D", "AB"):
        send(letters)
    brief = factories.claim()
    lost = factories.claim()
    Evaluation.objects.filter(id=lost.evaluation_id).update(lease_until=Now() - timedelta(hours=1))
    waiting = list(Evaluation.objects.filter(status="QUEUED").order_by("due_at"))
    Evaluation.objects.filter(id=waiting[0].id).update(due_at=Now() - timedelta(seconds=40))
    Evaluation.objects.filter(id=waiting[1].id).update(due_at=Now() + timedelta(seconds=40))
    Evaluation.objects.filter(id=waiting[2].id).update(priority=1, queue="large")
    figures = scrape()

    def n_rows(state: str, queue: str = "score", priority: str = "entrant") -> float:
        return of(figures, "queue_rows", queue=queue, state=state, priority=priority)

    assert brief.attempt == 1
    assert (n_rows("waiting"), n_rows("later"), n_rows("running"), n_rows("abandoned")) == (
        1,
        1,
        1,
        1,
    )
    assert n_rows("waiting", "large", "background") == 1
    assert n_rows("waiting", "large") == 0
    assert of(figures, "queue_oldest_wait_seconds", queue="score") == pytest.approx(40, abs=5)
    assert of(figures, "queue_oldest_wait_seconds", queue="infer") == 0


def test_a_lease_that_runs_out_is_counted_when_it_is_claimed_again(
    scrape: Callable[[], Figures],
) -> None:
    send()
    factories.claim()
    before = scrape()
    assert of(before, "lease_expiries_total") == 0
    Evaluation.objects.update(lease_until=Now() - timedelta(seconds=1))
    again = factories.claim()
    assert again.attempt == 2
    after = scrape()
    assert of(after, "lease_expiries_total") == 1
    # It waited once for its first claim; a second worker is no second wait.
    assert of(after, "wait_seconds_count", queue="score") == 1


def test_retries_and_ends_are_counted_by_code(scrape: Callable[[], Figures]) -> None:
    for letters in ("A", "B", "C", "D"):
        send(letters)
    services.record_failure(**fence(factories.claim()), code="infra.store")
    services.record_failure(**fence(factories.claim()), code="scorer.memory")
    services.record_rejection(**fence(factories.claim()), invalid=INVALID)
    score(factories.claim())
    figures = scrape()
    assert of(figures, "retries_total", code="infra.store") == 1
    assert of(figures, "retries_total", code="scorer.crashed") == 0
    ends = {("failed", "scorer.memory"): 1, ("failed", "infra.store"): 0, ("rejected", ""): 1,
            ("scored", ""): 1}  # fmt: skip
    for (state, code), n in ends.items():
        assert of(figures, "evaluations_finished_total", state=state, code=code) == n
    assert of(figures, "submissions_accepted_total", source="UPLOAD") == 4
    size = sum(len(factories.predictions(lambda _, x=x: [x])) for x in "ABCD")
    assert of(figures, "uploads_bytes_total") == size


def test_times_fall_into_their_buckets(scrape: Callable[[], Figures]) -> None:
    for letters, took in (("A", 0.0), ("B", 4.0), ("C", 4000.0)):
        send(letters)
        score(factories.claim(), took=took)
    figures = scrape()

    def up_to(bound: str) -> float:
        return of(figures, "service_seconds_bucket", queue="score", le=bound)

    assert [up_to(b) for b in ("2.5", "5.0", "600.0", "+Inf")] == [1, 2, 2, 3]
    assert of(figures, "service_seconds_count", queue="score") == 3
    assert of(figures, "service_seconds_sum", queue="score") == pytest.approx(4004, abs=2)
    assert of(figures, "wait_seconds_bucket", queue="score", le="+Inf") == 3
    assert of(figures, "service_seconds_count", queue="large") == 0


def test_who_is_there_and_what_lies_in_the_broker(scrape: Callable[[], Figures]) -> None:
    services.announce_presence(name="w:1", queues=("score", "large"), n_slots=2)
    services.announce_presence(name="w:2", queues=("score",), n_slots=1)
    services.announce_presence(name="h:1", queues=("housekeeping",), n_slots=0)
    lying = of(scrape(), "broker_letters", queue="score")
    send()
    figures = scrape()
    assert of(figures, "workers_present", queue="score") == 2
    assert of(figures, "worker_slots", queue="score") == 3
    assert of(figures, "worker_slots", queue="large") == 2
    assert of(figures, "workers_present", queue="housekeeping") == 1
    assert of(figures, "broker_letters", queue="score") == lying + 1
    assert (of(figures, "database_up"), of(figures, "broker_up")) == (1, 1)


def test_the_canary_of_each_open_version_is_told(
    scrape: Callable[[], Figures], settings: Any
) -> None:
    settings.CANARY_SECONDS = 900
    version = BenchmarkVersion.objects.get()
    assert services.make_canaries(version_id=version.id) == len(factories.TRACKS)
    for _ in factories.TRACKS:
        score(factories.claim())
    figures = scrape()
    [(track, is_ok)] = [
        (dict(labels)["track"], value)
        for (name, labels), value in figures.items()
        if name == "plumbline_canary_ok"
    ]
    where = {"version": "tiny-hoi@1", "track": track}
    assert is_ok == 1
    assert of(figures, "canary_age_seconds", **where) < 60
    assert of(figures, "canary_seconds", **where) < 60
    assert of(figures, "submissions_accepted_total", source="CANARY") == 2
    assert of(figures, "uploads_bytes_total") == 0


def test_a_broker_that_is_away_is_said_and_hides_nothing_else(
    scrape: Callable[[], Figures], settings: Any
) -> None:
    from portal.exchange import queue

    before, queue.app.conf.broker_url = queue.app.conf.broker_url, "redis://127.0.0.1:1/0"
    try:
        figures = scrape()
    finally:
        queue.app.conf.broker_url = before
    assert of(figures, "broker_up") == 0
    assert of(figures, "lease_expiries_total") == 0
    assert not [name for name, _ in figures if name == "plumbline_broker_letters"]


def test_a_database_that_is_away_is_said_in_an_answer(
    scrape: Callable[[], Figures], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(self: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(tallies.Tallier, "read", away)
    figures = scrape()
    assert of(figures, "database_up") == 0
    assert {name for name, _ in figures} <= {
        "plumbline_database_up",
        "plumbline_broker_up",
        "plumbline_broker_letters",
    }


def test_reading_changes_nothing(scrape: Callable[[], Figures]) -> None:
    from django.db import InternalError, connection

    with pytest.raises(InternalError, match="read-only"), metrics._short_look():
        Event.objects.create(kind="x", actor="x")
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        assert cursor.fetchone() == ("off",)


def test_totals_never_go_back_and_every_process_tells_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever is settled meanwhile, and in whatever strides."""
    monkeypatch.setattr(tallies, "STRIDE", 3)
    long_running = tallies.Tallier()
    seen: dict[tallies.Kind, int] = {}
    for round_, letters in enumerate("ABCD"):
        send(letters)
        score(factories.claim(), took=float(round_))
        # One half of the rounds sees all of the log as settled, the other none.
        monkeypatch.setattr(tallies, "SETTLED_SECONDS", -60 if round_ % 2 else 120)
        found = {kind: tally.n for kind, tally in long_running.read().items()}
        fresh = {kind: tally.n for kind, tally in tallies.Tallier().read().items()}
        assert found == fresh
        assert all(found[kind] >= n for kind, n in seen.items())
        seen = found
    scored = sum(n for kind, n in seen.items() if kind.kind == "evaluation.scored")
    assert scored == 4


def test_another_log_is_counted_from_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallies, "SETTLED_SECONDS", -60)
    tallier = tallies.Tallier()
    send("A")
    assert tallier.read()
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE evaluations_event RESTART IDENTITY")
    assert not tallier.read()
