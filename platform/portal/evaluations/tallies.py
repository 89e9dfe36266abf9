"""What was ever counted, read off the event log: it only grows, and so do these numbers.

All of the log is added up once per process, what is new since then at each reading:
whoever reads, and whenever, finds the same totals.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db import connection

from portal.evaluations import events

# Upper ends, in seconds; what took longer is in the last bucket, which has none.
BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)

COUNTED = (
    events.SUBMISSION_ACCEPTED,
    events.EVALUATION_QUEUED,
    events.EVALUATION_STARTED,
    events.EVALUATION_SCORED,
    events.EVALUATION_REJECTED,
    events.EVALUATION_FAILED,
    events.EVALUATION_WITHDRAWN,
)
SETTLED_SECONDS = 120  # no transaction lasts so long: older entries are complete
STRIDE = 200_000  # entries that one statement adds up

_SETTLED = """
SELECT id FROM evaluations_event
WHERE at < clock_timestamp() - %s * interval '1 second' ORDER BY id DESC LIMIT 1
"""
# Bounds from above, so that a time that equals one falls below it.
_ADD_UP = """
SELECT kind,
    coalesce(data->>'before', ''),
    coalesce(data->>'code', ''),
    coalesce(data->>'queue', ''),
    coalesce(data->>'source', ''),
    %(n)s - width_bucket(
        -coalesce((data->>'took')::float, (data->>'waited')::float), %(falling)s::float[]
    ),
    count(*),
    coalesce(sum((data->>'took')::float), sum((data->>'waited')::float), 0),
    coalesce(sum((data->>'file_bytes')::bigint), 0)
FROM evaluations_event
WHERE id > %(after)s AND id <= %(last)s AND kind = ANY(%(kinds)s)
GROUP BY 1, 2, 3, 4, 5, 6
"""
_LAST = 2**62


class Kind(NamedTuple):
    """What entries that are counted together have in common.

    Attributes:
        before: the state that was left, or empty.
        bucket: number of the upper end in BUCKETS, len(BUCKETS) beyond the last; None
            where nothing was measured.
    """

    kind: str
    before: str
    code: str
    queue: str
    source: str
    bucket: int | None


@dataclass(slots=True)
class Tally:
    """How many there were, the seconds that they took or waited, and the bytes they brought."""

    n: int = 0
    seconds: float = 0.0
    n_bytes: int = 0

    def add(self, n: int, seconds: float, n_bytes: int) -> None:
        self.n += n
        self.seconds += seconds
        self.n_bytes += n_bytes


Tallies = dict[Kind, Tally]


@dataclass(slots=True)
class Tallier:
    """Keeps what is settled, so that each reading adds up the last minutes only."""

    _settled: Tallies = field(default_factory=lambda: defaultdict(Tally))
    _last: int = 0  # the last entry that is settled
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self) -> Mapping[Kind, Tally]:
        """All that the log holds at this moment."""
        with self._lock:
            self._settle()
            totals: Tallies = defaultdict(Tally)
            for kind, tally in self._settled.items():
                totals[kind].add(tally.n, tally.seconds, tally.n_bytes)
            _add_up(totals, self._last, _LAST)
            return totals

    def _settle(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_SETTLED, [SETTLED_SECONDS])
            row = cursor.fetchone()
        newest = row[0] if row else 0
        if newest < self._last:  # another log, as from a backup, stands in place of the old
            self._settled, self._last = defaultdict(Tally), 0
        while self._last < newest:
            until = min(newest, self._last + STRIDE)
            added: Tallies = defaultdict(Tally)
            _add_up(added, self._last, until)
            for kind, tally in added.items():
                self._settled[kind].add(tally.n, tally.seconds, tally.n_bytes)
            self._last = until


def _add_up(tallies: Tallies, after: int, last: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            _ADD_UP,
            {
                "n": len(BUCKETS),
                "falling": [-bound for bound in reversed(BUCKETS)],
                "after": after,
                "last": last,
                "kinds": list(COUNTED),
            },
        )
        for *kind, n, seconds, n_bytes in cursor.fetchall():
            tallies[Kind(*kind)].add(n, seconds, int(n_bytes))
