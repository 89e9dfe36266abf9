"""The line between a worker and its supervisor: a beat every few seconds, and a loss is noticed.

Knows neither Django nor Celery: the supervisor stays light.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import time

logger = logging.getLogger(__name__)

VARIABLE = "PLUMBLINE_PULSE"  # names the descriptor that the worker writes to


class Pulse:
    """The worker's end; where it was started without a supervisor, nothing is said."""

    def __init__(self) -> None:
        self._line = int(os.environ.get(VARIABLE, "-1"))

    def beat(self) -> None:
        """Say that we live."""
        if self._line >= 0:
            try:
                os.write(self._line, b".")
            except BrokenPipeError:
                _end_with_supervisor()

    def rest(self, seconds: float) -> None:
        """Wait, unless the supervisor goes meanwhile: then everything of this worker ends."""
        if self._line < 0:
            time.sleep(seconds)
            return
        line = select.poll()
        line.register(self._line, 0)  # only errors: the other end was closed
        if line.poll(seconds * 1000):
            _end_with_supervisor()


def _end_with_supervisor() -> None:
    logger.critical("the supervisor is gone, and this worker with it")
    os.killpg(0, signal.SIGKILL)
