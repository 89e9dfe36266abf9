"""Workers also look at the table themselves: a mute broker delays work and stops nothing."""

from __future__ import annotations

import logging
import threading
from itertools import count
from typing import Any

from celery import Celery
from celery.signals import celeryd_after_setup, worker_shutting_down
from django.db import close_old_connections

from portal import services
from worker import boards, scoring

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 2.0
OVERDUE_SECONDS = 2.0  # a bell that was heard takes milliseconds
SECOND_OVERDUE_SECONDS = 10.0  # intervals and boards may wait a little longer


class Poller:
    """A thread of the worker's main process that takes what no bell announced."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="poller", daemon=True)

    def start(self, **signal: Any) -> None:  # Any: what Celery sends along
        self._thread.start()

    def stop(self, **signal: Any) -> None:
        self._stop.set()

    def _run(self) -> None:
        for turn in count():
            if self._stop.wait(PAUSE_SECONDS):
                return
            try:
                while not self._stop.is_set() and look():
                    pass
                # Once a round: a board that waits for more would keep the loop above busy.
                look_at_boards(turn)
            except Exception:
                # The rim of this thread: whatever it was, the next look may succeed.
                logger.exception("the look at the table failed")
            close_old_connections()


def look() -> bool:
    """Take one thing that waits unheard; False if there is none."""
    brief = services.begin_scoring(
        worker=f"{scoring.worker_name()}/poll", overdue_seconds=OVERDUE_SECONDS
    )
    if brief is not None:
        scoring.score_claimed(brief)
        return True
    for evaluation_id in services.unheard_intervals(overdue_seconds=SECOND_OVERDUE_SECONDS)[:1]:
        boards.intervals(str(evaluation_id))
        return True
    return False


def look_at_boards(turn: int) -> bool:
    """While no bell can ring, take one stale board a step further; False if there is none.

    Args:
        turn: boards take turns, so that one that cannot be built holds up no other.
    """
    stale = services.unheard_boards()
    if not stale:
        return False
    boards.rebuild_board(*stale[turn % len(stale)])
    return True


def start_with(app: Celery) -> None:
    """Let a poller live as long as the worker."""
    poller = Poller()
    # Celery keeps weak references to receivers: the application holds this one.
    app.poller = poller  # type: ignore[attr-defined]  # a place of our own on it
    # Not `worker_ready`: that waits for the broker, which may be what is away.
    celeryd_after_setup.connect(poller.start, weak=False)
    worker_shutting_down.connect(poller.stop, weak=False)
