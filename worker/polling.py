"""Workers also look at the table themselves: a mute broker delays work and stops nothing."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from itertools import count

from django.db import close_old_connections

from portal import services
from portal.exchange import jobs
from worker import boards, scoring
from worker.presence import process_name

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 2.0
OVERDUE_SECONDS = 2.0  # a bell that was heard takes milliseconds
SECOND_OVERDUE_SECONDS = 10.0  # intervals and boards may wait a little longer
BOARDS_EVERY = 5  # turns, where scoring leaves no idle moment

SECONDARY = jobs.QUEUE_OF[jobs.INTERVALS]


class Poller:
    """A thread of the worker's main process that takes what no bell announced."""

    def __init__(self, queues: Sequence[str]) -> None:
        self._queues = tuple(queues)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="poller", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def _run(self) -> None:
        is_busy = False
        for turn in count():
            if self._stop.wait(0 if is_busy else PAUSE_SECONDS):
                return
            try:
                is_busy = look(self._queues)
                if SECONDARY in self._queues and (not is_busy or turn % BOARDS_EVERY == 0):
                    look_at_boards(turn)
            except Exception:
                # The rim of this thread: whatever it was, the next look may succeed.
                logger.exception("the look at the table failed")
                is_busy = False
            close_old_connections()


def look(queues: Sequence[str] = jobs.QUEUES) -> bool:
    """Take one thing of these queues that waits unheard; False if there is none."""
    brief = services.begin_scoring(
        worker=f"{process_name()}/poll", overdue_seconds=OVERDUE_SECONDS, queues=queues
    )
    if brief is not None:
        scoring.score_claimed(brief)
        return True
    if SECONDARY not in queues:
        return False
    for evaluation_id in services.unheard_intervals(overdue_seconds=SECOND_OVERDUE_SECONDS)[:1]:
        return boards.complete_intervals(evaluation_id)
    return False


def look_at_boards(turn: int) -> bool:
    """Where no letter arrives, take one stale board a step further; False if there is none.

    A stale board is no row that could be overdue: while letters are fetched, they are enough.

    Args:
        turn: boards take turns, so that one that cannot be built holds up no other.
    """
    if services.letters_lying(queues=[SECONDARY]) == 0:
        return False
    stale = services.stale_boards()
    if not stale:
        return False
    boards.rebuild_board(*stale[turn % len(stale)])
    return True
