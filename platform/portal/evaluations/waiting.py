"""Where a waiting evaluation stands, and how long it may take, from measured times.

An estimate is a span, never a number alone, and there is none where nobody listens or
too little was measured.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from uuid import UUID

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from portal.benchmarks.models import Track
from portal.evaluations import events, presence
from portal.evaluations.failures import WORKER_LOST
from portal.evaluations.models import Evaluation, Event

N_MEASURED = 50  # the latest scorings of a queue whose times count
FEWEST = 3  # with fewer, nothing is said
RECENT_SECONDS = 1.0  # what serves many who come at once
HIGH = 0.9  # nine in ten take no longer than the upper end

_AHEAD = """
SELECT mine.id, count(other.id), extract(epoch FROM mine.due_at - clock_timestamp())::float
FROM evaluations_evaluation AS mine
LEFT JOIN evaluations_evaluation AS other
    ON other.queue = mine.queue AND other.id <> mine.id AND other.status IN ('QUEUED', 'RUNNING')
    AND (other.status = 'QUEUED' OR other.lease_until < clock_timestamp())
    AND (other.priority = mine.priority
            AND (other.due_at, other.queued_at) < (mine.due_at, mine.queued_at)
         OR other.priority < mine.priority
            AND other.due_at <= greatest(mine.due_at, clock_timestamp()))
WHERE mine.id = ANY(%s)
GROUP BY mine.id
"""
_QUEUES = """
SELECT queue,
    count(*) FILTER (WHERE status = 'QUEUED'),
    count(*) FILTER (WHERE status = 'RUNNING'),
    count(*) FILTER (
        WHERE status = 'QUEUED' AND priority = 0 AND due_at <= clock_timestamp()
    ),
    extract(epoch FROM clock_timestamp() - min(due_at) FILTER (
        WHERE status = 'QUEUED' AND due_at <= clock_timestamp()
    ))::float
FROM evaluations_evaluation
WHERE status IN ('QUEUED', 'RUNNING')
GROUP BY queue
"""


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds: half of all waits end before `middle`, nine in ten before `high`."""

    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds from claim to score, over the latest scorings of a queue."""

    mean: float
    middle: float
    high: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Pace | None:
        """The pace of these scorings; None if they are too few."""
        if len(seconds) < FEWEST:
            return None
        ordered = sorted(seconds)
        high = ordered[math.ceil(HIGH * len(ordered)) - 1]
        return cls(statistics.fmean(ordered), statistics.median(ordered), high)

    def of_many(self, n: int) -> Span:
        """How long `n` scorings take one after the other.

        The mean of a sum grows with its length, its spread with the root of that.
        """
        spread = math.sqrt(n)
        return Span(
            n * self.mean + spread * (self.middle - self.mean),
            n * self.mean + spread * (self.high - self.mean),
        )

    def left(self, elapsed: float) -> Span:
        """What is left of a scoring; one that takes unusually long may take as long again."""
        high = self.high - elapsed if elapsed < self.high else self.high
        return Span(max(0.0, self.middle - elapsed), high)


@dataclass(frozen=True, slots=True)
class Wait:
    """How a waiting evaluation stands.

    Attributes:
        position: 1 is next.
        n_slots: rows of its queue that are scored at once; 0 if nobody listens.
        expected: until it is scored; None if nobody listens or too little was measured.
        due_seconds: it is tried again after so long, not before; None if it is due.
    """

    position: int
    n_slots: int
    expected: Span | None
    due_seconds: float | None


@dataclass(frozen=True, slots=True)
class QueueState:
    """A queue as everybody may see it; `expected` is that of a file sent now."""

    queue: str
    n_waiting: int
    n_running: int
    n_slots: int
    oldest_seconds: float | None
    expected: Span | None


class Moment:
    """The queues at one moment: measured once, asked for as many rows as one likes."""

    def __init__(self) -> None:
        self._paces: dict[str, Pace | None] = {}
        self._last_scored: dict[int, datetime | None] = {}

    def waits(self, evaluations: Sequence[Evaluation]) -> dict[UUID, Wait]:
        """By id, how these stand; those that do not wait are left out."""
        queued = [row for row in evaluations if row.status == Evaluation.Status.QUEUED]
        if not queued:
            return {}
        with connection.cursor() as cursor:
            cursor.execute(_AHEAD, [[row.id for row in queued]])
            found = {id_: (n_ahead, due) for id_, n_ahead, due in cursor.fetchall()}
        return {row.id: self._wait(row.queue, *found[row.id]) for row in queued if row.id in found}

    def queues(self) -> list[QueueState]:
        """The queues that hold rows or have listeners, and the usual one in any case."""
        with connection.cursor() as cursor:
            cursor.execute(_QUEUES)
            rows = {row[0]: row[1:] for row in cursor.fetchall()}
        listened = {queue for process in self._present for queue in process.queues}
        states = []
        for queue in map(str, Evaluation.Queue.values):
            if queue == Evaluation.Queue.SCORE or queue in rows or queue in listened:
                n_waiting, n_running, n_ahead, oldest = rows.get(queue, (0, 0, 0, None))
                wait = self._wait(queue, n_ahead, 0.0)
                states.append(
                    QueueState(queue, n_waiting, n_running, wait.n_slots, oldest, wait.expected)
                )
        return states

    def last_scored_at(self, track: Track) -> datetime | None:
        """When anything was last scored on this track: the canary's answers count."""
        if track.pk not in self._last_scored:
            scored = Evaluation.objects.filter(
                version_id=track.version_id,
                submission__track_id=track.pk,
                status=Evaluation.Status.SCORED,
                started_at__isnull=False,
            )
            latest = scored.order_by("-finished_at").values_list("finished_at", flat=True)
            self._last_scored[track.pk] = latest.first()
        return self._last_scored[track.pk]

    def _wait(self, queue: str, n_ahead: int, due_seconds: float) -> Wait:
        free = self._free(queue)
        pace = self._pace(queue)
        expected = None
        if free and pace is not None:
            begins = free[n_ahead % len(free)]
            takes = pace.of_many(n_ahead // len(free) + 1)
            own = pace.of_many(1)
            expected = Span(
                max(begins.middle + takes.middle, due_seconds + own.middle),
                max(begins.high + takes.high, due_seconds + own.high),
            )
        return Wait(
            position=n_ahead + 1,
            n_slots=len(free),
            expected=expected,
            due_seconds=due_seconds if due_seconds > 0 else None,
        )

    def _free(self, queue: str) -> list[Span]:
        """For each slot that serves the queue, how long until it is free; soonest first."""
        listeners = [process for process in self._present if queue in process.queues]
        n_slots = sum(process.n_slots for process in listeners)
        # A worker that serves two queues is kept busy by both.
        shared = {queue, *(name for process in listeners for name in process.queues)}
        idle = Span(0.0, 0.0)
        busy = []
        for name in shared:
            pace = self._pace(name) if self._running.get(name) else None
            for elapsed in self._running.get(name, ()):
                busy.append(pace.left(elapsed) if pace is not None else idle)
        free = [*busy, *([idle] * (n_slots - len(busy)))]
        return sorted(free, key=lambda span: (span.middle, span.high))

    def _pace(self, queue: str) -> Pace | None:
        if queue not in self._paces:
            latest = (
                Evaluation.objects.filter(
                    queue=queue, status=Evaluation.Status.SCORED, started_at__isnull=False
                )
                .order_by("-finished_at")
                .annotate(took=F("finished_at") - F("started_at"))
                .values_list("took", flat=True)[:N_MEASURED]
            )
            self._paces[queue] = Pace.of([took.total_seconds() for took in latest])
        return self._paces[queue]

    @cached_property
    def _present(self) -> list[presence.Present]:
        return [process for process in presence.present() if process.n_slots]

    @cached_property
    def _running(self) -> dict[str, list[float]]:
        """By queue, for how many seconds its rows have been in somebody's hands."""
        held = Evaluation.objects.filter(
            status=Evaluation.Status.RUNNING, lease_until__gt=Now(), started_at__isnull=False
        )
        running: dict[str, list[float]] = defaultdict(list)
        for queue, elapsed in held.annotate(elapsed=Now() - F("started_at")).values_list(
            "queue", "elapsed"
        ):
            running[queue].append(elapsed.total_seconds())
        return running


_recent: tuple[float, Moment] | None = None


def recent_moment() -> Moment:
    """A moment of this process that is no older than RECENT_SECONDS; places are always new."""
    global _recent
    now = time.monotonic()
    if _recent is None or now - _recent[0] > RECENT_SECONDS:
        _recent = now, Moment()
    return _recent[1]


def interrupted_by(evaluation: Evaluation) -> str | None:
    """The code of what ended the attempt before this one; None if nothing did."""
    moves = Event.objects.filter(
        submission_id=evaluation.submission_id,
        evaluation_id=evaluation.id,
        kind__in=(events.EVALUATION_QUEUED, events.EVALUATION_STARTED),
        data__before=Evaluation.Status.RUNNING,
    )
    last = moves.order_by("-id").first()
    if last is None:
        return None
    return str(last.data.get("code") or WORKER_LOST)
