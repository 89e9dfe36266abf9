"""The moves of an evaluation: compare-and-set on its row, fenced by attempt, one event each.

The only code that changes `Evaluation.status`. Every function runs in a
transaction of its own, and the database's clock is the only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from portal.evaluations import events
from portal.evaluations.failures import (
    FAILURES,
    MAX_STRIKES,
    PATIENCE,
    WORKER_LOST,
    delay_after_setback,
    delay_after_strike,
)
from portal.evaluations.models import Evaluation, Score

Status = Evaluation.Status

_CLAIM = """
WITH candidate AS (
    SELECT id, status FROM evaluations_evaluation AS waiting
    WHERE (%(id)s::uuid IS NULL OR id = %(id)s::uuid OR (queue, priority) IN (
              SELECT queue, generate_series(0, priority - 1)
              FROM evaluations_evaluation WHERE id = %(id)s::uuid
          ))
      AND (%(queues)s::text[] IS NULL OR queue = ANY(%(queues)s::text[]))
      AND (status = 'QUEUED' AND due_at <= clock_timestamp() - %(overdue)s * interval '1 second'
           OR status = 'RUNNING' AND lease_until < clock_timestamp()
              AND strikes + 1 < %(max_strikes)s)
      AND NOT EXISTS (
          SELECT 1 FROM evaluations_evaluation AS other
          WHERE other.submission_id = waiting.submission_id
            AND other.version_id = waiting.version_id
            AND other.evaluator_version = %(evaluator)s
            AND other.id <> waiting.id
      )
    ORDER BY priority, due_at, queued_at
    FOR UPDATE SKIP LOCKED
    LIMIT 1
)
UPDATE evaluations_evaluation AS evaluation
SET status = 'RUNNING',
    attempt = attempt + 1,
    strikes = strikes + (candidate.status = 'RUNNING')::int,
    lease_until = clock_timestamp() + %(lease)s * interval '1 second',
    started_at = clock_timestamp(),
    worker = %(worker)s,
    evaluator_version = %(evaluator)s,
    progress_done = 0,
    progress_total = 0
FROM candidate
WHERE evaluation.id = candidate.id
RETURNING evaluation.id, evaluation.attempt, candidate.status
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """A row that is ours until the lease ends."""

    evaluation_id: UUID
    attempt: int


def claim(
    *,
    evaluation_id: UUID | None,
    worker: str,
    evaluator_version: str,
    lease_seconds: float,
    overdue_seconds: float = 0.0,
    queues: Sequence[str] | None = None,
) -> Claim | None:
    """Claim one row by one conditional update; None if there is none to claim.

    A row whose lease ran out is claimed as well: its worker is gone, which is a strike.

    A row is passed over where its submission has another row of this evaluator
    version: there is one of each.

    Args:
        evaluation_id: this one, unless it is in the background and somebody waits for
            another; None for the one that waits longest.
        overdue_seconds: leave out rows that have been due for less.
        queues: leave out rows of others; None for all.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            _CLAIM,
            {
                "id": evaluation_id,
                "queues": None if queues is None else list(queues),
                "max_strikes": MAX_STRIKES,
                "overdue": overdue_seconds,
                "lease": lease_seconds,
                "worker": worker[:100],
                "evaluator": evaluator_version,
            },
        )
        row = cursor.fetchone()
        if row is None:
            return None
        claimed = Claim(evaluation_id=row[0], attempt=row[1])
        _record(claimed, events.EVALUATION_STARTED, before=row[2], after=Status.RUNNING, by=worker)
    return claimed


def extend_lease(claimed: Claim, *, lease_seconds: float) -> bool:
    """Keep the row for another lease; False if it is no longer ours."""
    until = Now() + timedelta(seconds=lease_seconds)
    return _ours(claimed).update(lease_until=until) == 1


def report_progress(claimed: Claim, *, done: int, total: int) -> bool:
    """Note how far the scoring is; False if the row is no longer ours."""
    return _ours(claimed).update(progress_done=done, progress_total=total) == 1


def finish_scored(
    claimed: Claim,
    *,
    scores: Sequence[Score],
    outcome_digest: str,
    intervals: Evaluation.Intervals,
    answers_digest: str = "",
) -> bool:
    """Scores, outcome and status in one transaction; False if the row is no longer ours."""
    with transaction.atomic():
        moved = _leave_running(
            claimed,
            Status.SCORED,
            events.EVALUATION_SCORED,
            outcome_digest=outcome_digest,
            answers_digest=answers_digest,
            intervals=intervals,
            finished_at=Now(),
        )
        if moved:
            for score in scores:
                score.evaluation_id = claimed.evaluation_id
            Score.objects.bulk_create(scores)
    return moved


def finish_rejected(claimed: Claim, *, problems: list[dict[str, Any]], n_problems: int) -> bool:
    """The entrant's file is at fault; False if the row is no longer ours."""
    return _leave_running(
        claimed,
        Status.REJECTED,
        events.EVALUATION_REJECTED,
        problems=problems,
        n_problems=n_problems,
        intervals=Evaluation.Intervals.NONE,
        finished_at=Now(),
    )


def finish_failed(claimed: Claim, *, code: str) -> bool:
    """We are at fault: back into the queue with a delay, or FAILED if that leads nowhere.

    A strike may be the file's doing, and three are the end; a setback is a service
    that was away, and is waited out until PATIENCE ends.
    """
    failure = FAILURES[code]
    with transaction.atomic():
        row = _ours(claimed).select_for_update().annotate(age=Now() - F("queued_at")).first()
        if row is None:
            return False
        if failure.is_setback:
            may_try = row.age < PATIENCE
            counted, delay = "setbacks", delay_after_setback(row.setbacks + 1)
        else:
            may_try = failure.is_retried and row.strikes + 1 < MAX_STRIKES
            counted = "strikes"
            delay = delay_after_strike(row.strikes + 1) if may_try else timedelta()
        fields = {counted: F(counted) + 1}
        if may_try:
            return _leave_running(
                claimed,
                Status.QUEUED,
                events.EVALUATION_QUEUED,
                code=code,
                due_at=Now() + delay,
                **fields,
            )
        return _fail(claimed, code, **fields)


def _fail(claimed: Claim, code: str, **fields: Any) -> bool:
    return _leave_running(
        claimed,
        Status.FAILED,
        events.EVALUATION_FAILED,
        code=code,
        failure_code=code,
        intervals=Evaluation.Intervals.NONE,
        finished_at=Now(),
        **fields,
    )


def withdraw_unfinished(submission_id: UUID, *, actor: str) -> None:
    """Take the submission's waiting and running evaluations off the queue."""
    with transaction.atomic():
        unfinished = Evaluation.objects.select_for_update().filter(
            submission_id=submission_id, status__in=(Status.QUEUED, Status.RUNNING)
        )
        for evaluation in unfinished:
            claimed = Claim(evaluation.id, evaluation.attempt)
            before = Status(evaluation.status)
            Evaluation.objects.filter(id=evaluation.id).update(
                status=Status.WITHDRAWN,
                lease_until=None,
                intervals=Evaluation.Intervals.NONE,
                finished_at=Now(),
            )
            _record(
                claimed,
                events.EVALUATION_WITHDRAWN,
                before=before,
                after=Status.WITHDRAWN,
                by=actor,
            )


def fail_abandoned() -> int:
    """FAILED for what three workers left behind; returns how many."""
    abandoned = Evaluation.objects.filter(
        status=Status.RUNNING, lease_until__lt=Now(), strikes__gte=MAX_STRIKES - 1
    )
    n_failed = 0
    for evaluation_id, attempt in list(abandoned.values_list("id", "attempt")):
        with transaction.atomic():
            # A heartbeat that came late may have taken the lease up again since.
            if abandoned.filter(id=evaluation_id).select_for_update(skip_locked=True).exists():
                n_failed += _fail(
                    Claim(evaluation_id, attempt), WORKER_LOST, strikes=F("strikes") + 1
                )
    return n_failed


def claimable(*, evaluator_version: str, overdue_seconds: float) -> dict[str, list[UUID]]:
    """By queue, rows that wait longer than a bell should take, or whose lease ran out.

    Those for whom somebody waits first, then the oldest; without those that `claim` passes over.
    """
    waiting = Q(status=Status.QUEUED, due_at__lt=Now() - timedelta(seconds=overdue_seconds))
    expired = Q(status=Status.RUNNING, lease_until__lt=Now(), strikes__lt=MAX_STRIKES - 1)
    others = Evaluation.objects.filter(
        submission_id=OuterRef("submission_id"),
        version_id=OuterRef("version_id"),
        evaluator_version=evaluator_version,
    ).exclude(id=OuterRef("id"))
    rows = Evaluation.objects.filter(~Exists(others), waiting | expired)
    found: dict[str, list[UUID]] = {}
    ordered = rows.order_by("priority", "due_at", "queued_at").values_list("queue", "id")
    for queue, evaluation_id in ordered:
        found.setdefault(queue, []).append(evaluation_id)
    return found


def _ours(claimed: Claim) -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(
        id=claimed.evaluation_id, attempt=claimed.attempt, status=Status.RUNNING
    )


def _leave_running(
    claimed: Claim, status: Evaluation.Status, kind: str, *, code: str = "", **fields: Any
) -> bool:
    with transaction.atomic():
        if _ours(claimed).update(status=status, lease_until=None, **fields) == 0:
            return False
        data = {"code": code} if code else {}
        _record(claimed, kind, before=Status.RUNNING, after=status, **data)
    return True


def _record(
    claimed: Claim,
    kind: str,
    *,
    before: str,
    after: str,
    by: str | None = None,
    **data: Any,  # JSON values
) -> None:
    row = (
        Evaluation.objects.annotate(
            waited=F("started_at") - F("due_at"), took=F("finished_at") - F("started_at")
        )
        .only("submission_id", "version_id", "worker", "queue")
        .get(id=claimed.evaluation_id)
    )
    # What monitoring counts is read off the log, which only grows.
    if (before, after) == (Status.QUEUED, Status.RUNNING):
        data |= {"queue": row.queue, "waited": row.waited.total_seconds()}
    elif after in (Status.SCORED, Status.REJECTED):
        data |= {"queue": row.queue, "took": row.took.total_seconds()}
    events.record(
        kind,
        actor=by or row.worker or events.HOUSE,
        version_id=row.version_id,
        submission_id=row.submission_id,
        evaluation_id=claimed.evaluation_id,
        before=str(before),
        after=str(after),
        attempt=claimed.attempt,
        **data,
    )
