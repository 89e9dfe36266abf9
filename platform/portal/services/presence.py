"""Processes of the house say that they are there, and when they go."""

from __future__ import annotations

from collections.abc import Sequence

import evaluator
from portal.evaluations import presence


def announce_presence(*, name: str, queues: Sequence[str], n_slots: int) -> None:
    """Say that a process serves these queues; to be repeated every few seconds.

    Args:
        name: one for each process, such as `host:pid`.
        n_slots: rows that it works on at once; 0 for one that claims none.
    """
    presence.announce(name, queues=queues, n_slots=n_slots, evaluator_version=evaluator.__version__)


def withdraw_presence(*, name: str) -> None:
    """Say that a process is about to end: nobody counts on it from now on."""
    presence.withdraw(name)


def list_present() -> list[presence.Present]:
    """The processes that said so in the last 15 seconds, by name."""
    return presence.present()
