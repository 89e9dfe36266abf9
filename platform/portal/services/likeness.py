"""Answers that are those of another team: found by the worker, told to maintainers alone.

Nobody is refused for it, and nothing of it is shown to entrants.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from portal import locks
from portal.evaluations import events
from portal.evaluations.models import Evaluation, Event
from portal.submissions.models import Submission

logger = logging.getLogger(__name__)

# With the earliest of a group each is told together; more pairs would say the same again.
MAX_PAIRS = 20

_TELLS = Q(status=Evaluation.Status.SCORED, submission__source=Submission.Source.UPLOAD) & ~Q(
    answers_digest=""
)


@dataclass(frozen=True, slots=True)
class OtherAnswers:
    """Another team's submission to the same track, and where its answers lie in short."""

    submission_id: UUID
    answers_digest: str


@dataclass(frozen=True, slots=True)
class ComparisonBrief:
    """What the worker needs to hold a submission's answers against others'; earliest first."""

    evaluation_id: UUID
    answers_digest: str
    others: tuple[OtherAnswers, ...]


@dataclass(frozen=True, slots=True)
class Alike:
    """Another team's submission with nearly the same answers: `n_different` of `n` differ."""

    submission_id: UUID
    n: int
    n_different: int


def begin_comparison(*, evaluation_id: UUID) -> ComparisonBrief | None:
    """What to compare; None if it was done, or there is nothing to be compared."""
    row = (
        Evaluation.objects.filter(_TELLS, id=evaluation_id, compared_at__isnull=True)
        .select_related("submission__team")
        .first()
    )
    if row is None:
        return None
    others = (
        Evaluation.objects.filter(
            _TELLS, version_id=row.version_id, submission__track_id=row.submission.track_id
        )
        .exclude(submission__team=row.submission.team)
        .order_by("submission_id", F("finished_at").desc())
        .distinct("submission_id")
        .values_list("submission__created_at", "submission_id", "answers_digest")
    )
    return ComparisonBrief(
        evaluation_id=row.id,
        answers_digest=row.answers_digest,
        others=tuple(OtherAnswers(id_, digest) for _, id_, digest in sorted(others)),
    )


def record_comparison(*, evaluation_id: UUID, alike: Sequence[Alike]) -> int:
    """Flag every pair that was not flagged before; returns how many. A letter may come twice.

    Args:
        alike: earliest first; beyond MAX_PAIRS the rest is left out.
    """
    row = Evaluation.objects.select_related("submission").get(id=evaluation_id)
    mine, n_flagged = row.submission_id, 0
    with transaction.atomic():
        locks.wait_for(f"alike {row.version_id}")
        flagged = _flagged_with(mine)
        for other in alike[:MAX_PAIRS]:
            if other.submission_id in flagged:
                continue
            logger.warning(
                "submission %s: %d of %d answers differ from those of submission %s",
                *(mine, other.n_different, other.n, other.submission_id),
            )
            events.record(
                events.SUBMISSION_ALIKE,
                actor=events.HOUSE,
                version_id=row.version_id,
                submission_id=mine,
                evaluation_id=row.id,
                other=str(other.submission_id),
                share=other.n_different / other.n,
                n=other.n,
                n_different=other.n_different,
            )
            n_flagged += 1
        Evaluation.objects.filter(id=row.id).update(compared_at=Now())
    return n_flagged


def unheard_comparisons(*, overdue_seconds: float) -> list[UUID]:
    """Scored uploads whose answers nobody has held against others' yet, oldest first."""
    rows = Evaluation.objects.filter(
        ~Q(answers_digest=""),
        status=Evaluation.Status.SCORED,
        compared_at__isnull=True,
        finished_at__lt=Now() - timedelta(seconds=overdue_seconds),
    )
    return list(rows.order_by("finished_at").values_list("id", flat=True))


def _flagged_with(submission_id: UUID) -> set[UUID]:
    """With whom the submission was flagged, on either side of the pair."""
    told = Event.objects.filter(kind=events.SUBMISSION_ALIKE)
    later = told.filter(data__other=str(submission_id)).values_list("submission_id", flat=True)
    earlier = told.filter(submission_id=submission_id).values_list("data__other", flat=True)
    return {id_ for id_ in later if id_} | {UUID(id_) for id_ in earlier}
