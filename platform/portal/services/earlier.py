"""Submissions that a new one would repeat: by its key, or by its answers."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q

import evaluator
from portal.accounts.models import Team
from portal.benchmarks.models import Track
from portal.errors import IdempotencyMismatch
from portal.evaluations.models import Evaluation
from portal.submissions.models import Submission


def is_unheard_of(*, team: Team, key: str | None, track: Track, digest: str) -> bool:
    """Whether neither that key nor those answers ever came from the team; one cheap look."""
    same = Q(track=track, file_digest=digest)
    if key is not None:
        same |= Q(idempotency_key=key)
    return not Submission.objects.filter(same, team=team).exists()


def submission_of_key(
    *, team: Team, key: str | None, track: Track, digest: str
) -> Submission | None:
    """The team's submission under that key; None without key, or if it is new.

    Raises:
        IdempotencyMismatch: the key was used for other answers.
    """
    if key is None:
        return None
    earlier = Submission.objects.filter(team=team, idempotency_key=key).first()
    if earlier is None:
        return None
    if (earlier.track_id, earlier.file_digest) != (track.id, digest):
        raise IdempotencyMismatch(
            "This idempotency key was used for another file or track; take a new one."
        )
    return earlier


def submission_of_answers(*, team: Team, track: Track, digest: str) -> Submission | None:
    """The same answers that still count: neither withdrawn nor failed by our fault.

    Nor rejected by another version of the evaluator: this one may accept them.
    """
    is_spent = Q(status=Evaluation.Status.FAILED) | (
        Q(status=Evaluation.Status.REJECTED) & ~Q(evaluator_version=evaluator.__version__)
    )
    counting = Evaluation.objects.filter(~is_spent, submission=OuterRef("pk"))
    return (
        Submission.objects.filter(Exists(counting), team=team, track=track, file_digest=digest)
        .exclude(visibility=Submission.Visibility.WITHDRAWN)
        .order_by("created_at")
        .first()
    )
