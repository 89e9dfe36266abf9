"""How far a direct upload has come, as the store sees it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from portal.errors import PolicyRefused, UploadEnded, UploadIncomplete
from portal.exchange.direct import DirectUploads, Part, key_of
from portal.exchange.storage import StoreDamaged, StoreMissing, open_store
from portal.submissions import policy
from portal.submissions.models import Upload

HEAD_BYTES = 8  # tell a container


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is there of an upload.

    Attributes:
        parts: those of the right size.
        missing: numbers of the others.
        is_whole: the parts have become one file already.
    """

    parts: Sequence[Part]
    missing: Sequence[int]
    is_whole: bool


def direct_uploads() -> DirectUploads:
    """The road for files that come straight to the store.

    Raises:
        PolicyRefused: this site's store has none.
    """
    direct = open_store("uploads").direct
    if direct is None:
        raise PolicyRefused(
            "The store of this site takes no files in parts.", code="policy.no_direct_uploads"
        )
    return direct


def n_parts(upload: Upload) -> int:
    return -(-upload.file_bytes // upload.part_bytes)


def bytes_of_part(upload: Upload, number: int) -> int:
    """The size of a part: all are alike but the last."""
    return min(upload.part_bytes, upload.file_bytes - (number - 1) * upload.part_bytes)


def arrival_of(upload: Upload) -> Arrival:
    """What the store has of an open upload.

    Raises:
        UploadEnded: the store knows nothing of it.
    """
    direct, key = direct_uploads(), key_of(upload.id)
    try:
        found = direct.parts(key, upload.store_upload)
    except StoreMissing:
        check_arrived(upload)
        return Arrival(parts=(), missing=(), is_whole=True)
    parts = [
        part
        for part in found
        if part.number <= n_parts(upload) and part.n_bytes == bytes_of_part(upload, part.number)
    ]
    there = {part.number for part in parts}
    missing = [number for number in range(1, n_parts(upload) + 1) if number not in there]
    return Arrival(parts=parts, missing=missing, is_whole=False)


def bring_together(upload: Upload) -> None:
    """One file of all its parts, of the declared size and no container; twice does no harm.

    Raises:
        UploadIncomplete: parts are missing, or one changed meanwhile.
        UploadEnded: the store knows nothing of it.
        ContainerRefused: an archive, a pickle, a picture.
    """
    direct, key = direct_uploads(), key_of(upload.id)
    arrival = arrival_of(upload)
    if arrival.missing:
        raise UploadIncomplete(
            f"{len(arrival.missing)} of {n_parts(upload)} parts are missing or not of their size."
        )
    if not arrival.is_whole:
        try:
            direct.complete(key, upload.store_upload, arrival.parts)
        except StoreDamaged:
            raise UploadIncomplete("A part was sent again while the file was put together.") from (
                None
            )
        except StoreMissing:
            pass  # somebody else put it together, or ended it: its size tells
        check_arrived(upload)
    policy.check_container(io.BytesIO(direct.head(key, min(HEAD_BYTES, upload.file_bytes))))


def check_arrived(upload: Upload) -> None:
    """Nothing, if the whole file lies in the store.

    Raises:
        UploadEnded: it does not, or has another size.
    """
    try:
        n_bytes = direct_uploads().n_bytes(key_of(upload.id))
    except StoreMissing:
        n_bytes = 0
    if n_bytes != upload.file_bytes:
        raise UploadEnded("What had arrived of this file is gone from the store.")
