"""Why an evaluation failed: codes of the closed list, and what the queue makes of each.

All of these are our faults, never the entrant's: none uses quota.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from portal.codes import code_of

MAX_STRIKES = 3  # attempts that the file itself may have ended; then it is laid aside
BACKOFF_SECONDS = (2, 10)  # after the first and the second strike
SETBACK_SECONDS = (2, 15)  # a service that is away is asked again so soon, and so seldom at last
PATIENCE = timedelta(days=1)  # with services of ours that are away


@dataclass(frozen=True, slots=True)
class Failure:
    """What an entrant reads, which the list of codes says, and what the queue does.

    Attributes:
        is_setback: a service of ours was away, which says nothing about the file: no
            strike, and another attempt until PATIENCE ends.
    """

    code: str
    is_setback: bool = False

    @property
    def sentence(self) -> str:
        return code_of(self.code).meaning

    @property
    def remedy(self) -> str:
        return code_of(self.code).remedy

    @property
    def is_retried(self) -> bool:
        """The same file may succeed at another time."""
        return code_of(self.code).is_retried


STORE_AWAY = "infra.store"
DATABASE_AWAY = "infra.database"
DATABASE_BUSY = "infra.busy"
DISK_FULL = "infra.disk_full"
FILE_DAMAGED = "infra.file_damaged"
WORKER_LOST = "infra.worker_lost"
SCORER_CRASHED = "scorer.crashed"
SCORER_MEMORY = "scorer.memory"
SCORER_TIME = "scorer.time"
VERSION_UNUSABLE = "scorer.version_unusable"
INTERNAL = "scorer.internal"

FAILURES: Mapping[str, Failure] = {
    failure.code: failure
    for failure in (
        *(
            Failure(code, is_setback=True)
            for code in (STORE_AWAY, DATABASE_AWAY, DATABASE_BUSY, DISK_FULL)
        ),
        Failure(FILE_DAMAGED),
        Failure(WORKER_LOST),
        Failure(SCORER_CRASHED),
        Failure(SCORER_MEMORY),
        Failure(SCORER_TIME),
        Failure(VERSION_UNUSABLE),
        Failure(INTERNAL),
    )
}


def delay_after_strike(n_strikes: int) -> timedelta:
    """How long to wait after the n-th strike, n from 1 to MAX_STRIKES - 1."""
    return timedelta(seconds=BACKOFF_SECONDS[n_strikes - 1])


def delay_after_setback(n_setbacks: int) -> timedelta:
    """How long to wait after the n-th setback: doubling, up to a quarter of a minute."""
    first, longest = SETBACK_SECONDS
    return timedelta(seconds=min(longest, first * 2 ** min(n_setbacks - 1, 10)))
