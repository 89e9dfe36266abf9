"""Processes that serve queues say so every few seconds; the clock is the database's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models.functions import Now

from portal.evaluations.models import Presence

PRESENT_SECONDS = 15  # whoever said nothing for longer is not there
KEPT = timedelta(days=1)  # then its row goes
HOUSEKEEPING = "housekeeping"  # what the sweeper calls its queue

_ANNOUNCE = """
INSERT INTO evaluations_presence (name, queues, n_slots, evaluator_version, started_at, seen_at)
VALUES (%s, %s, %s, %s, clock_timestamp(), clock_timestamp())
ON CONFLICT (name) DO UPDATE
SET queues = excluded.queues, n_slots = excluded.n_slots,
    evaluator_version = excluded.evaluator_version, seen_at = excluded.seen_at
RETURNING xmax = 0
"""


@dataclass(frozen=True, slots=True)
class Present:
    """A process as it last said of itself, not longer ago than PRESENT_SECONDS."""

    name: str
    queues: tuple[str, ...]
    n_slots: int
    evaluator_version: str
    started_at: datetime
    seen_at: datetime


def announce(name: str, *, queues: Sequence[str], n_slots: int, evaluator_version: str) -> None:
    """Say that a process is there; the first time, rows of those long gone are removed."""
    values = (name[:100], ",".join(queues)[:100], n_slots, evaluator_version)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_ANNOUNCE, values)
        row = cursor.fetchone()
        is_new = row is not None and row[0]
    if is_new:
        Presence.objects.filter(seen_at__lt=Now() - KEPT).delete()


def withdraw(name: str) -> None:
    """Say that a process is gone, so that nobody counts on it any longer."""
    Presence.objects.filter(name=name[:100]).delete()


def present() -> list[Present]:
    """Who is there at this moment, by name."""
    rows = Presence.objects.filter(seen_at__gte=Now() - timedelta(seconds=PRESENT_SECONDS))
    return [
        Present(
            name=row.name,
            queues=tuple(row.queues.split(",")) if row.queues else (),
            n_slots=row.n_slots,
            evaluator_version=row.evaluator_version,
            started_at=row.started_at,
            seen_at=row.seen_at,
        )
        for row in rows.order_by("name")
    ]
