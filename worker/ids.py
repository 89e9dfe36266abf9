"""What a letter carries: an id, or nothing that anybody can use."""

from __future__ import annotations

import logging
from uuid import UUID

logger = logging.getLogger(__name__)


def id_in(text: str) -> UUID | None:
    """The id in a letter; a letter that carries none is laid aside."""
    try:
        return UUID(text)
    except ValueError:
        logger.warning("a letter names no row: %.40r", text)
        return None
