"""A store in a folder: one file per digest, written beside its place and moved there."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from portal.exchange.direct import FOLDER, KEY, checked_key
from portal.exchange.storage import (
    OldFile,
    Stored,
    StoreDamaged,
    StoreMissing,
    StoreUnavailable,
    cannot_write,
)
from portal.exchange.streams import DIGEST, as_file, checked_digest, copy, verify

ARRIVING = ".arriving-"
LEFTOVER = re.compile(r"\.arriving-\w+\Z")


class FolderStore:
    """Files under `root`, two levels deep: `ab/abcd…`.

    Nobody sends files straight to a folder, yet it reads those of a bucket that was
    copied into it.
    """

    direct = None

    def __init__(self, root: str) -> None:
        self._root = Path(root)

    def put(self, source: bytes | BinaryIO, *, max_bytes: int | None = None) -> Stored:
        try:
            self._root.mkdir(parents=True, exist_ok=True, mode=0o750)
            handle, name = tempfile.mkstemp(prefix=ARRIVING, dir=self._root)
        except OSError as error:
            raise cannot_write(error) from error
        arriving = Path(name)
        try:
            with os.fdopen(handle, "wb") as target:
                stored = copy(as_file(source), target, max_bytes=max_bytes)
                target.flush()
                os.fsync(target.fileno())
            place = self._place(stored.digest)
            place.parent.mkdir(exist_ok=True, mode=0o750)
            arriving.replace(place)
        except OSError as error:
            raise cannot_write(error) from error
        finally:
            arriving.unlink(missing_ok=True)
        return stored

    def get(self, digest: str) -> bytes:
        with self.open(digest) as file:
            return file.read()

    def open(self, digest: str, *, key: str = "", n_bytes: int | None = None) -> BinaryIO:
        place = self._root / checked_key(key) if key else self._place(digest)
        try:
            file = place.open("rb")
        except FileNotFoundError:
            raise StoreMissing(f"no file {digest[:12]}…") from None
        except OSError as error:
            raise StoreUnavailable(f"cannot read: {error.strerror}") from error
        try:
            found = os.fstat(file.fileno()).st_size
            if n_bytes is not None and found != n_bytes:
                raise StoreDamaged(f"the stored file has {found} bytes, not {n_bytes}")
            verify(file, digest)
        except BaseException:
            file.close()
            raise
        return file

    def exists(self, digest: str) -> bool:
        return self._place(digest).is_file()

    def is_reachable(self) -> bool:
        # The first file makes the folder.
        place = next(folder for folder in (self._root, *self._root.parents) if folder.exists())
        return place.is_dir() and os.access(place, os.R_OK | os.X_OK)

    def old_files(self, *, seconds: float) -> Iterator[OldFile]:
        before = time.time() - seconds
        try:
            for folder in (self._root, *self._root.glob("[0-9a-f][0-9a-f]"), self._root / FOLDER):
                for file in folder.iterdir() if folder.is_dir() else ():
                    key = f"{FOLDER}/{file.name}" if folder.name == FOLDER else file.name
                    status = _status(file) if _is_ours(key) else None
                    if status is not None and status.st_mtime <= before:
                        yield OldFile(key=key, n_bytes=status.st_size)
        except OSError as error:
            raise StoreUnavailable(f"cannot list: {error.strerror}") from error

    def delete(self, key: str) -> None:
        place = self._place(key) if DIGEST.match(key) else self._root / key
        if not _is_ours(key):
            raise ValueError("not the name of a file of this store")
        try:
            place.unlink(missing_ok=True)
        except OSError as error:
            raise StoreUnavailable(f"cannot delete: {error.strerror}") from error

    def _place(self, digest: str) -> Path:
        return self._root / checked_digest(digest)[:2] / digest


def _is_ours(key: str) -> bool:
    return any(form.match(key) for form in (DIGEST, KEY, LEFTOVER))


def _status(file: Path) -> os.stat_result | None:
    """What the system says of a file; None if it is gone."""
    try:
        return file.stat()
    except FileNotFoundError:
        return None
