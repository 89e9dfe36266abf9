"""An upload becomes a submission that waits to be scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

import evaluator
from portal import logs
from portal.accounts.models import Team, User
from portal.accounts.teams import team_of
from portal.benchmarks.models import Benchmark, Track
from portal.errors import IdempotencyMismatch, TooLarge
from portal.evaluations.models import Evaluation
from portal.exchange.storage import Stored, TooManyBytes, open_store
from portal.services.queueing import queue_evaluation
from portal.services.states import state_of, with_states
from portal.services.submissions import publish_submission
from portal.services.values import Accepted
from portal.submissions import policy
from portal.submissions.models import Submission, System
from portal.submissions.slugs import free_slug


def submit_predictions(
    *,
    user: User,
    benchmark: str,
    track: str,
    system: str,
    file: BinaryIO,
    file_name: str = "",
    publish: bool = False,
    facets: Mapping[str, str] | None = None,
    url: str = "",
    idempotency_key: str | None = None,
) -> Accepted:
    """Accept a predictions file; it is scored soon after, whoever dies on the way.

    The same key or the same answers of the same team give the earlier submission;
    under the same name and with `publish`, it is published if it was private.

    Args:
        benchmark: `name` for the promoted version, or `name@version`.
        system: the name to show, or the slug of a system of the team.
        file: read once from its start, in pieces; must be seekable.
        publish: stand on the board as soon as it is scored.

    Raises:
        BenchmarkNotFound, PolicyRefused, TooLarge, ContainerRefused: nothing was stored.
        IdempotencyMismatch: the key was used for other answers.
        StoreUnavailable: our store is away; the same request may be repeated.
    """
    wanted = policy.open_track(benchmark, track)
    name = policy.system_name(system)
    family = wanted.version.benchmark.family
    checked_facets = policy.facets(family, facets or {})
    link = policy.link(url)
    key = policy.idempotency_key(idempotency_key)
    policy.check_container(file)
    team = team_of(user)
    known = _system_named(team, wanted.version.benchmark, name)
    policy.required_facets(family, {**(known.facets if known else {}), **checked_facets})
    try:
        stored = open_store("uploads").put(file, max_bytes=settings.MAX_UPLOAD_BYTES)
    except TooManyBytes:
        raise TooLarge(
            f"A file may have {settings.MAX_UPLOAD_BYTES:,} bytes at most.",
        ) from None
    with transaction.atomic():
        # The team's row is the lock: fifty posts with one key make one submission.
        Team.objects.select_for_update().get(pk=team.pk)
        earlier = _by_key(team, key, wanted, stored)
        if earlier is not None:
            return _accepted(earlier, is_new=False)
        earlier = _by_content(team, wanted, stored)
        if earlier is not None:
            is_wanted = publish and known is not None and _may_be_published(earlier, known)
            if is_wanted:
                publish_submission(user=user, submission_id=earlier.id)
            return _accepted(
                earlier, is_new=False, duplicate_of=earlier.id, is_published_now=is_wanted
            )
        submission = Submission.objects.create(
            system=_system(team, wanted.version.benchmark, name, checked_facets, link),
            track=wanted,
            team=team,
            source=Submission.Source.UPLOAD,
            file_digest=stored.digest,
            file_bytes=stored.n_bytes,
            file_name=policy.file_label(file_name),
            idempotency_key=key,
            created_by=user,
            visibility=_visibility(publish),
            published_at=Now() if publish else None,
        )
        queue_evaluation(submission, actor=user.username)
        return _accepted(submission, is_new=True)


def _accepted(
    submission: Submission,
    *,
    is_new: bool,
    duplicate_of: UUID | None = None,
    is_published_now: bool = False,
) -> Accepted:
    logs.concern(submission=submission.id)
    row = with_states(Submission.objects.filter(pk=submission.pk)).get()
    return Accepted(
        id=submission.id,
        is_new=is_new,
        duplicate_of=duplicate_of,
        is_published_now=is_published_now,
        submission=state_of(row),
    )


def _by_key(team: Team, key: str | None, track: Track, stored: Stored) -> Submission | None:
    if key is None:
        return None
    earlier = Submission.objects.filter(team=team, idempotency_key=key).first()
    if earlier is None:
        return None
    if (earlier.track_id, earlier.file_digest) != (track.id, stored.digest):
        raise IdempotencyMismatch(
            "This idempotency key was used for another file or track; take a new one."
        )
    return earlier


def _by_content(team: Team, track: Track, stored: Stored) -> Submission | None:
    """The same answers that still count: neither withdrawn nor failed by our fault.

    Nor rejected by another version of the evaluator: this one may accept them.
    """
    is_spent = Q(status=Evaluation.Status.FAILED) | (
        Q(status=Evaluation.Status.REJECTED) & ~Q(evaluator_version=evaluator.__version__)
    )
    counting = Evaluation.objects.filter(~is_spent, submission=OuterRef("pk"))
    return (
        Submission.objects.filter(
            Exists(counting), team=team, track=track, file_digest=stored.digest
        )
        .exclude(visibility=Submission.Visibility.WITHDRAWN)
        .order_by("created_at")
        .first()
    )


def _may_be_published(earlier: Submission, system: System) -> bool:
    """Whether a wish to publish these answers of the system can mean the earlier submission.

    Not under another name than the one it was asked for, nor where nothing would stand.
    """
    return (
        earlier.visibility == Submission.Visibility.PRIVATE
        and earlier.system_id == system.id
        and earlier.evaluations.exclude(status=Evaluation.Status.REJECTED).exists()
    )


def _system(
    team: Team, benchmark: Benchmark, name: str, facets: Mapping[str, str], link: str
) -> System:
    """The team's system of that name; what the team says about it now replaces what it said."""
    system = _system_named(team, benchmark, name)
    if system is None:
        # The benchmark's row is the lock on its slugs.
        Benchmark.objects.select_for_update().get(pk=benchmark.pk)
        return System.objects.create(
            benchmark=benchmark,
            team=team,
            name=name,
            slug=free_slug(benchmark, name),
            facets=dict(facets),
            url=link,
        )
    if facets or link:
        system.facets = {**system.facets, **facets}
        system.url = link or system.url
        system.save(update_fields=["facets", "url"])
    return system


def _system_named(team: Team, benchmark: Benchmark, name: str) -> System | None:
    mine = System.objects.filter(benchmark=benchmark, team=team)
    return mine.filter(name=name).first() or mine.filter(slug=name).first()


def _visibility(publish: bool) -> Submission.Visibility:
    return Submission.Visibility.PUBLISHED if publish else Submission.Visibility.PRIVATE
