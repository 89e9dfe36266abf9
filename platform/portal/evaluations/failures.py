"""Why an evaluation failed: a closed list of codes, each with a sentence and whether we retry.

All of these are our faults, never the entrant's: none uses quota.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

MAX_STRIKES = 3  # attempts that the file itself may have ended; then it is laid aside
BACKOFF_SECONDS = (2, 10)  # after the first and the second strike
SETBACK_SECONDS = (2, 60)  # a service that is away is asked again so soon, and so seldom at last
PATIENCE = timedelta(days=1)  # with services of ours that are away


@dataclass(frozen=True, slots=True)
class Failure:
    """What an entrant reads, and what the queue does.

    Attributes:
        is_retried: the same file may succeed at another time.
        is_setback: a service of ours was away, which says nothing about the file: no
            strike, and another attempt until PATIENCE ends.
    """

    code: str
    sentence: str
    is_retried: bool
    is_setback: bool = False


STORE_AWAY = "infra.store"
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
        Failure(
            STORE_AWAY,
            "Our file store could not be reached for a whole day. Please submit the file again.",
            is_retried=True,
            is_setback=True,
        ),
        Failure(
            FILE_DAMAGED,
            "The file as we stored it is not the file that you sent. Please submit it again.",
            is_retried=True,
        ),
        Failure(
            WORKER_LOST,
            "The worker that scored this stopped without a word in three tries. "
            "The maintainers can see it; please write to them if it happens again.",
            is_retried=True,
        ),
        Failure(
            SCORER_CRASHED,
            "The scorer crashed on this file in three tries. "
            "The maintainers can see it; the file is kept.",
            is_retried=True,
        ),
        Failure(
            SCORER_MEMORY,
            "Scoring this file needs more memory than a submission may use. "
            "Check that it holds nothing beyond the answers.",
            is_retried=False,
        ),
        Failure(
            SCORER_TIME,
            "Scoring this file takes longer than a submission may take. "
            "Check that it holds nothing beyond the answers.",
            is_retried=False,
        ),
        Failure(
            VERSION_UNUSABLE,
            "This version of the benchmark cannot be scored at the moment. "
            "The maintainers have to look at it; the file is kept.",
            is_retried=False,
        ),
        Failure(
            INTERNAL,
            "Something went wrong on our side in three tries. "
            "The maintainers can see it; the file is kept.",
            is_retried=True,
        ),
    )
}


def delay_after_strike(n_strikes: int) -> timedelta:
    """How long to wait after the n-th strike, n from 1 to MAX_STRIKES - 1."""
    return timedelta(seconds=BACKOFF_SECONDS[n_strikes - 1])


def delay_after_setback(n_setbacks: int) -> timedelta:
    """How long to wait after the n-th setback: doubling, up to a minute."""
    first, longest = SETBACK_SECONDS
    return timedelta(seconds=min(longest, first * 2 ** min(n_setbacks - 1, 10)))
