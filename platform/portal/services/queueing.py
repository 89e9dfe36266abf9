"""A submission takes its place in the queue: the row first, then the bell."""

from __future__ import annotations

from functools import partial

from django.conf import settings
from django.db import transaction

import evaluator
from portal import logs
from portal.evaluations import events
from portal.evaluations.models import Evaluation
from portal.exchange import jobs
from portal.exchange.queue import post
from portal.submissions.models import Submission

_AWAITED = (Submission.Source.UPLOAD, Submission.Source.HUB, Submission.Source.CANARY)


def queue_evaluation(submission: Submission, *, actor: str) -> Evaluation:
    """A new evaluation that waits, the events that say so, and a bell once all is committed.

    Call it inside a transaction.
    """
    version = submission.track.version
    is_awaited = submission.source in _AWAITED
    evaluation = Evaluation.objects.create(
        submission=submission,
        version=version,
        evaluator_version=evaluator.__version__,
        priority=Evaluation.Priority.ENTRANT if is_awaited else Evaluation.Priority.BACKGROUND,
        queue=_queue_of(submission),
    )
    events.record(
        events.SUBMISSION_ACCEPTED,
        actor=actor,
        version_id=version.id,
        submission_id=submission.id,
        source=submission.source,
        visibility=submission.visibility,
        file_digest=submission.file_digest,
        file_bytes=submission.file_bytes,
    )
    events.record(
        events.EVALUATION_QUEUED,
        actor=actor,
        version_id=version.id,
        submission_id=submission.id,
        evaluation_id=evaluation.id,
        before=None,
        after=Evaluation.Status.QUEUED,
        attempt=0,
    )
    transaction.on_commit(partial(_ring, evaluation))
    return evaluation


def _ring(evaluation: Evaluation) -> None:
    is_awaited = evaluation.priority == Evaluation.Priority.ENTRANT
    with logs.about(submission=evaluation.submission_id, evaluation=evaluation.id):
        post(
            jobs.SCORE,
            evaluation.id,
            queue=str(evaluation.queue),
            priority=jobs.FIRST if is_awaited else jobs.LAST,
        )


def _queue_of(submission: Submission) -> Evaluation.Queue:
    is_large = submission.file_bytes >= settings.LARGE_FILE_BYTES
    return Evaluation.Queue.LARGE if is_large else Evaluation.Queue.SCORE
