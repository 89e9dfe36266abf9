"""Who used the processors meanwhile: seconds of process trees, read from /proc (Linux)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PARTS = ("user", "nice", "system")  # of /proc/stat; what follows is not work of processes


def seconds_by_name(roots: Mapping[str, int]) -> dict[str, float]:
    """Processor seconds so far of each process and all that descended from it.

    Args:
        roots: process id by name. Children that ended are in the sums of their parents.
    """
    stats = dict(_stats())
    sums = {}
    for name, root in roots.items():
        tree = {root}
        while more := {pid for pid, (parent, _) in stats.items() if parent in tree} - tree:
            tree |= more
        sums[name] = sum(stats[pid][1] for pid in tree if pid in stats) / TICKS
    return sums


def seconds_of_machine() -> float:
    """Processor seconds that all processes of the machine used so far."""
    numbers = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    return sum(map(int, numbers[: len(PARTS)])) / TICKS


def _stats() -> list[tuple[int, tuple[int, int]]]:
    """(process, (its parent, ticks of it and of its children that ended))."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            words = file.read_text().rpartition(")")[2].split()
            found.append((int(file.parent.name), (int(words[1]), sum(map(int, words[11:15])))))
    return found
