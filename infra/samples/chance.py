"""Chance that depends on a name alone, so that samples are equal on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from statistics import NormalDist
from typing import TypeVar

T = TypeVar("T")

_NORMAL = NormalDist()


def unit(*key: object) -> float:
    """A number in (0, 1), evenly spread over keys."""
    digest = hashlib.sha256("\x1f".join(map(str, key)).encode()).digest()
    return (int.from_bytes(digest[:6], "big") + 0.5) / 2**48


def normal(*key: object) -> float:
    """A standard normal number."""
    return _NORMAL.inv_cdf(unit(*key))


def shuffled(items: Sequence[T], *key: object) -> list[T]:
    """The items in an order that their text and the key decide."""
    return sorted(items, key=lambda item: unit(*key, item))
