"""Which service of ours is away, read off the exception that came instead of an answer.

The message of an exception may name hosts and paths: it goes to the log, never out.
"""

from __future__ import annotations

from django.db import DatabaseError, InterfaceError, InternalError, OperationalError

from portal.errors import Unavailable
from portal.exchange.storage import (
    StoreDamaged,
    StoreFull,
    StoreMissing,
    StoreUnavailable,
    is_out_of_room,
)

# SQLSTATE of what a server that stands cannot do at the moment.
DISK_FULL = "53100"
BUSY = {
    "40001": "serialization failure",
    "40P01": "deadlock",
    "53300": "too many connections",
    "55P03": "lock timeout",
    "57014": "statement timeout",
}
READ_ONLY = "25006"  # another server has taken over
INTERNAL = "XX"  # the class of damaged files and of writes that were refused


def outage_of(error: BaseException | None) -> Unavailable | None:
    """The refusal that says which service is away; None where none is."""
    match error:
        case StoreFull():
            return Unavailable("infra.disk_full")
        case StoreUnavailable():
            return Unavailable("infra.store")
        case StoreDamaged() | StoreMissing():
            return Unavailable("infra.file_damaged")
        case DatabaseError() | InterfaceError():
            code = _of_database(error)
            return Unavailable(code) if code else None
        case OSError() if is_out_of_room(error):
            return Unavailable("infra.disk_full")
    return None


def _of_database(error: DatabaseError | InterfaceError) -> str | None:
    state = str(getattr(error.__cause__, "sqlstate", None) or "")
    if state == DISK_FULL:
        return "infra.disk_full"
    if state in BUSY:
        return "infra.busy"
    if isinstance(error, OperationalError | InterfaceError):
        return "infra.database"
    is_down = state == READ_ONLY or state.startswith(INTERNAL)
    return "infra.database" if isinstance(error, InternalError) and is_down else None
