"""Keeps a claim alive while the scoring goes on, from a thread of its own."""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Callable
from types import TracebackType

from django.conf import settings
from django.db import Error, connection

logger = logging.getLogger(__name__)

BEATS_PER_LEASE = 4


class Heartbeat:
    """Extends the lease four times per lease, until the block ends or the claim is lost."""

    def __init__(self, what: str, extend: Callable[[], bool]) -> None:
        """Nothing happens before the block begins.

        Args:
            what: is claimed, for the log.
            extend: keeps the claim for another lease; False if it is lost.
        """
        self._what = what
        self._extend = extend
        self._stop = threading.Event()
        self._is_lost = threading.Event()
        context = contextvars.copy_context()  # so that its lines carry the ids of the claim
        self._thread = threading.Thread(
            target=context.run, args=(self._beat,), name="heartbeat", daemon=True
        )

    @property
    def is_ours(self) -> bool:
        """False as soon as the database said that somebody else has the row."""
        return not self._is_lost.is_set()

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        try:
            while not self._stop.wait(settings.LEASE_SECONDS / BEATS_PER_LEASE):
                self._beat_once()
                if not self.is_ours:
                    return
        finally:
            connection.close()

    def _beat_once(self) -> None:
        try:
            is_kept = self._extend()
        except Error as error:
            # The lease may outlast the fault; if not, the next beat learns that it is gone.
            logger.warning("%s: no heartbeat: %s", self._what, error)
            connection.close()
            return
        if not is_kept:
            logger.warning("%s lost its claim", self._what)
            self._is_lost.set()
