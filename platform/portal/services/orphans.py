"""What no submission names any more: uploads that were given up, files that lie for nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from uuid import UUID

from django.db import transaction

from portal.exchange.direct import FOLDER
from portal.exchange.storage import Guarded, OldFile, open_store
from portal.services.holding import seize
from portal.services.uploads import expired_uploads, finish, open_uploads
from portal.services.values import SweptUploads
from portal.submissions.models import Submission

OLD_SECONDS = 24 * 3600.0
BATCH = 500  # files looked up at once
FEW = 10  # files without a submission, which any site may have


def sweep_uploads(*, older_than_seconds: float = OLD_SECONDS) -> SweptUploads:
    """End uploads whose time is over, delete old files that no submission names.

    A submission of the same bytes at the same moment loses nothing: see `holding`. Where the
    database knows so little of the store that they hardly belong together, all is spared.

    Raises:
        StoreUnavailable: the store is away; what is left waits for the next round.
    """
    n_ended = sum(finish(upload) for upload in expired_uploads())
    store = open_store("uploads")
    n_named, orphans = 0, list[OldFile]()
    for batch in _batches(store.old_files(seconds=older_than_seconds)):
        named = _named([file.key for file in batch])
        n_named += len(named)
        orphans += [file for file in batch if file.key not in named]
    whole = [file for file in orphans if not file.is_leftover]
    is_doubtful = len(whole) > (max(FEW, n_named) if n_named else 0)
    deleted = [
        file
        for file in orphans
        if (file.is_leftover or not is_doubtful) and _delete(store, file.key)
    ]
    return SweptUploads(
        n_ended=n_ended,
        n_deleted=len(deleted),
        n_bytes=sum(file.n_bytes for file in deleted),
        n_spared=len(whole) if is_doubtful else 0,
    )


def _delete(store: Guarded, key: str) -> bool:
    """Delete a file that nobody holds and, seen under its lock, still no row names."""
    with transaction.atomic():
        if not seize(key) or _named([key]):
            return False
        store.delete(key)
    return True


def _named(keys: Iterable[str]) -> set[str]:
    """Those of the digests and keys that a submission or an open upload names."""
    keys = set(keys)
    by_digest = Submission.objects.filter(file_key="", file_digest__in=keys)
    by_key = Submission.objects.filter(file_key__in=keys - {""})
    ids = [UUID(key.removeprefix(f"{FOLDER}/")) for key in keys if key.startswith(f"{FOLDER}/")]
    coming = open_uploads().filter(pk__in=ids).values_list("pk", flat=True)
    return {
        *by_digest.values_list("file_digest", flat=True),
        *by_key.values_list("file_key", flat=True),
        *(f"{FOLDER}/{pk}" for pk in coming),
    }


def _batches(files: Iterator[OldFile]) -> Iterator[list[OldFile]]:
    while batch := list(islice(files, BATCH)):
        yield batch
