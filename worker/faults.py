"""What an exception at the rim of a task means for the row: whose fault it is."""

from __future__ import annotations

import logging

from portal.outages import outage_of
from portal.services import failures

logger = logging.getLogger(__name__)


def code_of_fault(what: str, error: Exception) -> str:
    """The code of a service that was away; else that of what nobody foresaw. Logs the fault.

    Args:
        what: was being done, for the log.
    """
    outage = outage_of(error)
    if outage is not None and outage.code in failures.FAILURES:
        logger.error("%s: %s: %s", what, outage.code, error)
        return outage.code
    logger.error("%s", what, exc_info=error)
    return failures.INTERNAL
