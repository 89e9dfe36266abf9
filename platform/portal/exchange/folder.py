"""A store in a folder: one file per digest, written beside its place and moved there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import BinaryIO

from portal.exchange.storage import Stored, StoreMissing, StoreUnavailable
from portal.exchange.streams import as_file, checked_digest, copy, verify


class FolderStore:
    """Files under `root`, two levels deep: `ab/abcd…`."""

    def __init__(self, root: str) -> None:
        self._root = Path(root)

    def put(self, source: bytes | BinaryIO, *, max_bytes: int | None = None) -> Stored:
        try:
            self._root.mkdir(parents=True, exist_ok=True, mode=0o750)
            handle, name = tempfile.mkstemp(prefix=".arriving-", dir=self._root)
        except OSError as error:
            raise StoreUnavailable(f"cannot write: {error.strerror}") from error
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
            raise StoreUnavailable(f"cannot write: {error.strerror}") from error
        finally:
            arriving.unlink(missing_ok=True)
        return stored

    def get(self, digest: str) -> bytes:
        with self.open(digest) as file:
            return file.read()

    def open(self, digest: str) -> BinaryIO:
        try:
            file = self._place(digest).open("rb")
        except FileNotFoundError:
            raise StoreMissing(f"no file {digest[:12]}…") from None
        except OSError as error:
            raise StoreUnavailable(f"cannot read: {error.strerror}") from error
        try:
            verify(file, digest)
        except BaseException:
            file.close()
            raise
        return file

    def exists(self, digest: str) -> bool:
        return self._place(digest).is_file()

    def _place(self, digest: str) -> Path:
        return self._root / checked_digest(digest)[:2] / digest
