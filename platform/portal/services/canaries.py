"""Canaries: small files that the house sends down the road of an upload, on every open version.

Their files are made where questions may be read, when a version is opened. Each track's
canary submissions keep the digest, so that sending another one needs no store.
"""

from __future__ import annotations

from collections.abc import Set
from datetime import datetime, timedelta
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max, QuerySet
from django.db.models.functions import Now

from evaluator.bundle import Benchmark as Definition
from evaluator.bundle import Bundle, sha256
from evaluator.families import FAMILIES
from portal.benchmarks.models import Benchmark, BenchmarkVersion, Track
from portal.evaluations import events
from portal.evaluations.incidents import open_canary_incidents
from portal.evaluations.models import Evaluation
from portal.exchange.storage import Stored, open_store
from portal.services.holding import hold
from portal.services.queueing import queue_evaluation
from portal.submissions.models import Submission, System
from portal.submissions.slugs import free_slug, slug_of

NAME, FILE_NAME = "House canary", "canary.json"
MAX_UNDER_WAY = 4  # in the whole house: fifty versions are probed one after the other
SOONER = 5  # times, while something is amiss: to learn early that it is mended
KEPT = timedelta(days=2)

UNFINISHED = (Evaluation.Status.QUEUED, Evaluation.Status.RUNNING)


def make_canaries(*, version_id: UUID) -> int:
    """Store a file for each track of an open version that has none, and send it; how many.

    Needs the questions. A track whose file this release makes differently gets the new one.

    Raises:
        StoreError: this process may not read questions or write uploads, or they are away.
    """
    row = BenchmarkVersion.objects.select_related("benchmark").get(id=version_id)
    family = FAMILIES.get(row.benchmark.family)
    if not settings.CANARY_SECONDS or not row.accepts_submissions or family is None:
        return 0
    bundle = Bundle(
        benchmark=msgspec.convert(row.definition, type=Definition),
        questions=open_store("questions").get(row.questions_digest),
        truth=None,
    )
    tracks = list(row.tracks.all())
    contents = [family.blind(bundle, track.slug) for track in tracks]
    n_made = 0
    with transaction.atomic():
        files = [_stored(content) for content in contents]
        system = _system(row.benchmark)
        kept = {sent.track_id: sent.file_digest for sent in _latest_by_track(version_id)}
        for track, stored in zip(tracks, files, strict=True):
            if kept.get(track.id) != stored.digest:
                _send(system, track, stored)
                n_made += 1
    return n_made


def send_canaries() -> int:
    """Send what is due: one for each open version every CANARY_SECONDS, its tracks in turn.

    Where something is amiss the next one follows sooner.
    """
    if not settings.CANARY_SECONDS:
        return 0
    ailing: dict[UUID | None, set[str]] = {}
    for version_id, track in open_canary_incidents():
        ailing.setdefault(version_id, set()).add(track)
    pause = timedelta(seconds=settings.CANARY_SECONDS)
    sent = Evaluation.objects.filter(
        status__in=UNFINISHED, submission__source=Submission.Source.CANARY
    ).count()
    n_before = sent
    for version_id, latest, age in _latest_by_version():
        if sent >= MAX_UNDER_WAY:
            break
        ill = ailing.get(version_id, set())
        if age >= (pause / SOONER if ill else pause):
            sent += _send_next(version_id, latest, ill)
    return sent - n_before


def prune_canaries() -> int:
    """Remove old ones, but each track's latest and the first scored by each evaluator; how many.

    What happened stays in the log. The site's role may delete no submission: a function of
    the database does it, which knows canaries only.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT plumbline_prune_canaries(%s * interval '1 second')", [KEPT.total_seconds()]
        )
        (n_removed,) = cursor.fetchone() or (0,)
    return int(n_removed)


def _stored(content: bytes) -> Stored:
    """The file, which no sweeper takes before the transaction ends."""
    hold(sha256(content))
    return open_store("uploads").put(content)


def _latest_by_version() -> list[tuple[UUID, datetime, timedelta]]:
    """Open versions, when each got its last canary, and how long ago; the longest first."""
    latest = Max("tracks__submissions__created_at")
    rows = BenchmarkVersion.objects.filter(
        state=BenchmarkVersion.State.OPEN, tracks__submissions__system__kind=System.Kind.CANARY
    )
    rows = rows.annotate(latest=latest, age=Now() - latest).order_by("latest")
    return list(rows.values_list("id", "latest", "age"))


def _send_next(version_id: UUID, latest: datetime, ailing: Set[str]) -> bool:
    """Whether another one was sent: not while one is under way, nor if somebody else just did."""
    with transaction.atomic():
        # The system's row is the lock: nobody else changes it.
        systems = System.objects.select_for_update(of=("self",), skip_locked=True)
        system = systems.filter(kind=System.Kind.CANARY, benchmark__versions__id=version_id).first()
        if system is None:
            return False
        sent = list(_latest_by_track(version_id))
        newest = max(sent, key=lambda row: row.created_at)
        under_way = Evaluation.objects.filter(
            status__in=UNFINISHED, version_id=version_id, submission__system=system
        )
        if newest.created_at != latest or under_way.exists():
            return False
        # Every other time a track where one failed, else the one that waits longest.
        ill = [row for row in sent if row.track.slug in ailing]
        candidates = sent if not ill or newest in ill else ill
        chosen = min(candidates, key=lambda row: row.created_at)
        _send(system, chosen.track, Stored(chosen.file_digest, chosen.file_bytes))
    return True


def _latest_by_track(version_id: UUID) -> QuerySet[Submission]:
    rows = Submission.objects.filter(system__kind=System.Kind.CANARY, track__version=version_id)
    return rows.order_by("track_id", "-created_at").distinct("track_id").select_related("track")


def _send(system: System, track: Track, stored: Stored) -> None:
    submission = Submission.objects.create(
        system=system,
        track=track,
        source=Submission.Source.CANARY,
        file_digest=stored.digest,
        file_bytes=stored.n_bytes,
        file_name=FILE_NAME,
    )
    queue_evaluation(submission, actor=events.HOUSE)


def _system(benchmark: Benchmark) -> System:
    """The benchmark's canary, made where there is none, with its row locked."""
    # The benchmark's row is the lock on its slugs.
    Benchmark.objects.select_for_update().get(pk=benchmark.pk)
    canaries = System.objects.filter(benchmark=benchmark, kind=System.Kind.CANARY)
    return canaries.select_for_update().first() or System.objects.create(
        benchmark=benchmark,
        name=NAME,
        slug=free_slug(benchmark, slug_of(NAME)),
        kind=System.Kind.CANARY,
        description="Sent by the house to see whether the road is open; on no board.",
    )
