"""Queues that stand still: rows wait and nobody takes them. Told once, and again when mended."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

import evaluator
from portal import locks
from portal.evaluations import events, presence, transitions
from portal.evaluations.incidents import open_queue_incidents
from portal.evaluations.models import Evaluation

logger = logging.getLogger(__name__)

UNATTENDED_SECONDS = 30.0  # a restart of all workers takes less
UNCLAIMED_SECONDS = 60.0
NO_WORKER, NOTHING_CLAIMED = "no-worker", "nothing-claimed"


def watch_queues(*, suspected: frozenset[str]) -> frozenset[str]:
    """Tell of queues that stand still or move again, once each.

    Args:
        suspected: those that stood still at the last look. One look alone says little, as
            when the database has just come back.

    Returns:
        Those that stand still at this look.
    """
    stalled = _stalled()
    with transaction.atomic():
        if not locks.take("watch queues"):
            return frozenset(stalled)
        told = {queue for _, queue in open_queue_incidents()}
        for queue in stalled.keys() & suspected - told:
            why, n_waiting = stalled[queue]
            logger.error("queue %s stands still: %s, %d wait", queue, why, n_waiting)
            events.record(
                events.QUEUE_STALLED, actor=events.HOUSE, queue=queue, why=why, n_waiting=n_waiting
            )
        for queue in told - stalled.keys():
            logger.info("queue %s moves again", queue)
            events.record(events.QUEUE_MOVING, actor=events.HOUSE, queue=queue)
    return frozenset(stalled)


def _stalled() -> dict[str, tuple[str, int]]:
    """By queue, why it stands still and how many rows have waited for long."""
    waiting = _waiting(UNATTENDED_SECONDS)
    if not waiting:
        return {}
    moving = set(_moving())
    attended = {
        queue for process in presence.present() if process.n_slots for queue in process.queues
    }
    longer = _waiting(UNCLAIMED_SECONDS)
    stalled = {}
    for queue in waiting.keys() - moving:
        if queue not in attended:
            stalled[queue] = NO_WORKER, waiting[queue]
        elif queue in longer:
            stalled[queue] = NOTHING_CLAIMED, longer[queue]
    return stalled


def _waiting(seconds: float) -> dict[str, int]:
    """By queue, how many rows could have been claimed for so long."""
    rows = transitions.claimable(evaluator_version=evaluator.__version__, overdue_seconds=seconds)
    return {queue: len(ids) for queue, ids in rows.items()}


def _moving() -> list[str]:
    """Queues of which somebody has a row at this moment, or took one a moment ago."""
    lately = Now() - timedelta(seconds=UNCLAIMED_SECONDS)
    is_held = Q(status=Evaluation.Status.RUNNING, lease_until__gt=Now())
    # What was claimed is unfinished or has finished since: each has its index.
    was_returned = Q(status=Evaluation.Status.QUEUED, started_at__gt=lately)
    has_finished = Q(finished_at__gt=lately, started_at__isnull=False)
    found: set[str] = set()
    for rows in (is_held | was_returned, has_finished):
        found.update(Evaluation.objects.filter(rows).values_list("queue", flat=True).distinct())
    return sorted(found)
