"""A file that is handed in: its name, its size, its digest, and any stretch of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

CHUNK_BYTES = 256 * 1024


class Content:
    """A file on disk, or bytes; read in pieces, by several threads if need be."""

    def __init__(self, source: Path | bytes) -> None:
        self._source = source
        self._stamp = self._now()
        self.name = "predictions.json" if isinstance(source, bytes) else source.name
        self.n_bytes = self._stamp[0]

    @property
    def has_changed(self) -> bool:
        """Whether somebody has written to the file since this was made."""
        return self._now() != self._stamp

    def digest(self) -> str:
        """SHA-256 of all of it."""
        sha256 = hashlib.sha256()
        for chunk in self.pieces(0, self.n_bytes):
            sha256.update(chunk)
        return sha256.hexdigest()

    def pieces(self, start: int, n_bytes: int) -> Iterator[bytes]:
        """The bytes from `start` on, in pieces."""
        if isinstance(self._source, bytes):
            for place in range(start, start + n_bytes, CHUNK_BYTES):
                yield self._source[place : min(place + CHUNK_BYTES, start + n_bytes)]
            return
        with self._source.open("rb") as file:
            file.seek(start)
            while n_bytes > 0 and (chunk := file.read(min(CHUNK_BYTES, n_bytes))):
                n_bytes -= len(chunk)
                yield chunk

    @contextmanager
    def opened(self) -> Iterator[BinaryIO | bytes]:
        """All of it, as a form takes it."""
        if isinstance(self._source, bytes):
            yield self._source
            return
        with self._source.open("rb") as stream:
            yield stream

    def _now(self) -> tuple[int, int]:
        if isinstance(self._source, bytes):
            return len(self._source), 0
        status = self._source.stat()
        return status.st_size, status.st_mtime_ns
