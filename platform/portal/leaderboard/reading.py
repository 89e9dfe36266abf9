"""What a board is made of, read from the models at full precision.

One row per system: its latest published submission. The newest evaluation of
that submission under the version counts.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec
from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone

from evaluator.bundle import Benchmark
from portal.benchmarks.models import BenchmarkVersion, Track
from portal.evaluations.models import Evaluation, Score
from portal.leaderboard.disclosure import Number
from portal.leaderboard.material import Material, MaterialRow, TrackLine
from portal.submissions.models import Submission, System

FORMAT = 1  # rises when stored documents change their shape: all are then built anew

PROVENANCE = {
    Submission.Source.UPLOAD: "submitted",
    Submission.Source.HUB: "run-here",
    Submission.Source.REPORTED: "reported",
    Submission.Source.TRIVIAL: "computed",
}


def definition_of(version: BenchmarkVersion) -> Benchmark:
    """The content of the version's `benchmark.json`, typed."""
    return msgspec.convert(version.definition, type=Benchmark)


def chosen_evaluations(version_id: UUID) -> QuerySet[Evaluation]:
    """Evaluations that stand on the boards of a version: one per system and track."""
    return (
        Evaluation.objects.filter(
            version_id=version_id,
            status=Evaluation.Status.SCORED,
            submission__visibility=Submission.Visibility.PUBLISHED,
        )
        .order_by(
            "submission__track_id",
            "submission__system_id",
            F("submission__published_at").desc(nulls_last=True),
            "-submission__created_at",
            F("finished_at").desc(nulls_last=True),
            "-queued_at",
        )
        .distinct("submission__track_id", "submission__system_id")
    )


def unfinished(version_id: UUID, track: str) -> QuerySet[Evaluation]:
    """Evaluations of published submissions whose scores or intervals are still to come."""
    waiting = Q(status__in=(Evaluation.Status.QUEUED, Evaluation.Status.RUNNING))
    pending = Q(status=Evaluation.Status.SCORED, intervals=Evaluation.Intervals.PENDING)
    return Evaluation.objects.filter(
        waiting | pending,
        version_id=version_id,
        submission__track__slug=track,
        submission__visibility=Submission.Visibility.PUBLISHED,
    )


def fingerprint_of(version_id: UUID, track: str) -> str:
    """SHA-256 of what a board is made from; cheap, so that a needless rebuild is seen as such."""
    state = (
        BenchmarkVersion.objects.filter(id=version_id)
        .values_list("state", "tracks__slug", "tracks__title", "tracks__answers", "tracks__note")
        .order_by("tracks__position")
    )
    rows = chosen_evaluations(version_id).values_list(
        "id",
        "intervals",
        "draws_digest",
        "submission__system__name",
        "submission__system__team__name",
        "submission__system__facets",
        "submission__system__url",
        "submission__system__description",
    )
    content = [FORMAT, list(state), list(rows.filter(submission__track__slug=track))]
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def read_material(version: BenchmarkVersion, track: Track) -> Material:
    """What the board of a track is made of, now."""
    # First the fingerprint: what changes while we read makes it outdated, never wrongly fresh.
    fingerprint = fingerprint_of(version.id, track.slug)
    evaluations = list(
        chosen_evaluations(version.id)
        .filter(submission__track=track)
        .select_related("submission__system__team")
    )
    scores = scores_of([evaluation.id for evaluation in evaluations])
    return Material(
        version_id=version.id,
        benchmark=definition_of(version),
        state=version.state,
        track=track.slug,
        track_title=track.title,
        answers=track.answers,  # type: ignore[arg-type]  # constrained by the database
        note=track.note,
        tracks=track_lines(version),
        rows=tuple(_row(evaluation, scores.get(evaluation.id, {})) for evaluation in evaluations),
        reported_differences=version.reported_differences,
        last_scored_at=Evaluation.objects.filter(
            version=version,
            submission__track=track,
            submission__visibility=Submission.Visibility.PUBLISHED,
            status=Evaluation.Status.SCORED,
        )
        .exclude(submission__source=Submission.Source.REPORTED)
        .aggregate(latest=Max("finished_at"))["latest"],
        generated_at=timezone.now(),
        fingerprint=fingerprint,
    )


def track_lines(version: BenchmarkVersion) -> tuple[TrackLine, ...]:
    """The tracks of a version with their number of rows."""
    counts = dict(
        Evaluation.objects.filter(id__in=chosen_evaluations(version.id).values("id"))
        .values_list("submission__track__slug")
        .annotate(n=Count("id"))
    )
    return tuple(
        TrackLine(slug=track.slug, title=track.title, n_rows=counts.get(track.slug, 0))
        for track in version.tracks.all()
    )


def scores_of(evaluation_ids: list[UUID]) -> dict[UUID, dict[tuple[str, str], Number]]:
    """Stored numbers by evaluation and address, in the order in which they were recorded."""
    numbers: dict[UUID, dict[tuple[str, str], Number]] = defaultdict(dict)
    for score in Score.objects.filter(evaluation_id__in=evaluation_ids).order_by("id").iterator():
        numbers[score.evaluation_id][score.slice, score.metric] = number_of(score)
    return numbers


def number_of(score: Score) -> Number:
    return Number(
        value=score.value,
        reason=score.reason or None,
        low=score.low,
        high=score.high,
        interval_reason=score.interval_reason or None,
        n=score.n,
        n_clusters=score.n_clusters,
        printed=score.printed,
        printed_low=score.printed_low,
        printed_high=score.printed_high,
    )


def _row(evaluation: Evaluation, scores: Mapping[tuple[str, str], Number]) -> MaterialRow:
    submission = evaluation.submission
    system = submission.system
    is_entrant = system.kind == System.Kind.ENTRANT
    return MaterialRow(
        system=system.slug,
        name=system.name,
        kind=system.kind,  # type: ignore[arg-type]  # constrained by the database
        provenance=PROVENANCE[Submission.Source(submission.source)],
        provenance_text=_provenance_text(system, submission),
        team=system.team.name if system.team else "",
        facets=system.facets,
        url=system.url,
        submitted_at=submission.created_at if is_entrant else None,
        submission=submission.id if is_entrant else None,
        evaluation=evaluation.id,
        intervals=evaluation.intervals.lower(),  # type: ignore[arg-type]  # the same three words
        draws_digest=evaluation.draws_digest,
        scores=scores,
    )


def _provenance_text(system: System, submission: Submission) -> str:
    """How the row came about, in a sentence for readers."""
    texts: dict[Any, str] = {
        Submission.Source.UPLOAD: "Predictions were submitted and scored here",
        Submission.Source.HUB: "The model was run and scored here",
        Submission.Source.TRIVIAL: "Computed here, without a model",
        Submission.Source.REPORTED: "Reported in a publication",
    }
    text = texts[submission.source]
    if system.kind in (System.Kind.REPORTED, System.Kind.HUMAN) and system.description:
        return f"{text}: {system.description}"
    return text
