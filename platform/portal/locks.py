"""Locks of the database by name: whoever comes second goes on with something else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def sole(what: str) -> Iterator[bool]:
    """Whether nobody else does this now; it is ours until the block ends.

    A lock of the session: PostgreSQL lets go of it when the process dies.
    """
    key = _key(what)
    is_ours = _ask("SELECT pg_try_advisory_lock(%s)", key)
    try:
        yield is_ours
    finally:
        if is_ours:
            _ask("SELECT pg_advisory_unlock(%s)", key)


def take(what: str) -> bool:
    """Whether nobody else does this now; it is ours until the transaction ends."""
    return _ask("SELECT pg_try_advisory_xact_lock(%s)", _key(what))


def share(what: str) -> None:
    """Wait until nobody has it alone; until the transaction ends, nobody will.

    Others may share it meanwhile.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [_key(what)])


def wait_for(what: str) -> None:
    """Wait until nobody else does this; it is ours until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_key(what)])


def _key(what: str) -> int:
    return int.from_bytes(hashlib.sha256(what.encode()).digest()[:8], "big", signed=True)


def _ask(statement: str, key: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, [key])
        row = cursor.fetchone()
    return bool(row and row[0])
