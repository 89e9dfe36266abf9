"""One supervisor per data folder, and where the running one is to be found.

The lock belongs to the process, so it ends with it, however it ends.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class AlreadyRunning(RuntimeError):
    """Another supervisor holds the folder; the message says where it is."""


class Claim:
    """The right to a data folder, for as long as the process lives."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def note_address(self, address: str) -> None:
        """Tell later comers where the site is."""
        self._file.write_text(json.dumps({"pid": os.getpid(), "address": address}) + "\n")


@contextmanager
def claimed(folder: Path) -> Iterator[Claim]:
    """Hold the folder while the block runs.

    Raises:
        AlreadyRunning: somebody else holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "supervisor.lock"
    with file.open("a+") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(_sentence(file)) from None
        handle.truncate(0)
        try:
            yield Claim(file)
        finally:
            handle.truncate(0)


def _sentence(file: Path) -> str:
    try:
        note = json.loads(file.read_text())
    except ValueError:
        return f"Plumbline is already starting with the data in {file.parent}."
    return (
        f"Plumbline is already running at {note['address']} (process {note['pid']}), "
        f"with the data in {file.parent}. Stop it with Ctrl-C there, or: kill {note['pid']}"
    )
