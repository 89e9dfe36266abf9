"""Intervals follow the values: claimed, fenced and given up like scorings, on the same row."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from evaluator.scorecard import Score as ScoreValue
from portal.evaluations import events
from portal.evaluations.failures import MAX_STRIKES, PATIENCE, delay_after_setback
from portal.evaluations.models import Evaluation, Score

GIVEN_UP = "could not be computed; the maintainers can see why"

_PENDING = Q(status=Evaluation.Status.SCORED, intervals=Evaluation.Intervals.PENDING)
_FREE = Q(lease_until__isnull=True) | Q(lease_until__lt=Now())


def claim(evaluation_id: UUID, *, lease_seconds: float) -> int | None:
    """The number of this try, or None if the intervals are there or somebody is at them.

    It counts as a strike until `release` says that it was none.
    """
    with transaction.atomic():
        rows = Evaluation.objects.filter(_PENDING & _FREE, id=evaluation_id)
        claimed = rows.filter(intervals_strikes__lt=MAX_STRIKES).update(
            intervals_attempt=F("intervals_attempt") + 1,
            intervals_strikes=F("intervals_strikes") + 1,
            lease_until=Now() + timedelta(seconds=lease_seconds),
        )
        if not claimed:
            return None
        return Evaluation.objects.values_list("intervals_attempt", flat=True).get(id=evaluation_id)


def store(
    evaluation_id: UUID,
    *,
    attempt: int,
    scores: Mapping[tuple[str, str], ScoreValue],
    draws_digest: str,
) -> bool:
    """Bounds beside the stored values, which stay; False if another try was first."""
    with transaction.atomic():
        rows = Evaluation.objects.filter(_PENDING, id=evaluation_id, intervals_attempt=attempt)
        if not rows.update(
            intervals=Evaluation.Intervals.READY, lease_until=None, draws_digest=draws_digest
        ):
            return False
        changed = []
        for stored in Score.objects.filter(evaluation_id=evaluation_id):
            found = scores.get((stored.slice, stored.metric))
            if found is None:
                continue
            interval = found.interval
            stored.low = interval.low if interval else None
            stored.high = interval.high if interval else None
            stored.level = interval.level if interval else None
            stored.method = interval.method if interval else ""
            stored.interval_reason = found.interval_reason or ""
            stored.n_dropped_draws = found.n_dropped_draws
            changed.append(stored)
        fields = ("low", "high", "level", "method", "interval_reason", "n_dropped_draws")
        Score.objects.bulk_update(changed, fields)
        _record(evaluation_id, events.INTERVALS_READY, attempt=attempt)
    return True


def extend_lease(evaluation_id: UUID, *, attempt: int, lease_seconds: float) -> bool:
    """Keep this try for another lease; False if another one has begun."""
    rows = Evaluation.objects.filter(_PENDING, id=evaluation_id, intervals_attempt=attempt)
    return rows.update(lease_until=Now() + timedelta(seconds=lease_seconds)) == 1


def release(evaluation_id: UUID, *, attempt: int, is_setback: bool) -> None:
    """This try came to nothing; where a service of ours was away, it is no strike.

    Not beyond PATIENCE, though. The next one may begin after a moment, later each time.
    """
    rows = Evaluation.objects.filter(_PENDING, id=evaluation_id, intervals_attempt=attempt)
    if is_setback:
        rows.filter(finished_at__gt=Now() - PATIENCE).update(
            intervals_strikes=F("intervals_strikes") - 1
        )
    rows.update(lease_until=Now() + delay_after_setback(attempt))


def renew(evaluation_id: UUID, *, draws_digest: str) -> bool:
    """Pending again, with all tries ahead, where these draws were lost; False if others are there.

    The stored bounds stay: they are those of the outcome.
    """
    with transaction.atomic():
        rows = Evaluation.objects.filter(
            id=evaluation_id, intervals=Evaluation.Intervals.READY, draws_digest=draws_digest
        )
        if not rows.update(
            intervals=Evaluation.Intervals.PENDING, intervals_strikes=0, draws_digest=""
        ):
            return False
        _record(evaluation_id, events.INTERVALS_LOST)
    return True


def give_up() -> int:
    """No intervals for what three tries left pending; returns how many."""
    rows = Evaluation.objects.filter(_PENDING & _FREE, intervals_strikes__gte=MAX_STRIKES)
    n_given_up = 0
    for evaluation_id in list(rows.values_list("id", flat=True)):
        with transaction.atomic():
            still = Evaluation.objects.filter(_PENDING & _FREE, id=evaluation_id)
            if not still.update(intervals=Evaluation.Intervals.NONE, lease_until=None):
                continue
            Score.objects.filter(evaluation_id=evaluation_id).update(interval_reason=GIVEN_UP)
            _record(evaluation_id, events.INTERVALS_GIVEN_UP)
            n_given_up += 1
    return n_given_up


def wanted(*, overdue_seconds: float) -> list[UUID]:
    """Scored evaluations whose intervals nobody is at; oldest first."""
    rows = Evaluation.objects.filter(
        _PENDING & _FREE,
        intervals_strikes__lt=MAX_STRIKES,
        finished_at__lt=Now() - timedelta(seconds=overdue_seconds),
    )
    return list(rows.order_by("finished_at").values_list("id", flat=True))


def _record(evaluation_id: UUID, kind: str, **data: int) -> None:
    evaluation = Evaluation.objects.get(id=evaluation_id)
    events.record(
        kind,
        actor=events.HOUSE,
        version_id=evaluation.version_id,
        submission_id=evaluation.submission_id,
        evaluation_id=evaluation_id,
        **data,
    )
