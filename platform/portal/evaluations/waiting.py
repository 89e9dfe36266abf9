"""Where a waiting evaluation stands, and how long it may take, from measured times."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, Q
from django.db.models.functions import Now

from portal.evaluations.models import Evaluation

N_MEASURED = 50  # the latest scorings whose service times count


@dataclass(frozen=True, slots=True)
class Wait:
    """`position` 1 is next; `expected_seconds` is None until something was measured."""

    position: int
    expected_seconds: float | None


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast the queue moves; `service_seconds` is None until something was measured."""

    service_seconds: float | None
    n_workers: int


def pace() -> Pace:
    """The pace at this moment: the same for all that wait."""
    return Pace(service_seconds=service_seconds(), n_workers=n_workers())


def wait_of(evaluation: Evaluation, pace: Pace) -> Wait:
    """Position in the queue and expected seconds until scored."""
    earlier = Q(due_at__lt=evaluation.due_at) | Q(
        due_at=evaluation.due_at, queued_at__lt=evaluation.queued_at
    )
    n_ahead = Evaluation.objects.filter(
        earlier, status=Evaluation.Status.QUEUED, priority__lte=evaluation.priority
    ).count()
    if pace.service_seconds is None:
        return Wait(position=n_ahead + 1, expected_seconds=None)
    return Wait(
        position=n_ahead + 1,
        expected_seconds=pace.service_seconds * (1 + n_ahead / max(1, pace.n_workers)),
    )


def service_seconds() -> float | None:
    """Mean seconds from claim to score of the latest scorings; None before the first."""
    latest = (
        Evaluation.objects.filter(
            status=Evaluation.Status.SCORED, started_at__isnull=False, finished_at__isnull=False
        )
        .order_by("-finished_at")
        .annotate(seconds=F("finished_at") - F("started_at"))
        .values_list("seconds", flat=True)[:N_MEASURED]
    )
    seconds = [duration.total_seconds() for duration in latest]
    return sum(seconds) / len(seconds) if seconds else None


def n_workers() -> int:
    """Workers that hold a lease at this moment."""
    held = Evaluation.objects.filter(status=Evaluation.Status.RUNNING, lease_until__gt=Now())
    return held.values("worker").distinct().count()
