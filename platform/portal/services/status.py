"""How the house is doing, for everybody to read: services, queues, boards, faults of ours.

It names no entrant. What a part that is away would say is missing; the rest is told.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import Error
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Now
from django.utils import timezone

from portal.benchmarks.models import BenchmarkVersion, Track
from portal.codes import CODES
from portal.evaluations import events
from portal.evaluations.models import Evaluation, Event, Presence
from portal.evaluations.presence import HOUSEKEEPING, Present, present
from portal.evaluations.waiting import Moment, QueueState
from portal.services.probes import Reach, reach
from portal.services.status_documents import (
    CanaryDocument,
    FaultDocument,
    QueueDocument,
    ScoredBy,
    ServicesDocument,
    StatusDocument,
    VersionStatusDocument,
    WorkerDocument,
)
from portal.services.waits import NOBODY, UNMEASURED, rounded, span_text
from portal.services.watching import CanaryState, canaries
from portal.submissions.models import Submission

QUEUE_TITLES: Mapping[str, str] = {
    Evaluation.Queue.SCORE: "Usual files",
    Evaluation.Queue.LARGE: "Large files",
    Evaluation.Queue.INFER: "Models",
}
_BY: Mapping[str, ScoredBy] = {
    Submission.Source.UPLOAD: "entrant",
    Submission.Source.HUB: "entrant",
    Submission.Source.CANARY: "canary",
}
_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)


_lock = threading.Lock()
_latest: tuple[float, StatusDocument] | None = None


def site_status() -> StatusDocument:
    """How the house is doing, as of STATUS_SECONDS ago at most; never raises for what is away.

    However many people look, it is found out once.
    """
    global _latest
    with _lock:
        if _latest is None or time.monotonic() - _latest[0] >= settings.STATUS_SECONDS:
            _latest = time.monotonic(), _found_out()
        return _latest[1]


def _found_out() -> StatusDocument:
    found = reach()
    if found.database:
        try:
            return _whole(found)
        except Error:
            pass  # it went in this moment
    return {
        "status": "down",
        "at": timezone.now(),
        "sentences": [
            "The database does not answer. Nothing can be handed in or shown at the moment; "
            "what was accepted before is safe.",
            *_about_services(found),
        ],
        "services": _services(found, has_database=False, there=[], housekeeping_seen_at=None),
        "workers": [],
        "queues": [],
        "versions": [],
        "faults": [],
    }


def _whole(found: Reach) -> StatusDocument:
    there = present()
    seen = Presence.objects.filter(queues=HOUSEKEEPING).order_by("-seen_at").first()
    services = _services(
        found, has_database=True, there=there, housekeeping_seen_at=seen.seen_at if seen else None
    )
    queues = Moment().queues()
    by_version = {canary.version: canary for canary in canaries()}
    sentences = [
        *_about_services(found),
        *_about_workers(queues),
        *_about_housekeeping(services),
        *_about_canaries(by_version),
    ]
    return {
        "status": "degraded" if sentences else "ok",
        "at": timezone.now(),
        "sentences": sentences,
        "services": services,
        "workers": [_worker(process) for process in there if process.n_slots],
        "queues": [_queue(state) for state in queues],
        "versions": _versions(by_version),
        "faults": _faults(),
    }


def _services(
    found: Reach,
    *,
    has_database: bool,
    there: list[Present],
    housekeeping_seen_at: datetime | None,
) -> ServicesDocument:
    is_kept = any(HOUSEKEEPING in process.queues for process in there)
    return {
        "database": has_database,
        "broker": found.broker,
        "uploads": found.uploads,
        "questions": found.questions,
        "housekeeping": is_kept if has_database else None,
        "housekeeping_seen_at": housekeeping_seen_at,
    }


def _about_services(found: Reach) -> list[str]:
    sentences = []
    if not found.uploads:
        sentences.append(
            "The store of uploads does not answer. No file can be handed in; what waits to be "
            "scored is tried again by itself."
        )
    if not found.questions:
        sentences.append(
            "The store of questions does not answer. They cannot be downloaded, and what waits "
            "to be scored is tried again by itself."
        )
    if not found.broker:
        sentences.append(
            "The broker does not answer. Files are accepted and scored all the same, a few "
            "seconds later."
        )
    return sentences


def _about_workers(queues: list[QueueState]) -> list[str]:
    unheard = [QUEUE_TITLES[state.queue].lower() for state in queues if not state.n_slots]
    return [f"{NOBODY} This concerns: {', '.join(unheard)}."] if unheard else []


def _about_housekeeping(services: ServicesDocument) -> list[str]:
    if services["housekeeping"]:
        return []
    return ["Housekeeping is not at work: what goes wrong is noticed and mended later."]


def _about_canaries(by_version: Mapping[str, CanaryState]) -> list[str]:
    told = {
        "late": "did not come back in time",
        "failed": "came back without the score that it should have",
    }
    return [
        f"The canary of {canary.version} {told[canary.state]}; the maintainers have been told."
        for canary in by_version.values()
        if canary.state in told
    ]


def _worker(process: Present) -> WorkerDocument:
    return {
        "queues": list(process.queues),
        "n_slots": process.n_slots,
        "evaluator_version": process.evaluator_version,
        "started_at": process.started_at,
        "seen_at": process.seen_at,
    }


def _queue(state: QueueState) -> QueueDocument:
    expected = state.expected
    if not state.n_slots:
        text = NOBODY
    elif expected is None:
        text = UNMEASURED
    else:
        text = f"A file sent now is scored {span_text(expected)}."
    return {
        "queue": state.queue,
        "title": QUEUE_TITLES[state.queue],
        "n_waiting": state.n_waiting,
        "n_running": state.n_running,
        "n_slots": state.n_slots,
        "oldest_seconds": None if state.oldest_seconds is None else rounded(state.oldest_seconds),
        "expected_seconds": rounded(expected.middle) if expected else None,
        "expected_seconds_high": rounded(expected.high) if expected else None,
        "text": text,
    }


def _versions(by_version: Mapping[str, CanaryState]) -> list[VersionStatusDocument]:
    """The open versions that take submissions, with their tracks in order."""
    scored = _scored()
    of_track = scored.filter(
        version_id=OuterRef("version_id"), submission__track_id=OuterRef("id")
    ).order_by("-finished_at")
    tracks = (
        Track.objects.filter(
            version__state=BenchmarkVersion.State.OPEN, version__is_reference_only=False
        )
        .select_related("version__benchmark")
        .annotate(
            last_scored_at=Subquery(of_track.values("finished_at")[:1]),
            last_source=Subquery(of_track.values("submission__source")[:1]),
        )
        .order_by("version__benchmark__name", "version__version", "position")
    )
    recent = scored.filter(finished_at__gt=Now() - _HOUR).values_list("submission__track_id")
    n_last_hour = dict(recent.annotate(n=Count("id")))
    versions: dict[str, VersionStatusDocument] = {}
    for track in tracks:
        version = track.version
        entry = versions.setdefault(
            version.address,
            {
                "benchmark": version.benchmark.name,
                "title": version.benchmark.title,
                "version": version.version,
                "canary": _canary(by_version.get(version.address)),
                "tracks": [],
            },
        )
        source = track.last_source
        entry["tracks"].append(
            {
                "track": track.slug,
                "title": track.title,
                "last_scored_at": track.last_scored_at,
                "last_scored_by": _BY.get(source, "house") if source else None,
                "n_last_hour": n_last_hour.get(track.id, 0),
            }
        )
    return list(versions.values())


def _scored() -> QuerySet[Evaluation]:
    """What was scored here; published results were not."""
    return Evaluation.objects.filter(status=Evaluation.Status.SCORED, started_at__isnull=False)


def _canary(canary: CanaryState | None) -> CanaryDocument | None:
    if canary is None or canary.state == "none":
        return None
    return {
        "state": canary.state,
        "track": canary.track,
        "sent_at": canary.at,
        "seconds": canary.seconds,
        "why": canary.why,
    }


def _faults() -> list[FaultDocument]:
    """Faults of ours in the last day, the most frequent first."""
    rows = (
        Event.objects.filter(
            kind__in=(events.EVALUATION_QUEUED, events.EVALUATION_FAILED),
            at__gt=Now() - _DAY,
            data__before=Evaluation.Status.RUNNING,
        )
        .annotate(code=KeyTextTransform("code", "data"))
        .values_list("kind", "code")
        .annotate(n=Count("id"))
        .order_by()
    )
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for kind, code, n in rows:
        counts[str(code)][kind] = n
    faults: list[FaultDocument] = [
        {
            "code": code,
            "title": CODES[code].title if code in CODES else "",
            "n_retried": by_kind.get(events.EVALUATION_QUEUED, 0),
            "n_failed": by_kind.get(events.EVALUATION_FAILED, 0),
        }
        for code, by_kind in counts.items()
    ]
    return sorted(faults, key=lambda fault: (-fault["n_failed"], -fault["n_retried"]))
