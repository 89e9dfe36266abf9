"""A stored file is held fast while a submission that names it is on its way.

Who writes the row holds the file; the sweeper deletes only what nobody holds and, looking
again under its lock, no row names. Locks end with their transaction.
"""

from __future__ import annotations

from typing import BinaryIO

from portal import locks
from portal.exchange.storage import open_store


def hold(name: str) -> None:
    """Let no sweeper delete the file of that digest or key before this transaction ends."""
    locks.share(_lock_of(name))


def hold_stored(digest: str, content: bytes | BinaryIO) -> None:
    """Hold a file that was just put into the uploads, put again if it was swept since."""
    hold(digest)
    store = open_store("uploads")
    if not store.exists(digest):
        if not isinstance(content, bytes):
            content.seek(0)
        store.put(content)


def seize(name: str) -> bool:
    """Whether nobody holds the file, and nobody will before this transaction ends."""
    return locks.take(_lock_of(name))


def _lock_of(name: str) -> str:
    return f"file {name}"
