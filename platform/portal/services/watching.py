"""Whether the road is open: canaries that come late or wrong, and queues that stand still.

What begins to be amiss and what is mended become one event each; `alerts` sends word of
them. Every look is a few queries, and two that look at once do no harm.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from portal import locks
from portal.benchmarks.models import BenchmarkVersion
from portal.evaluations import events
from portal.evaluations.incidents import open_canary_incidents
from portal.evaluations.models import Evaluation, Score
from portal.submissions.models import System

logger = logging.getLogger(__name__)

SAME = 1e-9  # values of another machine may differ in the last bits
CHANGED = "values"  # why a canary failed that was scored; else the status or the code

CanaryCondition = Literal["ok", "late", "failed", "none"]
Status = Evaluation.Status


@dataclass(frozen=True, slots=True)
class CanaryState:
    """What the canary of an open version says of the road to its score.

    Attributes:
        version: NAME@VERSION.
        track: on which it was sent; empty where none was.
        at: when it was sent.
        seconds: from sending to its score; None while there is none.
        why: what is amiss, in a word or a code; empty where nothing is.
    """

    version: str
    track: str
    state: CanaryCondition
    at: datetime | None
    seconds: float | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A track's canary that says most at the moment: the latest that is final or late."""

    version_id: UUID
    submission_id: UUID
    evaluation_id: UUID
    canary: CanaryState


def canaries() -> list[CanaryState]:
    """The state of every open version that takes submissions, by address.

    Of several tracks the one where something is amiss counts, else the latest.
    """
    versions = BenchmarkVersion.objects.filter(
        state=BenchmarkVersion.State.OPEN, is_reference_only=False
    ).select_related("benchmark")
    by_version: dict[UUID, list[_Seen]] = {}
    for seen in _seen() if settings.CANARY_SECONDS else ():
        by_version.setdefault(seen.version_id, []).append(seen)
    states = []
    for version in versions:
        of_tracks = [seen.canary for seen in by_version.get(version.id, ())]
        amiss = [canary for canary in of_tracks if canary.state != "ok"]
        told = sorted(amiss or of_tracks, key=lambda canary: str(canary.at))
        states.append(told[-1] if told else CanaryState(version.address, "", "none", None, None))
    return sorted(states, key=lambda state: state.version)


def watch_canaries() -> int:
    """Tell of canaries that are late, failed or well again, once each; returns how many."""
    if not settings.CANARY_SECONDS:
        return 0
    n_told = 0
    with transaction.atomic():
        is_ours = locks.take("watch canaries")
        incidents = open_canary_incidents() if is_ours else {}
        for seen in _seen() if is_ours else ():
            kind = _news(seen.canary, incidents.get((seen.version_id, seen.canary.track)))
            if kind:
                _tell(kind, seen)
                n_told += 1
    return n_told


def _news(canary: CanaryState, told: str | None) -> str | None:
    """The kind of event that is due; None where the last one still says it."""
    if canary.state == "ok":
        return events.CANARY_RECOVERED if told else None
    if canary.state == "failed":
        return events.CANARY_FAILED if told != events.CANARY_FAILED else None
    return None if told else events.CANARY_LATE


def _tell(kind: str, seen: _Seen) -> None:
    canary = seen.canary
    level = logging.INFO if kind == events.CANARY_RECOVERED else logging.ERROR
    logger.log(level, "%s: %s, track %s %s", kind, canary.version, canary.track, canary.why)
    events.record(
        kind,
        actor=events.HOUSE,
        version_id=seen.version_id,
        submission_id=seen.submission_id,
        evaluation_id=seen.evaluation_id,
        track=canary.track,
        why=canary.why,
        seconds=canary.seconds,
    )


def _seen() -> list[_Seen]:
    """The canary of each track that says most; tracks whose first is under way have none."""
    late = timedelta(seconds=settings.CANARY_LATE_SECONDS)
    rows = _of_open_versions()
    latest = _by_track(rows.exclude(status=Status.WITHDRAWN))
    final = {row.submission.track_id: row for row in _by_track(rows.filter(status__in=FINAL))}
    first = _first_scored(list(final.values()))
    seen = []
    for row in latest:
        if row.status not in FINAL and row.age <= late:  # type: ignore[attr-defined]  # annotated
            if row.submission.track_id not in final:
                continue
            row = final[row.submission.track_id]
        state, why = _condition(row, first, late)
        submission, took = row.submission, None
        if row.status == Status.SCORED and row.finished_at is not None:
            took = (row.finished_at - submission.created_at).total_seconds()
        canary = CanaryState(
            row.version.address, submission.track.slug, state, submission.created_at, took, why
        )
        seen.append(_Seen(row.version_id, submission.id, row.id, canary))
    return seen


FINAL = (Status.SCORED, Status.REJECTED, Status.FAILED)
_Baseline = tuple[int, str, str]  # track, evaluator version, file


def _condition(
    row: Evaluation, first: dict[_Baseline, UUID], late: timedelta
) -> tuple[CanaryCondition, str]:
    """The state, and what is amiss."""
    match row.status:
        case Status.REJECTED:
            return "failed", "rejected"
        case Status.FAILED:
            return "failed", row.failure_code
        case Status.SCORED:
            if not _is_same(row.id, first.get(_baseline(row), row.id)):
                return "failed", CHANGED
            finished = row.finished_at
            is_late = finished is not None and finished - row.submission.created_at > late
        case _:
            is_late = True
    return ("late", "late") if is_late else ("ok", "")


def _of_open_versions() -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(
        submission__system__kind=System.Kind.CANARY,
        version__state=BenchmarkVersion.State.OPEN,
    )


def _by_track(rows: QuerySet[Evaluation]) -> QuerySet[Evaluation]:
    """The latest of each track."""
    order = ("submission__track_id", "-submission__created_at", "-queued_at")
    latest = rows.order_by(*order).distinct("submission__track_id").values("id")
    # By id, so that what is sorted are ids, and not a thousand definitions of one version.
    whole = Evaluation.objects.select_related("submission__track", "version__benchmark")
    whole = whole.defer("version__definition", "version__reported_differences")
    return whole.filter(id__in=latest).annotate(age=Now() - F("submission__created_at"))


def _baseline(row: Evaluation) -> _Baseline:
    return row.submission.track_id, row.evaluator_version, row.submission.file_digest


def _first_scored(rows: Sequence[Evaluation]) -> dict[_Baseline, UUID]:
    """The first canary of each track that each evaluator version scored: what the others give."""
    fields = ("submission__track_id", "evaluator_version", "submission__file_digest")
    found = (
        _of_open_versions()
        .filter(
            status=Status.SCORED,
            submission__track_id__in={row.submission.track_id for row in rows},
            evaluator_version__in={row.evaluator_version for row in rows},
        )
        .order_by(*fields, "submission__created_at")
        .distinct(*fields)
        .values_list(*fields, "id")
    )
    return {(track, evaluator, digest): id_ for track, evaluator, digest, id_ in found}


@functools.lru_cache(maxsize=4096)
def _is_same(evaluation_id: UUID, other_id: UUID) -> bool:
    """Whether two scored evaluations have the same values; scores never change, so ask once."""
    if evaluation_id == other_id:
        return True
    values: list[dict[tuple[str, str], float | None]] = [{}, {}]
    rows = Score.objects.filter(evaluation_id__in=(evaluation_id, other_id))
    for id_, slice_, metric, value in rows.values_list("evaluation_id", "slice", "metric", "value"):
        values[id_ == other_id][slice_, metric] = value
    mine, others = values
    return mine.keys() == others.keys() and all(
        _is_close(value, others[address]) for address, value in mine.items()
    )


def _is_close(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) <= SAME
