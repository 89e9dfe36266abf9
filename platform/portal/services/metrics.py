"""The figures that Prometheus collects, read from database and broker at the moment it asks.

Totals come from the event log, so every process of the site tells the same ones and no
restart sets them back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import product

from django.db import Error, connection, transaction
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from portal.evaluations import events
from portal.evaluations.failures import FAILURES
from portal.evaluations.models import Evaluation
from portal.evaluations.presence import HOUSEKEEPING, present
from portal.evaluations.tallies import BUCKETS, Kind, Tallier, Tally
from portal.evaluations.waiting import Moment
from portal.exchange import jobs
from portal.exchange.queue import n_waiting_letters
from portal.services.probes import does_database_answer
from portal.services.watching import canaries
from portal.submissions.models import Submission

TIMEOUT_SECONDS = 5
PRIORITIES = {
    Evaluation.Priority.ENTRANT: "entrant",
    Evaluation.Priority.BACKGROUND: "background",
}
STATES = ("waiting", "later", "running", "abandoned")
FINISHED = {
    events.EVALUATION_SCORED: "scored",
    events.EVALUATION_REJECTED: "rejected",
    events.EVALUATION_FAILED: "failed",
    events.EVALUATION_WITHDRAWN: "withdrawn",
}

_ROWS = """
SELECT queue, priority,
    CASE
        WHEN status = 'QUEUED' AND due_at <= clock_timestamp() THEN 'waiting'
        WHEN status = 'QUEUED' THEN 'later'
        WHEN lease_until < clock_timestamp() THEN 'abandoned'
        ELSE 'running'
    END,
    count(*)
FROM evaluations_evaluation
WHERE status IN ('QUEUED', 'RUNNING')
GROUP BY 1, 2, 3
"""


def metrics_text() -> bytes:
    """All figures in the text format of Prometheus; those of a part that is away are missing."""
    return generate_latest(_registry)


class House(Collector):
    """Reads everything anew whenever it is asked."""

    def __init__(self) -> None:
        self._tallier = Tallier()

    def describe(self) -> Iterable[Metric]:
        """Nothing, so that registering asks no database."""
        return ()

    def collect(self) -> Iterator[Metric]:
        letters = _letters()
        found: list[Metric] = []
        if does_database_answer():
            with suppress(Error), _short_look():
                found = [*_queues(), *_workers(), *_canaries(), *_totals(self._tallier.read())]
        yield _gauge("database_up", "Whether the database answered.", bool(found))
        yield _gauge("broker_up", "Whether the broker answered.", letters is not None)
        if letters is not None:
            lying = GaugeMetricFamily(
                "plumbline_broker_letters", "Letters that lie in the broker.", labels=["queue"]
            )
            for queue, n_letters in letters.items():
                lying.add_metric([queue], n_letters)
            yield lying
        yield from found


@contextmanager
def _short_look() -> Iterator[None]:
    """A transaction that changes nothing and holds nobody up."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
        cursor.execute(f"SET LOCAL statement_timeout = '{TIMEOUT_SECONDS}s'")
        yield


def _letters() -> dict[str, int] | None:
    """By queue, letters in the broker; None if it does not answer."""
    found = {}
    for queue in jobs.QUEUES:
        n_letters = n_waiting_letters(queue)
        if n_letters is None:
            return None
        found[queue] = n_letters
    return found


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"plumbline_{name}", text, value=float(value))


def _queues() -> Iterator[Metric]:
    rows = GaugeMetricFamily(
        "plumbline_queue_rows",
        "Evaluations that are not finished. State later: tried again after a pause; "
        "abandoned: the lease of the worker ran out.",
        labels=["queue", "state", "priority"],
    )
    with connection.cursor() as cursor:
        cursor.execute(_ROWS)
        found = {(queue, state, priority): n for queue, priority, state, n in cursor.fetchall()}
    for queue, state, priority in product(Evaluation.Queue.values, STATES, PRIORITIES):
        labels = [str(queue), state, PRIORITIES[priority]]
        rows.add_metric(labels, found.get((queue, state, priority), 0))
    yield rows
    oldest = GaugeMetricFamily(
        "plumbline_queue_oldest_wait_seconds",
        "For how long the evaluation has been due that waits longest; 0 if none waits.",
        labels=["queue"],
    )
    waits = {state.queue: state.oldest_seconds or 0.0 for state in Moment().queues()}
    for queue in Evaluation.Queue.values:
        oldest.add_metric([str(queue)], waits.get(str(queue), 0.0))
    yield oldest


def _workers() -> Iterator[Metric]:
    workers = GaugeMetricFamily(
        "plumbline_workers_present",
        "Processes that said in the last 15 seconds that they serve the queue.",
        labels=["queue"],
    )
    slots = GaugeMetricFamily(
        "plumbline_worker_slots", "Rows of the queue that these work on at once.", labels=["queue"]
    )
    there = present()
    for queue in (*jobs.QUEUES, HOUSEKEEPING):
        listeners = [process for process in there if queue in process.queues]
        workers.add_metric([queue], len(listeners))
        if queue != HOUSEKEEPING:
            slots.add_metric([queue], sum(process.n_slots for process in listeners))
    yield workers
    yield slots


def _canaries() -> Iterator[Metric]:
    labels = ["version", "track"]
    is_ok = GaugeMetricFamily(
        "plumbline_canary_ok",
        "Whether the latest canary of an open version was scored, in time and as ever.",
        labels=labels,
    )
    age = GaugeMetricFamily(
        "plumbline_canary_age_seconds", "How long ago that canary was sent.", labels=labels
    )
    took = GaugeMetricFamily(
        "plumbline_canary_seconds", "From sending that canary to its score.", labels=labels
    )
    now = timezone.now()
    for canary in canaries():
        if canary.at is None:
            continue
        where = [canary.version, canary.track]
        is_ok.add_metric(where, float(canary.state == "ok"))
        age.add_metric(where, max(0.0, (now - canary.at).total_seconds()))
        if canary.seconds is not None:
            took.add_metric(where, canary.seconds)
    yield from (is_ok, age, took)


def _totals(tallies: Mapping[Kind, Tally]) -> Iterator[Metric]:
    def n_of(kind: str, **wanted: str) -> int:
        return sum(
            tally.n
            for found, tally in tallies.items()
            if found.kind == kind and all(getattr(found, k) == v for k, v in wanted.items())
        )

    running = str(Evaluation.Status.RUNNING)
    yield CounterMetricFamily(
        "plumbline_lease_expiries",
        "Claims of evaluations whose worker had let its lease run out.",
        value=n_of(events.EVALUATION_STARTED, before=running),
    )
    retries = CounterMetricFamily(
        "plumbline_retries",
        "Attempts that came to no end by a fault of ours and are repeated.",
        labels=["code"],
    )
    finished = CounterMetricFamily(
        "plumbline_evaluations_finished",
        "Evaluations in their final state; the code says why one failed.",
        labels=["state", "code"],
    )
    for code, failure in FAILURES.items():
        if failure.is_retried or failure.is_setback:
            retries.add_metric([code], n_of(events.EVALUATION_QUEUED, before=running, code=code))
    for kind, state in FINISHED.items():
        for code in FAILURES if kind == events.EVALUATION_FAILED else ("",):
            finished.add_metric([state, code], n_of(kind, code=code))
    yield from (retries, finished)
    accepted = CounterMetricFamily(
        "plumbline_submissions_accepted", "Submissions by how they came.", labels=["source"]
    )
    for source in Submission.Source.values:
        accepted.add_metric([source], n_of(events.SUBMISSION_ACCEPTED, source=source))
    yield accepted
    yield CounterMetricFamily(
        "plumbline_uploads_bytes",
        "Size of all predictions files that were accepted.",
        value=sum(
            tally.n_bytes
            for kind, tally in tallies.items()
            if kind.source == Submission.Source.UPLOAD
        ),
    )
    yield _histogram(
        "plumbline_wait_seconds",
        "From the moment an evaluation was due to the claim of a worker.",
        tallies,
        events.EVALUATION_STARTED,
    )
    yield _histogram(
        "plumbline_service_seconds",
        "From the claim of a worker to the score.",
        tallies,
        events.EVALUATION_SCORED,
    )


def _histogram(name: str, text: str, tallies: Mapping[Kind, Tally], kind: str) -> Metric:
    family = HistogramMetricFamily(name, text, labels=["queue"])
    for queue in map(str, Evaluation.Queue.values):
        of_queue = {
            found.bucket: tally
            for found, tally in tallies.items()
            if found.kind == kind and found.queue == queue and found.bucket is not None
        }
        buckets, n_up_to = [], 0
        for number, bound in enumerate((*map(str, BUCKETS), "+Inf")):
            n_up_to += of_queue[number].n if number in of_queue else 0
            buckets.append((bound, float(n_up_to)))
        family.add_metric([queue], buckets, sum(tally.seconds for tally in of_queue.values()))
    return family


_registry = CollectorRegistry(auto_describe=False)
_registry.register(House())
