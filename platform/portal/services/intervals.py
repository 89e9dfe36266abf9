"""Intervals follow the values in a second letter."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import transaction

from evaluator.scorecard import Scorecard
from portal.evaluations import intervals
from portal.evaluations.models import Evaluation
from portal.exchange import jobs
from portal.exchange.queue import post
from portal.services.values import IntervalsBrief


def begin_intervals(*, evaluation_id: UUID) -> IntervalsBrief | None:
    """Claim the intervals of a scored evaluation; None if they are there or in work."""
    attempt = intervals.claim(evaluation_id, lease_seconds=settings.LEASE_SECONDS)
    if attempt is None:
        return None
    evaluation = Evaluation.objects.select_related("version", "submission__track").get(
        id=evaluation_id
    )
    return IntervalsBrief(
        evaluation_id=evaluation_id,
        submission_id=evaluation.submission_id,
        attempt=attempt,
        version_id=evaluation.version_id,
        definition=evaluation.version.definition,
        track=evaluation.submission.track.slug,
        outcome_digest=evaluation.outcome_digest,
    )


def record_intervals(
    *, evaluation_id: UUID, attempt: int, card: Scorecard, draws_digest: str = ""
) -> bool:
    """Store the bounds beside the values; False if another try was first. Idempotent.

    Posts a letter to rebuild the board of the track.

    Args:
        draws_digest: where the values of all addresses under the draws lie.
    """
    recorded = intervals.store(
        evaluation_id,
        attempt=attempt,
        scores={(score.slice, score.metric): score for score in card.scores},
        draws_digest=draws_digest,
    )
    if recorded:
        version_id, track = Evaluation.objects.values_list(
            "version_id", "submission__track__slug"
        ).get(id=evaluation_id)
        transaction.on_commit(partial(post, jobs.REBUILD, version_id, track))
    return recorded


def extend_intervals_lease(*, evaluation_id: UUID, attempt: int) -> bool:
    """Keep the claim for another lease; False if it is no longer ours."""
    return intervals.extend_lease(
        evaluation_id, attempt=attempt, lease_seconds=settings.LEASE_SECONDS
    )


def release_intervals(*, evaluation_id: UUID, attempt: int, is_setback: bool) -> None:
    """This try came to nothing: another may begin after a moment, three times at most.

    Args:
        is_setback: a service of ours was away, so that this one does not count.
    """
    intervals.release(evaluation_id, attempt=attempt, is_setback=is_setback)


def renew_intervals(*, evaluation_id: UUID, draws_digest: str) -> bool:
    """The stored draws are lost: have the intervals computed anew; False if that is done already.

    The bounds stay beside the values meanwhile.

    Args:
        draws_digest: where the lost draws should have been.
    """
    renewed = intervals.renew(evaluation_id, draws_digest=draws_digest)
    if renewed:
        transaction.on_commit(partial(post, jobs.INTERVALS, evaluation_id))
    return renewed


def unheard_intervals(*, overdue_seconds: float) -> list[UUID]:
    """Scored evaluations whose intervals nobody is at, oldest first."""
    return intervals.wanted(overdue_seconds=overdue_seconds)
