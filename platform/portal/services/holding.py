"""A stored file is held fast while a submission that names it is on its way.

Who writes the row holds the file; the sweeper deletes only what nobody holds and, looking
again under its lock, no row names. Locks end with their transaction.
"""

from __future__ import annotations

import zlib

from django.db import connection

_SPACE = 0x75706C64  # of these locks, apart from all others


def hold(name: str) -> None:
    """Let no sweeper delete the file of that digest or key before this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [_SPACE, _number(name)])


def seize(name: str) -> bool:
    """Whether nobody holds the file, and nobody will before this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [_SPACE, _number(name)])
        return bool(cursor.fetchone()[0])


def _number(name: str) -> int:
    """A signed number of four bytes; two files that share one only wait for each other."""
    return zlib.crc32(name.encode()) - 2**31
