"""The scoring worker's half of the road: claim, keep, report, record. All fenced by attempt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import transaction

import evaluator
from evaluator.errors import PredictionsInvalid
from evaluator.families import FAMILIES
from evaluator.scorecard import Score as ScoreValue
from evaluator.scorecard import Scorecard
from portal.errors import EvaluationNotFound
from portal.evaluations import transitions
from portal.evaluations.models import Evaluation, Score
from portal.evaluations.transitions import Claim
from portal.exchange import jobs
from portal.exchange.queue import post
from portal.services.values import ScoringBrief
from portal.submissions.models import Submission


def begin_scoring(
    *,
    evaluation_id: UUID | None = None,
    worker: str,
    overdue_seconds: float = 0.0,
    queues: Sequence[str] | None = None,
) -> ScoringBrief | None:
    """Claim an evaluation; None if someone else has it, it is done, or nothing waits.

    Args:
        evaluation_id: this one, unless it is in the background and somebody waits for
            another; None for the one that waits longest.
        overdue_seconds: without an id, leave out what has been due for less.
        queues: leave out rows of others; None for all.

    Raises:
        EvaluationNotFound: no such evaluation.
    """
    claimed = transitions.claim(
        evaluation_id=evaluation_id,
        worker=worker,
        evaluator_version=evaluator.__version__,
        lease_seconds=settings.LEASE_SECONDS,
        overdue_seconds=overdue_seconds,
        queues=queues,
    )
    if claimed is None:
        if evaluation_id and not Evaluation.objects.filter(id=evaluation_id).exists():
            raise EvaluationNotFound(f"There is no evaluation {evaluation_id}.")
        return None
    evaluation = Evaluation.objects.select_related(
        "submission__system", "submission__track", "version__benchmark"
    ).get(id=claimed.evaluation_id)
    submission, version = evaluation.submission, evaluation.version
    return ScoringBrief(
        evaluation_id=claimed.evaluation_id,
        submission_id=submission.id,
        attempt=claimed.attempt,
        version_id=version.id,
        definition=version.definition,
        track=submission.track.slug,
        questions_digest=version.questions_digest,
        truth_digest=version.truth_digest,
        predictions_digest=submission.file_digest,
        predictions_key=submission.file_key,
        predictions_bytes=submission.file_bytes,
        trivial=_trivial_slug(submission, version.benchmark.family),
    )


def extend_lease(*, evaluation_id: UUID, attempt: int) -> bool:
    """Keep the claim for another lease; False if it is no longer ours."""
    return transitions.extend_lease(
        Claim(evaluation_id, attempt), lease_seconds=settings.LEASE_SECONDS
    )


def report_progress(*, evaluation_id: UUID, attempt: int, done: int, total: int) -> bool:
    """Say how far the scoring is; False if the claim is no longer ours."""
    return transitions.report_progress(Claim(evaluation_id, attempt), done=done, total=total)


def record_scorecard(
    *,
    evaluation_id: UUID,
    attempt: int,
    card: Scorecard,
    outcome_digest: str,
    intervals_follow: bool,
    answers_digest: str = "",
) -> bool:
    """Store values, outcome and status at once; False if the claim is no longer ours.

    A canary stands on no board and has reached its end: nothing follows.

    Args:
        outcome_digest: where the outcome lies; empty if the row has none.
        intervals_follow: a letter for them is posted; else the board is rebuilt now.
        answers_digest: where the answers lie in short; empty if the row has none. Those of
            an upload are held against others' in a letter of its own.
    """
    row = Evaluation.objects.filter(id=evaluation_id).values_list(
        "version_id", "submission__track__slug", "submission__source"
    )
    version_id, track, source = row.first() or (None, "", "")
    is_canary = source == Submission.Source.CANARY
    is_compared = bool(answers_digest) and source == Submission.Source.UPLOAD
    has_intervals = intervals_follow and not is_canary
    recorded = transitions.finish_scored(
        Claim(evaluation_id, attempt),
        scores=[score_row(score) for score in card.scores],
        outcome_digest=outcome_digest,
        answers_digest=answers_digest if is_compared else "",
        intervals=Evaluation.Intervals.PENDING if has_intervals else Evaluation.Intervals.NONE,
    )
    if not recorded or is_canary:
        return recorded
    if has_intervals:
        transaction.on_commit(partial(post, jobs.INTERVALS, evaluation_id))
    else:
        transaction.on_commit(partial(post, jobs.REBUILD, version_id, track))
    if is_compared:
        transaction.on_commit(partial(post, jobs.COMPARE, evaluation_id))
    return True


def record_rejection(*, evaluation_id: UUID, attempt: int, invalid: PredictionsInvalid) -> bool:
    """Store what is wrong with the file; False if the claim is no longer ours."""
    return transitions.finish_rejected(
        Claim(evaluation_id, attempt),
        problems=msgspec.to_builtins(invalid.problems),
        n_problems=max(1, invalid.n_problems),
    )


def record_failure(*, evaluation_id: UUID, attempt: int, code: str) -> bool:
    """Our fault: tried again later, or failed for good; False if the claim is no longer ours.

    Args:
        code: one of `portal.evaluations.failures.FAILURES`.
    """
    return transitions.finish_failed(Claim(evaluation_id, attempt), code=code)


def score_row(score: ScoreValue) -> Score:
    """The row of a score, not yet bound to an evaluation."""
    interval = score.interval
    return Score(
        slice=score.slice,
        metric=score.metric,
        value=score.value,
        reason=score.reason or "",
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        level=interval.level if interval else None,
        method=interval.method if interval else "",
        interval_reason=score.interval_reason or "",
        n=score.n,
        n_clusters=score.n_clusters,
        n_dropped_draws=score.n_dropped_draws,
    )


def _trivial_slug(submission: Submission, family: str) -> str:
    """The family's slug of a trivial row, empty for others."""
    if submission.source != Submission.Source.TRIVIAL:
        return ""
    # Its system has a number behind the slug where another system was there first.
    system = submission.system
    slugs = {trivial.title: trivial.slug for trivial in FAMILIES[family].trivial}
    return slugs.get(system.name, system.slug)
