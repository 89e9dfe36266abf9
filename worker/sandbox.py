"""Starts the child and listens to it: open files and a request in, lines out, limits around."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from portal.services import failures

Json = dict[str, Any]  # a line of the protocol

ROOT = Path(__file__).resolve().parent.parent
# Isolated Python with our packages on the path and nothing of the environment. It gives way
# to whoever takes submissions on the same machine, from its imports on.
BOOT = (
    "import os, sys; os.nice(10); sys.path.insert(0, sys.argv[1]); "
    "from worker.child import main; main()"
)
ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",  # a thread of BLAS takes address space, which is limited
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
LISTEN_SECONDS = 0.25
FAULTS = {
    "memory": failures.SCORER_MEMORY,
    "version": failures.VERSION_UNUSABLE,
    "internal": failures.INTERNAL,
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one scoring may use."""

    memory_bytes: int
    cpu_seconds: int
    wall_seconds: float


class ScoringFailed(Exception):
    """The child could not answer: a failure code, and what the log should say."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code


class NotOursAnyMore(Exception):
    """The claim was lost while the child was at work; its answer is worth nothing."""


def run_child(
    request: Mapping[str, Any],
    files: Mapping[str, BinaryIO],
    *,
    limits: Limits,
    on_progress: Callable[[int, int], None],
    is_ours: Callable[[], bool],
) -> Json:
    """The child's answer: a scorecard or problems.

    Args:
        files: open files by name, which the child may use and nothing else.
        is_ours: asked every quarter of a second; False ends the child.

    Raises:
        ScoringFailed: it crashed, ran out of memory or time, or failed inside.
        NotOursAnyMore: `is_ours` said so.
    """
    descriptors = {name: file.fileno() for name, file in files.items()}
    line = {
        **request,
        "files": descriptors,
        "memory_bytes": limits.memory_bytes,
        "cpu_seconds": limits.cpu_seconds,
    }
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", BOOT, str(ROOT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a traceback could quote truth
        env=ENVIRONMENT,
        cwd="/",
        pass_fds=list(descriptors.values()),
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        _send(child.stdin, line)
        for answer in _lines(child.stdout, deadline=time.monotonic() + limits.wall_seconds):
            if not is_ours():
                raise NotOursAnyMore
            if answer is None:
                continue
            if "progress" in answer:
                on_progress(*answer["progress"])
                continue
            return _checked(answer)
        raise _ended(child.wait())
    finally:
        child.kill()
        child.stdin.close()
        child.stdout.close()
        child.wait()


def _send(stdin: Any, line: Json) -> None:  # the pipe of a Popen, a buffered writer
    try:
        stdin.write(json.dumps(line).encode() + b"\n")
        stdin.flush()
    except BrokenPipeError:
        pass  # it died before reading; what follows tells how


def _lines(stdout: Any, *, deadline: float) -> Iterator[Json | None]:
    """The child's lines, and None whenever a quarter of a second brought none."""
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(stdout, selectors.EVENT_READ)
        while True:
            if time.monotonic() > deadline:
                raise ScoringFailed(failures.SCORER_TIME, "wall clock")
            if not selector.select(LISTEN_SECONDS):
                yield None
                continue
            chunk = os.read(stdout.fileno(), 1 << 20)
            if not chunk:
                return
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                yield json.loads(line)


def _checked(answer: Json) -> Json:
    if "fault" in answer:
        detail = f"{answer.get('kind', '')} at {' < '.join(reversed(answer.get('at', [])))}"
        raise ScoringFailed(FAULTS[answer["fault"]], detail)
    return answer


def _ended(code: int) -> ScoringFailed:
    """What an end without an answer means."""
    if code == -signal.SIGXCPU:
        return ScoringFailed(failures.SCORER_TIME, "CPU time")
    return ScoringFailed(failures.SCORER_CRASHED, f"the child ended with {code}")
