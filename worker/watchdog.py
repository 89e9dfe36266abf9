"""Is this worker alive, and does it hear? A mute one ends itself and is started anew.

After a broker's restart a Celery consumer may stay connected and fetch nothing more. The rows
are still taken, by the poller, but one at a time: letters that lie while nothing was
fetched for a while, with hands free, are the sign.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Sequence

from celery.worker import state
from django.conf import settings

from portal import services
from worker import presence
from worker.pulse import Pulse

logger = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
MUTE_SECONDS = 10.0  # letters lie, hands are free, and nothing was fetched for so long
LAST_WORDS_SECONDS = 3.0  # a mute worker that does not end when asked to is ended


class Watchdog:
    """A thread of the worker's main process: says that it lives, and ends it when it is mute."""

    def __init__(self, queues: Sequence[str], n_slots: int) -> None:
        self._queues = tuple(queues)
        self._n_slots = n_slots
        self._n_fetched = 0
        self._n_fetched_before = 0
        self._silent_since: float | None = None
        self._is_stopped = False
        self._pulse = Pulse()
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """The worker ends in good order: no longer mute, and no longer there."""
        self._is_stopped = True

    def heard(self) -> None:
        """A letter was fetched."""
        self._n_fetched += 1

    def _run(self) -> None:
        while True:
            self._pulse.beat()
            if self._is_stopped:
                presence.withdraw()
            else:
                presence.announce(self._queues, self._n_slots)
                if self._is_mute():
                    _end()
            self._pulse.rest(LOOK_SECONDS)

    def _is_mute(self) -> bool:
        """Whether letters lay at every look since MUTE_SECONDS and none was fetched between."""
        is_silent = self._n_fetched == self._n_fetched_before
        self._n_fetched_before = self._n_fetched
        is_idle = n_in_hand() < self._n_slots
        if not (is_silent and is_idle and services.letters_lying(queues=self._queues)):
            self._silent_since = None
            return False
        self._silent_since = self._silent_since or time.monotonic()
        return time.monotonic() - self._silent_since >= MUTE_SECONDS


def n_in_hand() -> int:
    """Letters in hand, but for those whose process died under them without a word."""
    oldest = time.time() - settings.SCORING_WALL_SECONDS - 60
    started = [request.time_start for request in list(state.reserved_requests)]
    return sum(1 for at in started if at is None or at > oldest)


def _end() -> None:
    logger.critical(
        "letters lie and none was fetched for %.0f s: this worker is mute and ends", MUTE_SECONDS
    )
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(LAST_WORDS_SECONDS)
    os._exit(os.EX_TEMPFAIL)
