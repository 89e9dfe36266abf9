"""`python -m worker`: a Celery worker, started anew whenever it ends, freezes or falls mute."""

from __future__ import annotations

import argparse
import logging
import logging.config
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from portal import logs
from worker import pulse

logger = logging.getLogger("worker.supervisor")

QUEUES = "score,large,maintenance"
FROZEN_SECONDS = 60.0  # without a pulse; the watchdog beats every two seconds
ORPHANS_SECONDS = 10.0  # what a dead worker's processes get to finish what they hold
FLEETING_SECONDS = 5.0  # a worker that lives no longer is started again after a pause
PAUSE_SECONDS = (0.5, 15.0)  # the first, and the longest one


@dataclass(slots=True)
class Worker:
    """One Celery worker, the leader of its own process group."""

    process: subprocess.Popen[bytes]
    pulse: int  # the end of the pipe that we read
    began: float = field(default_factory=time.monotonic)

    def end_group(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Supervisor:
    """Keeps one worker alive until it is told to stop."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._command = [sys.executable, "-m", "celery", "-A", "worker.app", "worker", *arguments]
        self._worker: Worker | None = None
        self._orphans: list[tuple[float, int]] = []  # when to end them, and their group
        self._is_stopping = False

    def run(self) -> int:
        """Returns once a stop was asked for and the worker has ended."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        pause = PAUSE_SECONDS[0]
        while not self._is_stopping:
            self._worker = _start(self._command)
            ending = self._watch(self._worker)
            if self._is_stopping:
                break
            logger.error("the worker %s; another one is started", ending)
            lived = time.monotonic() - self._worker.began
            pause = (
                PAUSE_SECONDS[0] if lived > FLEETING_SECONDS else min(2 * pause, PAUSE_SECONDS[1])
            )
            time.sleep(pause)
        self._end_orphans(at_once=True)
        return 0

    def _watch(self, worker: Worker) -> str:
        """How the worker ended; one that shows no sign of life is ended."""
        alive_at = time.monotonic()
        while worker.process.poll() is None:
            self._end_orphans()
            readable, _, _ = select.select([worker.pulse], [], [], 0.5)
            if readable and os.read(worker.pulse, 4096):
                alive_at = time.monotonic()
            elif readable:
                time.sleep(0.1)  # it closed the line: it is about to end
            if time.monotonic() - alive_at > FROZEN_SECONDS:
                worker.end_group()
        os.close(worker.pulse)
        # What it held may be finished by its processes, which need it no more.
        self._orphans.append((time.monotonic() + ORPHANS_SECONDS, worker.process.pid))
        status = worker.process.returncode
        return (
            f"was ended by {signal.Signals(-status).name}" if status < 0 else f"left with {status}"
        )

    def _end_orphans(self, *, at_once: bool = False) -> None:
        due = [item for item in self._orphans if at_once or item[0] < time.monotonic()]
        for item in due:
            self._orphans.remove(item)
            with suppress(ProcessLookupError):
                os.killpg(item[1], signal.SIGKILL)

    def _stop(self, *_: object) -> None:
        self._is_stopping = True
        if self._worker is not None:
            with suppress(ProcessLookupError):
                self._worker.process.terminate()


def _start(command: Sequence[str]) -> Worker:
    ours, theirs = os.pipe()
    try:
        process = subprocess.Popen(
            command,
            env={**os.environ, pulse.VARIABLE: str(theirs)},
            pass_fds=[theirs],
            start_new_session=True,
        )
    finally:
        os.close(theirs)
    return Worker(process, ours)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m worker", description=__doc__)
    parser.add_argument("-Q", "--queues", default=QUEUES, help=f"default: {QUEUES}")
    parser.add_argument(
        "-c", "--slots", type=int, default=os.cpu_count() or 1, help="default: cores"
    )
    asked = parser.parse_args()
    logging.config.dictConfig(logs.configuration(logs.chosen_form()))
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "INFO")
    return Supervisor(["-Q", asked.queues, "-c", str(asked.slots), *quiet]).run()


if __name__ == "__main__":
    raise SystemExit(main())
