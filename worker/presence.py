"""This process, by name, says that it is there; a database that is away is told later."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Sequence

from django.db import Error, close_old_connections

from portal import services

logger = logging.getLogger(__name__)


def process_name() -> str:
    """Who acts, for rows and log."""
    return f"{socket.gethostname()}:{os.getpid()}"


def announce(queues: Sequence[str], n_slots: int) -> None:
    """Note that this process serves these queues, so many rows at once; 0 claims none."""
    close_old_connections()
    try:
        services.announce_presence(name=process_name(), queues=queues, n_slots=n_slots)
    except Error as error:
        logger.warning("the presence of this process was not noted: %s", error)


def withdraw() -> None:
    """Note that it is about to go."""
    close_old_connections()
    try:
        services.withdraw_presence(name=process_name())
    except Error as error:
        logger.warning("the end of this process was not noted: %s", error)
