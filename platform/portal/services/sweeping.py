"""Nothing waits unheard: the sweeper rings again, and ends what cannot be finished."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from uuid import UUID

import evaluator
from portal.evaluations import intervals, transitions
from portal.exchange import jobs
from portal.exchange.queue import n_waiting_letters, post
from portal.services.boards import stale_boards
from portal.services.likeness import unheard_comparisons
from portal.services.values import Swept

OVERDUE_SECONDS = 2.0  # a bell takes milliseconds; what waits longer was not heard
COMPARED_WITHIN_SECONDS = 10.0  # nobody waits for it
MAX_BELLS = 8  # letters in a queue at once; more would only be in the way


def sweep() -> Swept:
    """One round: end what three workers or tries could not finish, ring for the rest."""
    n_failed = transitions.fail_abandoned()
    n_given_up = intervals.give_up()
    waiting = transitions.claimable(
        evaluator_version=evaluator.__version__, overdue_seconds=OVERDUE_SECONDS
    )
    n_bells = sum(_ring(jobs.SCORE, queue, ids) for queue, ids in waiting.items())
    wanted = intervals.wanted(overdue_seconds=OVERDUE_SECONDS)
    n_bells += _ring(jobs.INTERVALS, jobs.QUEUE_OF[jobs.INTERVALS], wanted)
    return Swept(n_failed=n_failed, n_given_up=n_given_up, n_bells=n_bells)


def ring_for_boards() -> int:
    """Ring for every board that lags behind the database; returns how many bells."""
    lying = n_waiting_letters(jobs.QUEUE_OF[jobs.REBUILD])
    if lying is None or lying >= MAX_BELLS:
        return 0
    stale = islice(stale_boards(), MAX_BELLS - lying)
    return sum(post(jobs.REBUILD, version_id, track) for version_id, track in stale)


def ring_for_comparisons() -> int:
    """Ring for scored uploads whose answers nobody has compared yet; returns how many bells."""
    waiting = unheard_comparisons(overdue_seconds=COMPARED_WITHIN_SECONDS)
    return _ring(jobs.COMPARE, jobs.QUEUE_OF[jobs.COMPARE], waiting)


def letters_lying(*, queues: Sequence[str]) -> int | None:
    """Letters that wait in these queues together; None if the broker does not answer."""
    lying = 0
    for queue in queues:
        letters = n_waiting_letters(queue)
        if letters is None:
            return None
        lying += letters
    return lying


def _ring(letter: str, queue: str, waiting: list[UUID]) -> int:
    """Ring for the oldest, as far as the queue holds fewer letters than MAX_BELLS."""
    if not waiting:
        return 0
    lying = n_waiting_letters(queue)
    if lying is None:
        return 0
    chosen = waiting[: max(0, MAX_BELLS - lying)]
    return sum(post(letter, evaluation_id, queue=queue) for evaluation_id in chosen)
