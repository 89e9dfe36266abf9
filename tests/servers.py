"""The services that tests start for themselves: those of `infra`, in temporary folders."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from infra.broker import EmbeddedBroker
from infra.object_store import EmbeddedObjectStore
from infra.postgres import EmbeddedPostgres
from infra.processes import Child


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL of our own, not durable, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="plumbline-pg-"))
    server = EmbeddedPostgres(folder, log=folder / "postgres.log", is_durable=False)
    try:
        server.start()
        yield server.url
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


class Broker:
    """A Redis-compatible server on a unix socket, which tests may stop and start again."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="plumbline-broker-"))
        self._server = EmbeddedBroker(self._folder, log=self._folder / "broker.log")
        self.url = self._server.url

    def start(self) -> None:
        self._server.start()

    def kill(self) -> None:
        """Gone without a word, and without persistence: every letter is lost."""
        self._server.stop(within=0)

    def paused(self) -> AbstractContextManager[None]:
        """Stopped, as by a machine that hangs: it takes lines and says nothing."""
        return paused(self._server.child)

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def s3_server() -> Iterator[EmbeddedObjectStore]:
    """An S3 server of our own, gone afterwards with all it holds."""
    folder = Path(tempfile.mkdtemp(prefix="plumbline-s3-"))
    server = EmbeddedObjectStore(folder / "data", log=folder / "server.log")
    try:
        server.start()
        yield server
    finally:
        server.stop(within=1)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def paused(child: Child | None) -> Iterator[None]:
    """A process stopped, as by a machine that hangs, until the block ends."""
    assert child is not None
    child.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        child.process.send_signal(signal.SIGCONT)
