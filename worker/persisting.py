"""What was worked out is recorded, even if the database restarts at that moment."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)

# A database that restarts is back within seconds. What was worked out may be recorded later
# still, as long as nobody else has taken the row.
PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0)


def persist(record: Callable[[], bool]) -> bool:
    """Record, again and again while the database is away; the fence makes repeats harmless.

    Raises:
        OperationalError, InterfaceError: it stayed away.
    """
    for pause in PAUSES:
        try:
            return record()
        except (OperationalError, InterfaceError) as error:
            logger.warning("the database is away, trying again in %.1f s: %s", pause, error)
            connection.close()
            time.sleep(pause)
    return record()
