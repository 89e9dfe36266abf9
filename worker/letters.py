"""Letters as Celery's worker holds them: one that cannot be acknowledged is a lost connection.

Celery logs such a failure and goes on with the letter in its list of those delivered,
which counts against the prefetch limit for ever: the worker asks for no other. See
docs/decisions/0018-mute-workers.md.
"""

from __future__ import annotations

import logging

from celery.worker.request import Request
from kombu.asynchronous import get_event_loop

logger = logging.getLogger(__name__)


class Letter(Request):
    """A request that has the worker connect anew where it cannot be acknowledged."""

    def acknowledge(self) -> None:
        """Tell the broker that the letter has arrived."""
        if self.acknowledged:
            return
        self.acknowledged = True
        try:
            self._on_ack(logger, ())  # type: ignore[attr-defined]  # swallowing no errors
        except self._connection_errors as error:  # type: ignore[attr-defined]
            loop = get_event_loop()
            if loop is not None:
                # Not from here: callbacks of the pool may not raise.
                loop.call_soon(_lose_connection, error)


def _lose_connection(error: Exception) -> None:
    raise error
