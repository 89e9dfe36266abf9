"""What the database says, read as its owner and never through the code under trial."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from uuid import UUID

import psycopg

AWAY_FOR = 60.0  # seconds for which a database that is away is asked again
FINAL = ("SCORED", "REJECTED", "FAILED")

_OF_UPLOADS = """
    FROM evaluations_evaluation AS evaluation
    JOIN submissions_submission AS submission ON submission.id = evaluation.submission_id
    WHERE submission.source = 'UPLOAD'
"""
_CLAIMANTS = f"SELECT DISTINCT evaluation.worker {_OF_UPLOADS} AND evaluation.status = 'RUNNING'"
_UNFINISHED = f"SELECT count(*) {_OF_UPLOADS} AND evaluation.status IN ('QUEUED', 'RUNNING')"
_UNCLAIMED = f"""
    SELECT count(*) {_OF_UPLOADS} AND (evaluation.status = 'QUEUED'
        OR evaluation.status = 'RUNNING' AND evaluation.lease_until < clock_timestamp())
"""
_BACKGROUND = "SELECT count(*) FROM evaluations_evaluation WHERE status IN ('QUEUED', 'RUNNING')"
_INTERVALS = f"SELECT count(*) {_OF_UPLOADS} AND evaluation.intervals = 'PENDING'"
_ROWS = f"""
    SELECT submission.id, submission.idempotency_key, evaluation.id, evaluation.status,
           evaluation.intervals {_OF_UPLOADS}
"""
_EVENTS = """
    SELECT evaluation_id, extract(epoch FROM at), kind FROM evaluations_event
    WHERE evaluation_id IS NOT NULL AND kind LIKE 'evaluation.%' ORDER BY id
"""
_VALUES = """
    SELECT evaluation_id, metric, value FROM evaluations_score WHERE slice = 'all'
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One evaluation of one upload."""

    submission: str
    key: str
    evaluation: UUID
    status: str
    intervals: str


@dataclass(frozen=True, slots=True)
class Step:
    """One event of one evaluation; `at` in seconds since 1970, on the database's clock."""

    at: float
    kind: str


class Ledger:
    """Reads the tables; a database that is away is waited for."""

    def __init__(self, url: str) -> None:
        self._url = url

    def claimants(self) -> set[int]:
        """Processes that hold a row in mid-score; none while the database is away."""
        try:
            found = self._ask(_CLAIMANTS)
        except psycopg.OperationalError:
            return set()
        return {int(worker.partition(":")[2].partition("/")[0]) for (worker,) in found}

    def n_unfinished(self) -> int:
        """Uploads that wait or are being scored."""
        return self._count(_UNFINISHED)

    def n_unclaimed(self) -> int:
        """Uploads that wait, or whose worker is gone."""
        return self._count(_UNCLAIMED)

    def n_in_the_way(self) -> int:
        """Anything that waits or is being scored, rows without a model among it."""
        return self._count(_BACKGROUND)

    def n_without_intervals(self) -> int:
        return self._count(_INTERVALS)

    def rows(self) -> list[Row]:
        found = self._patiently(_ROWS)
        return [Row(str(id_), key, *rest) for id_, key, *rest in found]

    def steps(self) -> dict[UUID, list[Step]]:
        """The events of each evaluation, in order."""
        steps: dict[UUID, list[Step]] = {}
        for evaluation, at, kind in self._patiently(_EVENTS):
            steps.setdefault(evaluation, []).append(Step(float(at), kind))
        return steps

    def values(self) -> dict[UUID, dict[str, float | None]]:
        """The values of the full slice of each evaluation, by metric."""
        values: dict[UUID, dict[str, float | None]] = {}
        for evaluation, metric, value in self._patiently(_VALUES):
            values.setdefault(evaluation, {})[metric] = value
        return values

    def _count(self, query: str) -> int:
        ((count,),) = self._patiently(query)
        return int(count)

    def _patiently(self, query: str) -> list[tuple[Any, ...]]:
        deadline = time.monotonic() + AWAY_FOR
        while True:
            try:
                return self._ask(query)
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def _ask(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self._url, connect_timeout=2, autocommit=True) as connection:
            return connection.execute(query).fetchall()


@dataclass(frozen=True, slots=True)
class Claims:
    """What became of claims.

    Attributes:
        n_interrupted: claims that ended neither in a score nor in a rejection.
        n_double: evaluations that ended more than once.
        slowest_claim: seconds from the moment a row could be claimed (it was queued, or lost its
            worker, or the last of our services returned) to its claim, at the most.
        longest_wait: the same without regard to services that were away.
    """

    n_interrupted: int
    n_double: int
    slowest_claim: float
    longest_wait: float


def claims_of(steps: Mapping[UUID, Sequence[Step]], returns: Sequence[float]) -> Claims:
    """Read the claims off the events.

    Args:
        returns: when services and workers returned, in order, on the same clock.
    """
    n_interrupted = n_double = 0
    slowest = longest = 0.0
    for events in steps.values():
        kinds = Counter(step.kind for step in events)
        n_ended = kinds["evaluation.scored"] + kinds["evaluation.rejected"]
        n_interrupted += kinds["evaluation.started"] - min(1, n_ended)
        n_double += n_ended + kinds["evaluation.failed"] > 1
        for before, step in pairwise(events):
            if step.kind != "evaluation.started":
                continue
            returned = max((at for at in returns if at <= step.at), default=0.0)
            slowest = max(slowest, step.at - max(before.at, returned))
            longest = max(longest, step.at - before.at)
    return Claims(n_interrupted, n_double, slowest, longest)
