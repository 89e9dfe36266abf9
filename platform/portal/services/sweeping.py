"""Nothing waits unheard: the sweeper rings again, and ends what cannot be finished."""

from __future__ import annotations

from itertools import islice
from uuid import UUID

import evaluator
from portal.evaluations import intervals, transitions
from portal.exchange import jobs
from portal.exchange.queue import is_broker_up, n_waiting_letters, post
from portal.services.boards import stale_boards
from portal.services.values import Swept

OVERDUE_SECONDS = 2.0  # a bell takes milliseconds; what waits longer was not heard
MAX_BELLS = 8  # letters in a queue at once; more would only be in the way


def sweep() -> Swept:
    """One round: end what three workers or tries could not finish, ring for the rest."""
    n_failed = transitions.fail_abandoned()
    n_given_up = intervals.give_up()
    waiting = transitions.claimable(
        evaluator_version=evaluator.__version__, overdue_seconds=OVERDUE_SECONDS
    )
    n_bells = _ring(jobs.SCORE, waiting)
    n_bells += _ring(jobs.INTERVALS, intervals.wanted(overdue_seconds=OVERDUE_SECONDS))
    return Swept(n_failed=n_failed, n_given_up=n_given_up, n_bells=n_bells)


def ring_for_boards() -> int:
    """Ring for every board that lags behind the database; returns how many bells."""
    lying = n_waiting_letters(jobs.QUEUE_OF[jobs.REBUILD])
    if lying is None or lying >= MAX_BELLS:
        return 0
    stale = islice(stale_boards(), MAX_BELLS - lying)
    return sum(post(jobs.REBUILD, version_id, track) for version_id, track in stale)


def unheard_boards() -> list[tuple[UUID, str]]:
    """Stale boards that no bell can announce, as (version id, track); none while the broker is up.

    A stale board is no row that could be overdue: while letters arrive, they are enough.
    """
    return [] if is_broker_up() else stale_boards()


def _ring(letter: str, waiting: list[UUID]) -> int:
    """Ring for the oldest, as far as the queue holds fewer letters than MAX_BELLS."""
    if not waiting:
        return 0
    lying = n_waiting_letters(jobs.QUEUE_OF[letter])
    if lying is None:
        return 0
    return sum(
        post(letter, evaluation_id) for evaluation_id in waiting[: max(0, MAX_BELLS - lying)]
    )
