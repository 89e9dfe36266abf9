"""Files too large for the form: begun here, sent straight to the store, then submitted by id."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, TypedDict
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from portal.accounts.models import Team, User
from portal.accounts.teams import team_of
from portal.benchmarks.models import Track
from portal.errors import StateConflict, TooLarge, UploadEnded, UploadNotFound
from portal.exchange.direct import MAX_PARTS, key_of
from portal.exchange.storage import open_store
from portal.services.arrival import (
    Arrival,
    arrival_of,
    bytes_of_part,
    direct_uploads,
    n_parts,
)
from portal.services.earlier import submission_of_answers
from portal.services.quotas import refuse_if_spent
from portal.submissions import policy
from portal.submissions.models import Upload

LASTS = timedelta(hours=24)
MAX_OPEN = 5  # uploads of a team at once; one more ends the oldest
MAX_ADDRESSES = 100  # in one answer

State = Upload.State


class PartThere(TypedDict):
    number: int
    n_bytes: int


class PartMissing(PartThere):
    """A part to send: `n_bytes` bytes by PUT to `url`, which takes no further keys."""

    url: str


class UploadDocument(TypedDict):
    """How far an upload has come.

    `missing` holds the first parts of `n_missing`; `is_known` says that these answers were
    submitted before, so that no bytes need to be sent to find that submission.
    """

    id: UUID
    state: Literal["open", "used", "ended"]
    benchmark: str
    track: str
    file_name: str
    file_digest: str
    file_bytes: int
    part_bytes: int
    n_parts: int
    parts: list[PartThere]
    missing: list[PartMissing]
    n_missing: int
    is_known: bool
    submission: UUID | None
    created_at: datetime
    expires_at: datetime


def upload_limits() -> dict[str, int]:
    """The largest file by form and straight to the store (0 where it takes none), and its parts."""
    is_offered = open_store("uploads").direct is not None
    return {
        "max_upload_bytes": settings.MAX_UPLOAD_BYTES,
        "max_direct_bytes": settings.MAX_DIRECT_BYTES if is_offered else 0,
        "part_bytes": settings.PART_BYTES,
    }


def begin_upload(
    *,
    user: User,
    benchmark: str,
    track: str,
    file_digest: str,
    file_bytes: int,
    file_name: str = "",
) -> UploadDocument:
    """An upload for this file; one that the team began within a day goes on.

    Args:
        benchmark: `name` for the promoted version, or `name@version`.
        file_digest: SHA-256 of the file, 64 lower-case hexadecimal digits.

    Raises:
        BenchmarkNotFound, PolicyRefused, TooLarge, QuotaSpent: nothing was begun.
        StoreUnavailable: our store is away; the same request may be repeated.
    """
    wanted = policy.open_track(benchmark, track)
    direct_uploads()
    if file_bytes > settings.MAX_DIRECT_BYTES:
        raise TooLarge(
            f"The file has {file_bytes:,} bytes; a file may have "
            f"{settings.MAX_DIRECT_BYTES:,} bytes at most."
        )
    team = team_of(user)
    earlier = _open_for(team, wanted, file_digest).first()
    if earlier is not None:
        document = _document(earlier)
        if document["state"] == "open" and earlier.file_bytes == file_bytes:
            return document
        finish(earlier)
    if submission_of_answers(team=team, track=wanted, digest=file_digest) is None:
        refuse_if_spent(team, wanted.version)
    upload = _begun(
        Upload(
            id=uuid4(),
            team=team,
            created_by=user,
            track=wanted,
            file_name=policy.file_label(file_name),
            file_digest=file_digest,
            file_bytes=file_bytes,
            part_bytes=max(settings.PART_BYTES, -(-file_bytes // MAX_PARTS)),
            expires_at=Now() + LASTS,
        )
    )
    return _document(upload)


def upload_state(*, user: User, upload_id: UUID) -> UploadDocument:
    """How far an upload of the user's team has come, with addresses for what is missing.

    Raises:
        UploadNotFound: no such upload, or another team's.
        StoreUnavailable: our store is away.
    """
    return _document(find_upload(user=user, upload_id=upload_id))


def end_upload(*, user: User, upload_id: UUID) -> None:
    """Forget an upload and what has arrived of it; twice does no harm.

    Raises:
        UploadNotFound: no such upload, or another team's.
        StateConflict: a submission has used it.
        StoreUnavailable: our store is away; the same request may be repeated.
    """
    upload = find_upload(user=user, upload_id=upload_id)
    if upload.state == State.USED:
        raise StateConflict("A submission has used this upload; its file stays.")
    finish(upload)


def find_upload(*, user: User, upload_id: UUID) -> Upload:
    """The upload of one of the user's teams.

    Raises:
        UploadNotFound: no such upload, or another team's.
    """
    mine = _rows().filter(team__memberships__user=user)
    found = mine.filter(pk=upload_id).first()
    if found is None:
        raise UploadNotFound("There is no such upload among yours.")
    return found


def finish(upload: Upload) -> bool:
    """End an open upload, in the store first; False if it was over before."""
    if upload.state != State.OPEN:
        return False
    if (direct := open_store("uploads").direct) is not None:
        direct.abort(key_of(upload.id), upload.store_upload)
    rows = Upload.objects.filter(pk=upload.pk, state=State.OPEN)
    return rows.update(state=State.ENDED) == 1


def is_open(upload: Upload) -> bool:
    """Whether the upload may still become a submission."""
    return open_uploads().filter(pk=upload.pk).exists()


def use(upload: Upload, *, submission_id: UUID) -> None:
    """Let the submission have the upload; inside the transaction that makes it.

    Raises:
        UploadEnded: it is over.
    """
    rows = open_uploads().filter(pk=upload.pk)
    if rows.update(state=State.USED, submission_id=submission_id) == 0:
        raise UploadEnded("This upload was ended meanwhile.")


def open_uploads() -> QuerySet[Upload]:
    """Uploads that may still become submissions."""
    return Upload.objects.filter(state=State.OPEN, expires_at__gt=Now())


def expired_uploads() -> QuerySet[Upload]:
    """Open uploads whose time is over."""
    return Upload.objects.filter(state=State.OPEN, expires_at__lte=Now())


def _rows() -> QuerySet[Upload]:
    return Upload.objects.select_related("team", "track__version__benchmark")


def _open_for(team: Team, track: Track, digest: str) -> QuerySet[Upload]:
    return _rows().filter(team=team, track=track, file_digest=digest, state=State.OPEN)


def _begun(upload: Upload) -> Upload:
    """The row of a new upload, or the one that somebody else of the team began meanwhile."""
    direct = direct_uploads()
    upload.store_upload = direct.begin(key_of(upload.id))
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=upload.team_id)
        other = _open_for(upload.team, upload.track, upload.file_digest).first()
        if other is None:
            upload.save(force_insert=True)
        open_ones = Upload.objects.filter(team=upload.team, state=State.OPEN)
        surplus = list(open_ones.order_by("-created_at", "id")[MAX_OPEN:])
    if other is not None:
        direct.abort(key_of(upload.id), upload.store_upload)
        return other
    for old in surplus:
        finish(old)
    return _rows().get(pk=upload.pk)


def _document(upload: Upload) -> UploadDocument:
    arrival = _arrival(upload)
    missing = arrival.missing[:MAX_ADDRESSES] if arrival else ()
    addresses = (
        direct_uploads().addresses(key_of(upload.id), upload.store_upload, missing)
        if missing
        else []
    )
    version = upload.track.version
    same = submission_of_answers(team=upload.team, track=upload.track, digest=upload.file_digest)
    return {
        "id": upload.id,
        "state": "open" if arrival else "used" if upload.state == State.USED else "ended",
        "benchmark": version.address,
        "track": upload.track.slug,
        "file_name": upload.file_name,
        "file_digest": upload.file_digest,
        "file_bytes": upload.file_bytes,
        "part_bytes": upload.part_bytes,
        "n_parts": n_parts(upload),
        "parts": [
            {"number": part.number, "n_bytes": part.n_bytes}
            for part in (arrival.parts if arrival else ())
        ],
        "missing": [
            {"number": number, "n_bytes": bytes_of_part(upload, number), "url": address}
            for number, address in zip(missing, addresses, strict=True)
        ],
        "n_missing": len(arrival.missing) if arrival else 0,
        "is_known": same is not None,
        "submission": upload.submission_id,
        "created_at": upload.created_at,
        "expires_at": upload.expires_at,
    }


def _arrival(upload: Upload) -> Arrival | None:
    """What is there of an upload; None if it is over."""
    if not is_open(upload):
        return None
    try:
        return arrival_of(upload)
    except UploadEnded:
        finish(upload)
        return None
