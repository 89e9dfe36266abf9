"""A version opens and closes, both without return; its quota may change at any time."""

from __future__ import annotations

import logging
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from portal.benchmarks.models import Benchmark, BenchmarkVersion
from portal.errors import BenchmarkNotFound, StateConflict
from portal.evaluations import events
from portal.exchange import jobs
from portal.exchange.queue import post
from portal.exchange.storage import StoreError
from portal.services.canaries import make_canaries

logger = logging.getLogger(__name__)

State = BenchmarkVersion.State


def version_id(*, address: str) -> UUID:
    """The id of the version `name@version`, public or not.

    Raises:
        BenchmarkNotFound: no such version.
    """
    name, _, version = address.partition("@")
    row = BenchmarkVersion.objects.filter(benchmark__name=name, version=version).first()
    if row is None:
        raise BenchmarkNotFound(f"There is no version {address!r}; it wants NAME@VERSION.")
    return row.id


def open_version(*, version_id: UUID, actor: str) -> None:
    """Show a version and, unless it holds results only, take submissions for it.

    The first opened version of a benchmark is the one that its bare name stands for; one
    that takes submissions takes over from one that holds results only.

    Raises:
        BenchmarkNotFound: no such version.
        StateConflict: it was opened or closed before.
    """
    with transaction.atomic():
        row = _locked(version_id)
        if row.state not in (State.DRAFT, State.REHEARSED):
            raise StateConflict(f"{row.address} is {row.get_state_display()} already.")
        _move(row, State.OPEN, events.VERSION_OPENED, actor)
        yields = Q(promoted__isnull=True)
        if not row.is_reference_only:
            yields |= Q(promoted__is_reference_only=True)
        if Benchmark.objects.filter(yields, pk=row.benchmark_id).update(promoted=row):
            events.record(events.VERSION_PROMOTED, actor=actor, version_id=row.id)
        _rebuild_after_commit(row)
    try:
        make_canaries(version_id=version_id)
    except StoreError as error:
        # The version is open; `manage.py make_canaries` makes up for it.
        logger.error("%s has no canary: %s", row.address, error)


def close_version(*, version_id: UUID, actor: str) -> None:
    """Take no more submissions; the board stays.

    Raises:
        BenchmarkNotFound: no such version.
        StateConflict: it is not open.
    """
    with transaction.atomic():
        row = _locked(version_id)
        if row.state != State.OPEN:
            raise StateConflict(f"{row.address} is {row.get_state_display()}, not open.")
        _move(row, State.CLOSED, events.VERSION_CLOSED, actor)
        _rebuild_after_commit(row)


def set_quota(*, version_id: UUID, per_day: int | None, in_all: int | None, actor: str) -> None:
    """Say how many scored submissions a team may have of a version; for drafts and open ones alike.

    Args:
        per_day: per UTC day; 0 for no limit, None for the site's.
        in_all: in all days together; the same.

    Raises:
        BenchmarkNotFound: no such version.
    """
    with transaction.atomic():
        row = _locked(version_id)
        BenchmarkVersion.objects.filter(pk=row.pk).update(per_day=per_day, in_all=in_all)
        events.record(
            events.VERSION_QUOTA_SET,
            actor=actor,
            version_id=row.id,
            before={"per_day": row.per_day, "in_all": row.in_all},
            after={"per_day": per_day, "in_all": in_all},
        )


def _locked(version_id: UUID) -> BenchmarkVersion:
    rows = BenchmarkVersion.objects.select_for_update(of=("self",)).select_related("benchmark")
    row = rows.filter(id=version_id).first()
    if row is None:
        raise BenchmarkNotFound("There is no such version.")
    return row


def _move(row: BenchmarkVersion, state: BenchmarkVersion.State, kind: str, actor: str) -> None:
    stamp = "opened_at" if state == State.OPEN else "closed_at"
    BenchmarkVersion.objects.filter(pk=row.pk).update(state=state, **{stamp: Now()})
    events.record(kind, actor=actor, version_id=row.id, before=row.state, after=str(state))


def _rebuild_after_commit(row: BenchmarkVersion) -> None:
    for slug in row.tracks.values_list("slug", flat=True):
        transaction.on_commit(partial(post, jobs.REBUILD, row.id, slug))
