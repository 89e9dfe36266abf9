"""A submission as its owner sees it, read off its latest evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Prefetch, QuerySet

from portal.evaluations.failures import FAILURES
from portal.evaluations.models import Evaluation, Score
from portal.evaluations.waiting import Pace, pace, wait_of
from portal.leaderboard.assembly import FULL_SLICE, exposures_of, shown_json
from portal.leaderboard.disclosure import disclose
from portal.leaderboard.reading import number_of
from portal.leaderboard.vocabulary import Vocabulary, vocabulary_of
from portal.services.values import (
    EntrantState,
    FailureDocument,
    IntervalState,
    ScoreDocument,
    SubmissionDocument,
    Visibility,
)
from portal.submissions.models import Submission

_STATES: Mapping[str, EntrantState] = {
    Evaluation.Status.QUEUED: "waiting",
    Evaluation.Status.RUNNING: "running",
    Evaluation.Status.SCORED: "scored",
    Evaluation.Status.REJECTED: "rejected",
    Evaluation.Status.FAILED: "failed",
    Evaluation.Status.WITHDRAWN: "withdrawn",
}
_INTERVALS: Mapping[str, IntervalState] = {
    Evaluation.Intervals.PENDING: "pending",
    Evaluation.Intervals.READY: "ready",
    Evaluation.Intervals.NONE: "none",
}


def with_states(rows: QuerySet[Submission], *, headline_only: bool = False) -> QuerySet[Submission]:
    """The rows with all that `state_of` reads, in few queries."""
    scores = Score.objects.order_by("id")
    if headline_only:
        scores = scores.filter(slice=FULL_SLICE)
    evaluations = Evaluation.objects.prefetch_related(Prefetch("scores", scores))
    return rows.select_related("track__version__benchmark", "system", "team").prefetch_related(
        Prefetch("evaluations", evaluations.order_by("-queued_at"))
    )


def states_of(rows: QuerySet[Submission]) -> list[SubmissionDocument]:
    """The documents of many submissions, without the scores but those that rank."""
    # Measured once, not for every row that waits.
    measured = pace()
    return [
        state_of(row, headline_only=True, measured=measured)
        for row in with_states(rows, headline_only=True)
    ]


def state_of(
    submission: Submission, *, headline_only: bool = False, measured: Pace | None = None
) -> SubmissionDocument:
    """The document of a submission.

    Args:
        headline_only: leave out the scores but the one that ranks.
        measured: the pace of the queue, where the caller knows it.
    """
    evaluation = submission.evaluations.all()[0]
    is_withdrawn = submission.visibility == Submission.Visibility.WITHDRAWN
    is_waiting = evaluation.status == Evaluation.Status.QUEUED and not is_withdrawn
    wait = wait_of(evaluation, measured or pace()) if is_waiting else None
    track, finished = submission.track, evaluation.finished_at
    version = track.version
    scores, headline = _scores(submission, evaluation)
    place = {"benchmark": version.benchmark.name, "version": version.version, "track": track.slug}
    return {
        "id": submission.id,
        **place,  # type: ignore[typeddict-item]  # the three words above, spelt once
        "benchmark_title": version.benchmark.title,
        "track_title": track.title,
        "system": {"slug": submission.system.slug, "name": submission.system.name},
        "team": submission.team.name if submission.team else "",
        "state": "withdrawn" if is_withdrawn else _STATES[evaluation.status],
        "position": wait.position if wait else None,
        "expected_seconds": wait.expected_seconds if wait else None,
        "progress": {"done": evaluation.progress_done, "total": evaluation.progress_total},
        "attempt": evaluation.attempt,
        "intervals": _INTERVALS[evaluation.intervals],
        "problems": evaluation.problems,
        "n_problems": evaluation.n_problems,
        "failure": _failure(evaluation),
        "visibility": cast(Visibility, submission.visibility.lower()),
        "source": submission.source,
        "file_name": submission.file_name,
        "file_digest": submission.file_digest,
        "file_bytes": submission.file_bytes,
        "evaluator_version": evaluation.evaluator_version,
        "created_at": submission.created_at,
        "finished_at": finished,
        "seconds": (finished - submission.created_at).total_seconds() if finished else None,
        "headline": headline,
        "scores": [] if headline_only else scores,
        "board_url": f"{settings.BASE_URL}/board/?{urlencode(place)}",
        "page_url": f"{settings.BASE_URL}/submissions/{submission.id}/",
    }


def _failure(evaluation: Evaluation) -> FailureDocument | None:
    failure = FAILURES.get(evaluation.failure_code)
    return {"code": failure.code, "sentence": failure.sentence} if failure else None


def _scores(
    submission: Submission, evaluation: Evaluation
) -> tuple[list[ScoreDocument], ScoreDocument | None]:
    """All scores in display order, and the one that ranks."""
    numbers = {(s.slice, s.metric): number_of(s) for s in evaluation.scores.all()}
    track = submission.track
    words: Vocabulary = vocabulary_of(track.version.benchmark.family, track.slug, numbers, ())
    exposures = exposures_of(track.answers, words, [numbers])  # type: ignore[arg-type]  # constrained
    scores: list[ScoreDocument] = []
    headline: ScoreDocument | None = None
    for slice_ in words.slices:
        for metric in words.metrics:
            number = numbers.get((slice_.slug, metric.slug))
            if number is None:
                continue
            shown = disclose(
                number, exposures[slice_.slug], averages_classes=metric.averages_classes
            )
            score = cast(
                ScoreDocument,
                {
                    "slice": slice_.slug,
                    "slice_title": slice_.title,
                    "metric": metric.slug,
                    "metric_title": metric.title,
                    **shown_json(shown, _INTERVALS[evaluation.intervals]),
                },
            )
            scores.append(score)
            if slice_.slug == FULL_SLICE and metric.slug == words.primary_metric:
                headline = score
    return scores, headline
