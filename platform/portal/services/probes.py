"""Which services answer at this moment, asked all at once and for seconds only."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from django.db import Error, connection

from portal.exchange.queue import is_broker_up
from portal.exchange.storage import StoreError, StoreName, open_store

LONGEST_SECONDS = 3.0  # what takes longer to answer counts as away


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether each service that a web process needs answered."""

    database: bool
    broker: bool
    uploads: bool
    questions: bool


def reach() -> Reach:
    """Ask database, broker and stores; never raises for them."""
    return Reach(
        *_side_by_side(
            _is_database_up,
            is_broker_up,
            partial(_is_store_up, "uploads"),
            partial(_is_store_up, "questions"),
        )
    )


def does_database_answer() -> bool:
    """Whether it makes sense to ask it more."""
    [is_up] = _side_by_side(_is_database_up)
    return is_up


def _side_by_side(*looks: Callable[[], bool]) -> list[bool]:
    pool = ThreadPoolExecutor(len(looks), thread_name_prefix="probe")
    try:
        return [_said(answer) for answer in [pool.submit(look) for look in looks]]
    finally:
        # Whoever hangs is left behind and ends by its own timeout.
        pool.shutdown(wait=False)


def _is_database_up() -> bool:
    """Whether it answers over a new line: one that froze would hold an old one for ever."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    finally:
        connection.close()
    return True


def _is_store_up(name: StoreName) -> bool:
    try:
        return open_store(name).is_reachable()
    except StoreError:
        return False


def _said(answer: Future[bool]) -> bool:
    try:
        return answer.result(timeout=LONGEST_SECONDS)
    except TimeoutError:
        return False
