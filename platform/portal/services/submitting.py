"""A file becomes a submission that waits to be scored, whichever way its bytes came."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import BinaryIO
from uuid import UUID

from django.conf import settings
from django.db import transaction

from portal.accounts.models import User
from portal.errors import ContainerRefused, PolicyRefused, TooLarge, UploadEnded, UploadNotFound
from portal.exchange.direct import key_of
from portal.exchange.storage import StoreUnavailable, TooManyBytes, open_store
from portal.exchange.streams import digest_of
from portal.services.acceptance import (
    Content,
    Wish,
    accepted_before,
    accepted_now,
    checked_wish,
)
from portal.services.arrival import bring_together, check_arrived
from portal.services.holding import hold, hold_stored
from portal.services.quotas import is_spent
from portal.services.uploads import find_upload, finish, is_open, use
from portal.services.values import Accepted
from portal.submissions import policy
from portal.submissions.models import Upload

WORTH_A_LOOK_BYTES = 1024 * 1024


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
        file: read from its start, in pieces; must be seekable.
        publish: stand on the board as soon as it is scored.

    Raises:
        BenchmarkNotFound, PolicyRefused, TooLarge, ContainerRefused: nothing was stored.
        IdempotencyMismatch: the key was used for other answers.
        QuotaSpent: the team may send no more for now; nothing counts that was here before.
        StoreUnavailable: our store is away; the same request may be repeated.
    """
    wish = checked_wish(
        user=user,
        benchmark=benchmark,
        track=track,
        system=system,
        publish=publish,
        facets=facets,
        url=url,
        idempotency_key=idempotency_key,
    )
    policy.check_container(file)
    earlier = _known_or_refused(wish, file, file_name)
    if earlier is not None:
        return earlier
    try:
        stored = open_store("uploads").put(file, max_bytes=settings.MAX_UPLOAD_BYTES)
    except TooManyBytes:
        raise TooLarge(
            f"A file may have {settings.MAX_UPLOAD_BYTES:,} bytes at most.",
        ) from None
    content = Content(digest=stored.digest, n_bytes=stored.n_bytes, file_name=file_name)
    with transaction.atomic():
        earlier = accepted_before(wish, content)
        if earlier is not None:
            return earlier
        hold_stored(content.digest, file)
        return accepted_now(wish, content)


def submit_upload(
    *,
    user: User,
    upload_id: UUID,
    benchmark: str,
    track: str,
    system: str,
    publish: bool = False,
    facets: Mapping[str, str] | None = None,
    url: str = "",
    idempotency_key: str | None = None,
) -> Accepted:
    """Accept a predictions file that went straight to the store, as `submit_predictions` does.

    What is left undone by a crash is done by the same call again. That the bytes are
    those of the stated digest is found when they are scored.

    Raises:
        BenchmarkNotFound, PolicyRefused: the rules say no; the upload stays open.
        UploadNotFound: no such upload, or another team's.
        UploadIncomplete: parts are missing.
        UploadEnded: it was ended, it expired, or a submission has used it.
        ContainerRefused: it is no predictions file; the upload is ended.
        IdempotencyMismatch: the key was used for other answers.
        QuotaSpent: the team may send no more for now; nothing counts that was here before.
        StoreUnavailable: our store is away; the same request may be repeated.
    """
    wish = checked_wish(
        user=user,
        benchmark=benchmark,
        track=track,
        system=system,
        publish=publish,
        facets=facets,
        url=url,
        idempotency_key=idempotency_key,
    )
    upload = _upload_of(wish, upload_id)
    content = Content(
        digest=upload.file_digest,
        n_bytes=upload.file_bytes,
        file_name=upload.file_name,
        key=key_of(upload.id),
    )
    with transaction.atomic():
        earlier = accepted_before(wish, content)
    if earlier is None:
        _bring_together(upload)
        with transaction.atomic():
            earlier = accepted_before(wish, content)
            if earlier is None:
                hold(content.key)
                check_arrived(upload)
                accepted = accepted_now(wish, content)
                use(upload, submission_id=accepted.id)
                return accepted
    _forget(upload)
    return earlier


def _known_or_refused(wish: Wish, file: BinaryIO, file_name: str) -> Accepted | None:
    """The earlier submission of a large file whose team may send no more; else None.

    Whoever has no quota left shall not fill the store; a small file is not worth the look.

    Raises:
        QuotaSpent: it is new.
    """
    n_bytes = file.seek(0, io.SEEK_END)
    file.seek(0)
    if n_bytes < WORTH_A_LOOK_BYTES or not is_spent(wish.team, wish.track.version):
        return None
    content = Content(digest_of(file), n_bytes, file_name)
    with transaction.atomic():
        return accepted_before(wish, content)


def _upload_of(wish: Wish, upload_id: UUID) -> Upload:
    upload = find_upload(user=wish.user, upload_id=upload_id)
    if upload.team_id != wish.team.id:
        raise UploadNotFound("There is no such upload among yours.")
    if upload.track_id != wish.track.id:
        raise PolicyRefused(
            f"This upload was begun for track {upload.track.slug} of "
            f"{upload.track.version.address}; name these.",
            code="policy.track",
        )
    return upload


def _bring_together(upload: Upload) -> None:
    if not is_open(upload):
        raise UploadEnded("This upload is over: it was ended, used, or begun more than a day ago.")
    try:
        bring_together(upload)
    except ContainerRefused:
        _forget(upload)
        raise


def _forget(upload: Upload) -> None:
    """End an upload that nobody needs any more; while the store is away, time will end it."""
    try:
        finish(upload)
    except StoreUnavailable:
        return
