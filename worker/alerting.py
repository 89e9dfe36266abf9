"""Alerts leave from a thread of their own: a mail server that hangs holds up no sweep."""

from __future__ import annotations

import logging
import threading

from django.db import close_old_connections

from portal import services

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 2.0
LONGEST_PAUSE_SECONDS = 600.0  # between tries while mail does not leave


class Alerter:
    """A thread of housekeeping that sends word of what happened, as long as the process lives."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="alerter", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def _run(self) -> None:
        pause = PAUSE_SECONDS
        while not self._stop.wait(pause):
            pause = PAUSE_SECONDS if alert_once() else min(2 * pause, LONGEST_PAUSE_SECONDS)


def alert_once() -> bool:
    """Send what is due; False if it could not be sent."""
    close_old_connections()
    try:
        n_sent = services.mail_alerts()
    except Exception as error:  # noqa: BLE001  # the rim: database and mail server may come back
        logger.error("alerts were not sent: %s: %s", type(error).__name__, error)
        return False
    if n_sent:
        logger.info("alerts: %d messages sent", n_sent)
    return True
