"""Child processes in groups of their own, each with a log, that never outlive their parent.

It must not know what the children are for.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, linux/prctl.h
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


class StartFailed(RuntimeError):
    """A process could not be started or did not become ready; the message says what to read."""


@dataclass(frozen=True, slots=True)
class Account:
    """The system account that a child runs as, and what must stand before its command."""

    uid: int
    gid: int
    prefix: tuple[str, ...] = ()

    def arguments(self) -> dict[str, int | list[int]]:
        """The account in the words of `subprocess`; none where the prefix changes it."""
        return {} if self.prefix else {"user": self.uid, "group": self.gid, "extra_groups": []}


@dataclass(slots=True)
class Child:
    """One started process, the leader of its own group."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    stop_signal: signal.Signals = signal.SIGTERM

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    @property
    def ending(self) -> str:
        """How the process ended, for a sentence such as "the worker ... ."""
        status = self.process.returncode
        if status is None:
            return "is running"
        if status < 0:
            return f"was stopped by {signal.Signals(-status).name}"
        return f"ended with status {status}"

    def log_tail(self, n_lines: int = 15) -> str:
        """The last lines of the log, empty where there is none."""
        if not self.log.exists():
            return ""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-n_lines:])

    def ask_to_stop(self) -> None:
        """Send the leader its own polite signal."""
        with suppress(ProcessLookupError):
            self.process.send_signal(self.stop_signal)

    def kill(self) -> None:
        """Kill the whole group, whatever is left of it, and reap the leader."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def start(
    name: str,
    command: Sequence[str | Path],
    *,
    log: Path,
    environment: Mapping[str, str],
    folder: Path | None = None,
    stop_signal: signal.Signals = signal.SIGTERM,
    account: Account | None = None,
) -> Child:
    """Start a command in a session of its own, its output appended to the log.

    On Linux the child receives its stop signal when the calling thread ends, so a
    supervisor that is killed leaves nobody behind: call this from the main thread.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    prefix = account.prefix if account else ()
    extra = account.arguments() if account else {}
    with log.open("ab") as output:
        process = subprocess.Popen(  # type: ignore[call-overload]  # a mapping of keyword arguments
            [*prefix, *map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
            preexec_fn=_die_with_parent(stop_signal),
            **extra,
        )
    return Child(name=name, process=process, log=log, stop_signal=stop_signal)


def stop(children: Iterable[Child], *, within: float) -> None:
    """End the children together: politely first, by force once `within` seconds have passed."""
    children = list(children)
    for child in children:
        child.ask_to_stop()
    deadline = time.monotonic() + within
    for child in children:
        with suppress(subprocess.TimeoutExpired):
            child.process.wait(timeout=max(0.0, deadline - time.monotonic()))
    for child in children:
        child.kill()


def wait_until(is_ready: Callable[[], bool], *, child: Child, within: float, what: str) -> None:
    """Return once the child is ready.

    Raises:
        StartFailed: it ended first, or took longer than `within` seconds.
    """
    is_ready_or_gone = poll(lambda: not child.is_alive or is_ready(), within=within)
    if not child.is_alive:
        raise StartFailed(f"{what} {child.ending} before it was ready.\n{_advice(child)}")
    if not is_ready_or_gone:
        raise StartFailed(f"{what} was not ready after {within:g} s.\n{_advice(child)}")


def poll(is_so: Callable[[], bool], *, within: float, pause_seconds: float = 0.05) -> bool:
    """Whether it became so before `within` seconds passed."""
    deadline = time.monotonic() + within
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause_seconds)
    return True


def free_port() -> int:
    """A port of the loopback interface that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as line:
        return int(line.getsockname()[1])


def _advice(child: Child) -> str:
    return f"Its log is {child.log} and ends with:\n{child.log_tail()}"


def _die_with_parent(stop_signal: signal.Signals) -> Callable[[], None] | None:
    libc = _LIBC
    if libc is None:
        return None
    number = int(stop_signal)
    return lambda: libc.prctl(_SET_DEATH_SIGNAL, number)
