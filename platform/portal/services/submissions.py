"""What an owner sees and does: states, publishing, withdrawing."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from portal.accounts.models import User
from portal.errors import StateConflict, SubmissionNotFound
from portal.evaluations import events, transitions
from portal.exchange import jobs
from portal.exchange.queue import post
from portal.services.states import state_of, states_of, with_states
from portal.services.values import SubmissionDocument, SystemName
from portal.submissions.models import Submission, System

N_LISTED = 200

Visibility = Submission.Visibility


def submission_state(*, user: User, submission_id: UUID) -> SubmissionDocument:
    """Where a submission of the user's team stands.

    Raises:
        SubmissionNotFound: no such submission, or another team's.
    """
    return state_of(_find(with_states(_visible_to(user)), submission_id))


def my_submissions(*, user: User) -> list[SubmissionDocument]:
    """The submissions of the user's teams, latest first, each with its headline score."""
    rows = Submission.objects.filter(team__memberships__user=user).order_by("-created_at")
    return states_of(rows[:N_LISTED])


def my_systems(*, user: User, benchmark: str) -> list[SystemName]:
    """The systems of the user's teams on a benchmark, by name."""
    rows = System.objects.filter(team__memberships__user=user, benchmark__name=benchmark)
    return [{"slug": row.slug, "name": row.name} for row in rows.order_by("name")]


def publish_submission(*, user: User, submission_id: UUID) -> SubmissionDocument:
    """Put a submission on the board.

    Raises:
        SubmissionNotFound: no such submission, or another team's.
        StateConflict: it was withdrawn.
    """
    with transaction.atomic():
        submission = _locked(user, submission_id)
        if submission.visibility == Visibility.WITHDRAWN:
            raise StateConflict("A withdrawn submission stays withdrawn; submit the file again.")
        if submission.visibility == Visibility.PRIVATE:
            rows = Submission.objects.filter(pk=submission.pk)
            rows.update(visibility=Visibility.PUBLISHED, published_at=Now())
            _announce(submission, events.SUBMISSION_PUBLISHED, user)
    return submission_state(user=user, submission_id=submission_id)


def withdraw_submission(*, user: User, submission_id: UUID) -> SubmissionDocument:
    """Take a submission off the board and off the queue; its history stays.

    Raises:
        SubmissionNotFound: no such submission, or another team's.
    """
    with transaction.atomic():
        submission = _locked(user, submission_id)
        if submission.visibility != Visibility.WITHDRAWN:
            rows = Submission.objects.filter(pk=submission.pk)
            rows.update(visibility=Visibility.WITHDRAWN)
            _announce(submission, events.SUBMISSION_WITHDRAWN, user)
            transitions.withdraw_unfinished(submission.id, actor=user.username)
    return submission_state(user=user, submission_id=submission_id)


def _visible_to(user: User) -> QuerySet[Submission]:
    """Entrants see their teams' submissions, maintainers all."""
    rows = Submission.objects.filter(source__in=(Submission.Source.UPLOAD, Submission.Source.HUB))
    return rows if user.is_staff else rows.filter(team__memberships__user=user)


def _find(rows: QuerySet[Submission], submission_id: UUID) -> Submission:
    found = rows.filter(id=submission_id).first()
    if found is None:
        raise SubmissionNotFound("There is no such submission among yours.")
    return found


def _locked(user: User, submission_id: UUID) -> Submission:
    rows = _visible_to(user).select_related("track", "track__version")
    return _find(rows.select_for_update(of=("self",)), submission_id)


def _announce(submission: Submission, kind: str, user: User) -> None:
    """The event, and a letter that rebuilds the board."""
    track = submission.track
    events.record(
        kind,
        actor=user.username,
        version_id=track.version_id,
        submission_id=submission.id,
        before=submission.visibility,
    )
    transaction.on_commit(partial(post, jobs.REBUILD, track.version_id, track.slug))
