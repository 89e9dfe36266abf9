"""A submission as its owner sees it, read off its latest evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import cast
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.db.models import Prefetch, QuerySet

from portal.codes import CODES
from portal.evaluations.models import Evaluation, Score
from portal.evaluations.waiting import Moment, Wait, interrupted_by, recent_moment
from portal.leaderboard.assembly import FULL_SLICE, exposures_of, shown_json
from portal.leaderboard.disclosure import disclose
from portal.leaderboard.reading import number_of
from portal.leaderboard.vocabulary import Vocabulary, vocabulary_of
from portal.services.values import (
    EntrantState,
    FailureDocument,
    IntervalState,
    RetryDocument,
    ScoreDocument,
    SubmissionDocument,
    Visibility,
)
from portal.services.waits import interruption_text, rounded, wait_text
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
    submissions = list(with_states(rows, headline_only=True))
    # Measured once, not for every row that waits.
    waits = _waits(submissions, Moment())
    return [_state(row, waits.get(row.id), None, headline_only=True) for row in submissions]


def state_of(submission: Submission) -> SubmissionDocument:
    """The document of a submission."""
    moment = Moment()
    wait = _waits([submission], moment).get(submission.id)
    last_scored_at = moment.last_scored_at(submission.track)
    return _state(submission, wait, last_scored_at, headline_only=False)


def state_of_new(submission: Submission, evaluation: Evaluation) -> SubmissionDocument:
    """The document of a submission that was made just now: nothing of it is read again.

    What everybody's wait rests on is measured once a second: files that come in a crowd
    must not wait for that.
    """
    moment = recent_moment()
    wait = moment.waits([evaluation]).get(evaluation.id)
    last_scored_at = moment.last_scored_at(submission.track)
    return _document(submission, evaluation, [], wait, last_scored_at, headline_only=False)


def _waits(submissions: list[Submission], moment: Moment) -> dict[UUID, Wait]:
    """By submission, how those stand that wait."""
    latest = {
        row.id: row.evaluations.all()[0]
        for row in submissions
        if row.visibility != Submission.Visibility.WITHDRAWN
    }
    found = moment.waits(list(latest.values()))
    return {id_: found[row.id] for id_, row in latest.items() if row.id in found}


def _state(
    submission: Submission,
    wait: Wait | None,
    last_scored_at: datetime | None,
    *,
    headline_only: bool,
) -> SubmissionDocument:
    evaluation = submission.evaluations.all()[0]
    stored = list(evaluation.scores.all())
    return _document(
        submission, evaluation, stored, wait, last_scored_at, headline_only=headline_only
    )


def _document(
    submission: Submission,
    evaluation: Evaluation,
    stored: list[Score],
    wait: Wait | None,
    last_scored_at: datetime | None,
    *,
    headline_only: bool,
) -> SubmissionDocument:
    is_withdrawn = submission.visibility == Submission.Visibility.WITHDRAWN
    expected = wait.expected if wait else None
    track, finished = submission.track, evaluation.finished_at
    version = track.version
    scores, headline = _scores(submission, evaluation, stored)
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
        "expected_seconds": rounded(expected.middle) if expected else None,
        "expected_seconds_high": rounded(expected.high) if expected else None,
        "n_slots": wait.n_slots if wait else None,
        "wait_text": wait_text(wait) if wait else "",
        "retry": None if headline_only else _retry(evaluation, wait),
        "board_last_scored_at": last_scored_at,
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


def _retry(evaluation: Evaluation, wait: Wait | None) -> RetryDocument | None:
    """Why it is tried once more, as long as it is not finished."""
    is_again = evaluation.attempt > (0 if evaluation.status == Evaluation.Status.QUEUED else 1)
    if not is_again or evaluation.finished_at is not None:
        return None
    code = interrupted_by(evaluation)
    if code is None:
        return None
    is_later = wait is not None and wait.due_seconds is not None
    return {
        "code": code,
        "sentence": interruption_text(code),
        "due_at": evaluation.due_at if is_later else None,
    }


def _failure(evaluation: Evaluation) -> FailureDocument | None:
    """Why it has no score: a code of ours, or the first thing that is wrong with the file."""
    code = evaluation.failure_code
    if evaluation.status == Evaluation.Status.REJECTED and evaluation.problems:
        code = f"input.{evaluation.problems[0]['code']}"
    entry = CODES.get(code)
    if entry is None:
        return None
    return {"code": entry.code, "sentence": entry.meaning, "remedy": entry.remedy}


def _scores(
    submission: Submission, evaluation: Evaluation, stored: list[Score]
) -> tuple[list[ScoreDocument], ScoreDocument | None]:
    """All scores in display order, and the one that ranks."""
    if not stored:
        return [], None
    numbers = {(s.slice, s.metric): number_of(s) for s in stored}
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
