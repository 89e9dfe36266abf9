"""The supervisor: what ends or freezes is started anew, what is asked to stop stops."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.conftest import ROOT, wait_until

RUN = """
import sys
from worker import __main__ as supervising
supervising.FROZEN_SECONDS = float(sys.argv[1])
supervising.PAUSE_SECONDS = (0.05, 0.2)
supervisor = supervising.Supervisor([])
supervisor._command = [sys.executable, "-c", sys.argv[2], sys.argv[3]]
raise SystemExit(supervisor.run())
"""
NOTE = "import os, sys, time; open(sys.argv[1], 'a').write(f'{os.getpid()}\\n'); "


def supervised(folder: Path, body: str, *, frozen_seconds: float = 60.0) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", RUN, str(frozen_seconds), NOTE + body, str(folder / "starts")]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})


def starts(folder: Path) -> list[int]:
    noted = folder / "starts"
    return [int(line) for line in noted.read_text().split()] if noted.exists() else []


def is_gone(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    return not status.exists() or "State:\tZ" in status.read_text()


@pytest.mark.parametrize("body", ["sys.exit(3)", "os.abort()"])
def test_what_ends_is_started_again(tmp_path: Path, body: str) -> None:
    supervisor = supervised(tmp_path, body)
    wait_until(lambda: len(starts(tmp_path)) >= 3)
    supervisor.terminate()
    assert supervisor.wait(timeout=20) == 0


def test_what_freezes_is_ended_and_started_again(tmp_path: Path) -> None:
    supervisor = supervised(tmp_path, "time.sleep(600)", frozen_seconds=1)
    wait_until(lambda: len(starts(tmp_path)) >= 2)
    first = starts(tmp_path)[0]
    assert is_gone(first)
    supervisor.terminate()
    assert supervisor.wait(timeout=20) == 0


def test_what_beats_is_left_alone(tmp_path: Path) -> None:
    beat = (
        "line = int(os.environ['PLUMBLINE_PULSE'])\nwhile 1: os.write(line, b'.'); time.sleep(.1)"
    )
    supervisor = supervised(tmp_path, "\n" + beat, frozen_seconds=1)
    wait_until(lambda: starts(tmp_path))
    with pytest.raises(subprocess.TimeoutExpired):
        supervisor.wait(timeout=4)
    assert len(starts(tmp_path)) == 1
    supervisor.terminate()
    assert supervisor.wait(timeout=20) == 0


def test_pulse_ends_everything_once_nobody_listens(tmp_path: Path) -> None:
    loop = "while True: pulse.beat(); pulse.rest(60)"
    beat = f"\nfrom worker.pulse import Pulse\npulse = Pulse()\n{loop}"
    supervisor = supervised(tmp_path, beat)
    (child,) = wait_until(lambda: starts(tmp_path))
    os.kill(supervisor.pid, signal.SIGKILL)
    supervisor.wait()
    wait_until(lambda: is_gone(child), 20)


def test_without_a_supervisor_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from worker.pulse import Pulse

    monkeypatch.delenv("PLUMBLINE_PULSE", raising=False)
    pulse = Pulse()
    pulse.beat()
    done = threading.Thread(target=pulse.rest, args=(0.01,))
    done.start()
    done.join(timeout=10)
    assert not done.is_alive()
