"""How many files a team may submit: counted in its rows, by the database's clock.

What counts against a version is what took or may take a score: waiting, running or scored.
Rejected files, faults of ours and what was withdrawn before its score are free. Whoever
adds a row holds the lock of its team, so the counts are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from django.conf import settings
from django.db import connection

from portal.accounts.models import Team, User
from portal.accounts.teams import first_team
from portal.benchmarks.models import BenchmarkVersion
from portal.errors import QuotaSpent
from portal.submissions import policy

RETRY_WAITING = 10  # seconds; a file is scored in about one

# One row per submission of the team, since one may have been scored twice.
_COUNTS = """
WITH clock AS (
    SELECT statement_timestamp() AS now, date_trunc('day', statement_timestamp(), 'UTC') AS today
), sent AS (
    SELECT submission.created_at >= clock.today AS is_of_today,
           track.version_id = %(version)s AS is_here,
           bool_or(evaluation.status = 'SCORED') AS is_scored,
           bool_or(evaluation.status IN ('QUEUED', 'RUNNING')) AS is_unfinished,
           bool_or(evaluation.status IN ('REJECTED', 'WITHDRAWN')) AS is_spoilt
    FROM clock, submissions_submission AS submission
    JOIN benchmarks_track AS track ON track.id = submission.track_id
    JOIN evaluations_evaluation AS evaluation
      ON evaluation.submission_id = submission.id AND evaluation.version_id = track.version_id
    WHERE submission.team_id = %(team)s
    GROUP BY submission.id, track.id, clock.today
)
SELECT clock.today + interval '24 hours',
       extract(epoch FROM clock.today + interval '24 hours' - clock.now)::float,
       count(*) FILTER (WHERE is_here AND is_of_today AND (is_scored OR is_unfinished)),
       count(*) FILTER (WHERE is_here AND (is_scored OR is_unfinished)),
       count(*) FILTER (WHERE is_unfinished AND NOT is_scored),
       count(*) FILTER (WHERE is_of_today AND is_spoilt AND NOT (is_scored OR is_unfinished))
FROM clock LEFT JOIN sent ON true
GROUP BY clock.today, clock.now
"""


class QuotaDocument(TypedDict):
    """What a team may still submit to a version; None where there is no limit.

    `next_at` is when the day's count begins anew, at midnight UTC of the database's clock.
    """

    benchmark: str
    version: str
    per_day: int | None
    left_today: int | None
    in_all: int | None
    left_in_all: int | None
    next_at: datetime


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit, or none at 0, and what of it is used."""

    most: int
    n_used: int

    @property
    def left(self) -> int | None:
        return max(0, self.most - self.n_used) if self.most else None

    @property
    def is_spent(self) -> bool:
        return self.left == 0


@dataclass(frozen=True, slots=True)
class Quota:
    """The limits of a team at one moment.

    Attributes:
        today: submissions of this UTC day that count, to the version.
        in_all: submissions that count, to the version.
        waiting: submissions to whichever version that are not finished.
        invalid: files of this UTC day, to whichever version, that came to nothing.
        next_at: the end of this UTC day, `next_seconds` from now.
    """

    today: Limit
    in_all: Limit
    waiting: Limit
    invalid: Limit
    next_at: datetime
    next_seconds: float


def quota_of(team: Team | None, version: BenchmarkVersion) -> Quota:
    """The limits of a team on a version; those of nobody where there is no team yet."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, {"team": team.pk if team else None, "version": version.pk})
        row = cursor.fetchone()
    assert row is not None  # the clock always gives one
    next_at, next_seconds, n_today, n_in_all, n_waiting, n_invalid = row
    per_day = settings.QUOTA_PER_DAY if version.per_day is None else version.per_day
    in_all = settings.QUOTA_IN_ALL if version.in_all is None else version.in_all
    return Quota(
        today=Limit(per_day, n_today),
        in_all=Limit(in_all, n_in_all),
        waiting=Limit(settings.QUOTA_WAITING, n_waiting),
        invalid=Limit(settings.QUOTA_INVALID_PER_DAY, n_invalid),
        next_at=next_at,
        next_seconds=next_seconds,
    )


def is_spent(team: Team, version: BenchmarkVersion) -> bool:
    """Whether one more would be refused at this moment."""
    quota = quota_of(team, version)
    return any(
        limit.is_spent for limit in (quota.today, quota.in_all, quota.waiting, quota.invalid)
    )


def refuse_if_spent(team: Team, version: BenchmarkVersion) -> None:
    """Nothing, if the team may submit one more; final while its row is locked.

    Raises:
        QuotaSpent: says which limit, and when the next file is taken.
    """
    quota = quota_of(team, version)
    tomorrow = f"the next is taken from {quota.next_at:%Y-%m-%d %H:%M:%S} UTC"
    if quota.in_all.is_spent:
        raise QuotaSpent(
            f"Your team has had its {quota.in_all.most:,} submissions to {version.address}; "
            "this version takes no more from it."
        )
    if quota.today.is_spent:
        raise QuotaSpent(
            f"Your team has had its {quota.today.most:,} submissions of today to "
            f"{version.address}; {tomorrow}.",
            retry_after=math.ceil(quota.next_seconds),
        )
    if quota.invalid.is_spent:
        raise QuotaSpent(
            f"{quota.invalid.most:,} files of your team came to nothing today, rejected or "
            f"withdrawn; {tomorrow}. `plumbline validate` checks a file without sending it.",
            retry_after=math.ceil(quota.next_seconds),
        )
    if quota.waiting.is_spent:
        raise QuotaSpent(
            f"{quota.waiting.most:,} files of your team wait to be scored, as many as may at "
            "once; the next is taken when one of them is done.",
            retry_after=RETRY_WAITING,
        )


def my_quota(*, user: User, benchmark: str) -> QuotaDocument:
    """What the user's team may still submit.

    Args:
        benchmark: `name` for the promoted version, or `name@version`.

    Raises:
        BenchmarkNotFound: no such version, or not public.
    """
    version = policy.find_version(benchmark)
    quota = quota_of(first_team(user), version)
    return {
        "benchmark": version.benchmark.name,
        "version": version.version,
        "per_day": quota.today.most or None,
        "left_today": quota.today.left,
        "in_all": quota.in_all.most or None,
        "left_in_all": quota.in_all.left,
        "next_at": quota.next_at,
    }
