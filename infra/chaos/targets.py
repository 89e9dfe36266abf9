"""What is killed, and how it comes back: services by our hand, workers by their supervisor's."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Protocol

from infra import processes
from infra.broker import EmbeddedBroker
from infra.chaos.ledger import Ledger
from infra.object_store import EmbeddedObjectStore
from infra.postgres import EmbeddedPostgres
from infra.processes import Child, StartFailed

BUSY_WITHIN = 3.0  # seconds to wait for a worker that is in mid-score
BACK_WITHIN = 60.0


class Target(Protocol):
    """One kind of thing that dies."""

    name: str

    def strike(self) -> None:
        """kill -9."""

    def mend(self) -> None:
        """Back again, at the latest when this returns."""


class Service:
    """A server of ours: its whole process group dies, and it is started again on its folder."""

    def __init__(
        self, name: str, server: EmbeddedBroker | EmbeddedPostgres | EmbeddedObjectStore
    ) -> None:
        self.name = name
        self._server = server

    def strike(self) -> None:
        child = self._server.child
        if child is not None:
            child.kill()

    def mend(self) -> None:
        deadline = time.monotonic() + BACK_WITHIN
        while True:
            try:
                self._server.start()
                return
            except StartFailed:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)


class Postmaster(Service):
    """PostgreSQL, of which at times only the first process dies, before all its children."""

    def __init__(self, server: EmbeddedPostgres, chance: Random) -> None:
        super().__init__("postgres", server)
        self._chance = chance

    def strike(self) -> None:
        child = self._server.child
        if child is not None and self._chance.random() < 0.5:
            child.process.kill()
            child.process.wait()
        else:
            super().strike()


class _OfWorkers:
    """A process of the workers, if possible one that is in mid-score."""

    name = ""

    def __init__(self, supervisors: Sequence[Child], ledger: Ledger, chance: Random) -> None:
        self._supervisors = supervisors
        self._ledger = ledger
        self._chance = chance

    def strike(self) -> None:
        pid = _soon(lambda: self._one_of(self._busy())) or self._one_of(self._idle())
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def mend(self) -> None:
        """Their parents do; this waits until all workers are there."""
        processes.poll(
            lambda: len(_mains(self._supervisors)) == len(self._supervisors), within=BACK_WITHIN
        )

    def _busy(self) -> Collection[int]:
        raise NotImplementedError

    def _idle(self) -> Collection[int]:
        raise NotImplementedError

    def _one_of(self, pids: Collection[int]) -> int | None:
        return self._chance.choice(sorted(pids)) if pids else None


class WorkerParent(_OfWorkers):
    """The main process of a Celery worker."""

    name = "worker_parent"

    def _busy(self) -> Collection[int]:
        claimants = self._ledger.claimants()
        return [pid for pid in self._idle() if claimants & {pid, *_children(pid)}]

    def _idle(self) -> Collection[int]:
        return _mains(self._supervisors)


class WorkerChild(_OfWorkers):
    """A process of a worker's pool."""

    name = "worker_child"

    def _busy(self) -> Collection[int]:
        return [pid for pid in self._ledger.claimants() if _command(pid)]

    def _idle(self) -> Collection[int]:
        return [child for main in _mains(self._supervisors) for child in _children(main)]


def _mains(supervisors: Sequence[Child]) -> list[int]:
    """The main processes of the workers that are there at this moment."""
    return [
        pid
        for supervisor in supervisors
        for pid in _children(supervisor.process.pid)
        if "celery" in _command(pid)
    ]


def _soon(look: Callable[[], int | None]) -> int | None:
    deadline = time.monotonic() + BUSY_WITHIN
    while time.monotonic() < deadline:
        if (pid := look()) is not None:
            return pid
        time.sleep(0.01)
    return None


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def _command(pid: int) -> str:
    """Empty for a process that is gone or only waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
