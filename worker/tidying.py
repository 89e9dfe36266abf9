"""Uploads that no submission names are swept once an hour, in a thread beside the bells."""

from __future__ import annotations

import logging
import threading

from django.db import Error, close_old_connections

from portal import services
from portal.exchange.storage import StoreError

logger = logging.getLogger(__name__)

FIRST_SECONDS = 5.0  # after the start
EVERY_SECONDS = 3600.0
RETRY_SECONDS = 60.0  # where the database or the store was away


def start_tidying(stop: threading.Event) -> threading.Thread:
    """A thread that sweeps the uploads until `stop`; it holds up no end of the process."""
    thread = threading.Thread(target=_tidy, args=(stop,), name="tidying", daemon=True)
    thread.start()
    return thread


def _tidy(stop: threading.Event) -> None:
    pause = FIRST_SECONDS
    while not stop.wait(pause):
        close_old_connections()
        pause = EVERY_SECONDS if tidy_once() else RETRY_SECONDS
        close_old_connections()


def tidy_once() -> bool:
    """Whether one round came to its end; what was away is waited for."""
    try:
        swept = services.sweep_uploads()
    except (Error, StoreError) as error:
        logger.warning("uploads were not swept: %s", error)
        return False
    except Exception:
        # The rim of this thread: whatever it was, the next round may succeed.
        logger.exception("uploads were not swept")
        return False
    if swept.n_spared:
        logger.error(
            "%d old files in the store of uploads are named by no submission, hardly any by one: "
            "is this the right database? None was deleted",
            swept.n_spared,
        )
    if swept.n_ended or swept.n_deleted:
        logger.info("swept uploads: %s", swept)
    return True
