"""What is amiss at the moment, read off the event log: the last word on each subject counts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Now

from portal.evaluations import events
from portal.evaluations.models import Event

REMEMBERED = timedelta(days=30)  # what is amiss for longer is told again

CANARY_KINDS = (events.CANARY_LATE, events.CANARY_FAILED, events.CANARY_RECOVERED)
QUEUE_KINDS = (events.QUEUE_STALLED, events.QUEUE_MOVING)
_ENDS = (events.CANARY_RECOVERED, events.QUEUE_MOVING)

Subject = tuple[UUID | None, str]  # a version and a track; no version and a queue


def open_canary_incidents() -> Mapping[Subject, str]:
    """By version and track, the kind of event that told last of a canary that did not come."""
    return _open(CANARY_KINDS, "track")


def open_queue_incidents() -> Mapping[Subject, str]:
    """The queues of which the last word is that they stand still."""
    return _open(QUEUE_KINDS, "queue")


def _open(kinds: tuple[str, ...], key: str) -> dict[Subject, str]:
    rows = (
        Event.objects.filter(kind__in=kinds, at__gt=Now() - REMEMBERED)
        .annotate(subject=KeyTextTransform(key, "data"))
        .order_by("version_id", "subject", "-id")
        .distinct("version_id", "subject")
        .values_list("version_id", "subject", "kind")
    )
    return {(version_id, subject): kind for version_id, subject, kind in rows if kind not in _ENDS}
