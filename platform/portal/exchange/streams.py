"""Copying with a digest and a limit, shared by the kinds of store."""

from __future__ import annotations

import hashlib
import io
import re
from typing import BinaryIO

from portal.exchange.storage import Stored, StoreDamaged, TooManyBytes

CHUNK_BYTES = 1024 * 1024
DIGEST = re.compile(r"[0-9a-f]{64}\Z")


def as_file(source: bytes | BinaryIO) -> BinaryIO:
    return io.BytesIO(source) if isinstance(source, bytes) else source


def checked_digest(digest: str) -> str:
    """The digest itself, so that no other text ever becomes part of a path or key."""
    if not DIGEST.match(digest):
        raise ValueError("a digest is 64 hexadecimal digits")
    return digest


def copy(source: BinaryIO, target: BinaryIO, *, max_bytes: int | None = None) -> Stored:
    """Copy all of `source`; TooManyBytes as soon as it exceeds the limit."""
    sha256 = hashlib.sha256()
    n_bytes = 0
    while chunk := source.read(CHUNK_BYTES):
        n_bytes += len(chunk)
        if max_bytes is not None and n_bytes > max_bytes:
            raise TooManyBytes(f"more than {max_bytes} bytes")
        sha256.update(chunk)
        target.write(chunk)
    return Stored(digest=sha256.hexdigest(), n_bytes=n_bytes)


def digest_of(file: BinaryIO) -> str:
    """SHA-256 of the whole file, which is left at its start."""
    file.seek(0)
    sha256 = hashlib.sha256()
    while chunk := file.read(CHUNK_BYTES):
        sha256.update(chunk)
    file.seek(0)
    return sha256.hexdigest()


def verify(file: BinaryIO, digest: str) -> None:
    """Read `file` from its start and put it back there; StoreDamaged if it differs."""
    if digest_of(file) != digest:
        raise StoreDamaged(f"the stored file {digest[:12]}… is not what its digest says")
