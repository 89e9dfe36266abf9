"""Why an evaluation failed: a closed list of codes, each with a sentence and whether we retry.

All of these are our faults, never the entrant's: none uses quota.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MAX_ATTEMPTS = 3
BACKOFF_SECONDS = (2, 10)  # after the first and the second attempt


@dataclass(frozen=True, slots=True)
class Failure:
    """What an entrant reads, and what the queue does."""

    code: str
    sentence: str
    is_retried: bool


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
            "Our file store could not be reached in three tries. Please submit the file again.",
            is_retried=True,
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
