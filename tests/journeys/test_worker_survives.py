"""A worker is started anew when it ends, freezes or falls mute, and goes with its supervisor."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from portal.evaluations.models import Evaluation
from portal.exchange import jobs, queue
from tests import factories
from tests.conftest import Process, Start, Stores, wait_until
from tests.servers import Broker

pytestmark = [pytest.mark.journey, pytest.mark.django_db(transaction=True)]

N_RESTARTS = 10
DEAF = """
import os
import kombu.transport.redis as transport

original = transport.Channel._brpop_start

def start(channel, timeout=None):
    if not os.path.exists({flag!r}):
        return original(channel, timeout)

transport.Channel._brpop_start = start
"""


@pytest.fixture
def version(broker: str, tmp_path: Path, stores: Stores) -> object:
    return factories.version(tmp_path, stores)


@pytest.fixture
def worker(start_process: Start) -> Callable[..., Process]:
    """(extra environment) -> a supervised worker with one pool child."""
    return lambda extra=None: start_process("scoring", "worker", "-c", "1", extra=extra)


def distinct(turn: int, letter: str) -> bytes:
    """A file that no other turn or letter makes."""
    return factories.predictions(lambda question: [letter if question >= turn else "D"])


def hears(process: Process) -> None:
    """Fails unless a letter reaches the worker; no row is behind it, so no poller can help."""
    word = f"ping-{uuid4().hex[:12]}"

    def is_heard() -> bool:
        return word.encode() in process.log.read_bytes()

    wait_until(lambda: queue.post(jobs.SCORE, word))
    wait_until(is_heard, 30)


def main_process(supervisor: Process) -> int:
    """The Celery process that the supervisor started, once it is there."""
    listed = Path(f"/proc/{supervisor.pid}/task/{supervisor.pid}/children")
    return int(wait_until(lambda: listed.read_text().split())[0])


def is_scored(submission_id: object) -> bool:
    return Evaluation.objects.filter(submission_id=submission_id, status="SCORED").exists()


def test_ten_restarts_of_the_broker_leave_no_mute_worker(
    version: object, broker_server: Broker, worker: Callable[..., Process]
) -> None:
    process = worker()
    hears(process)
    first = main_process(process)
    person = factories.user()
    for number in range(N_RESTARTS):
        if number % 2:
            # One letter in work and one fetched beforehand, which cannot be acknowledged any more.
            running = Evaluation.objects.filter(status="RUNNING")
            for letter in "ABC":
                factories.submit(person, distinct(number, letter))
            wait_until(running.exists, step=0.005)
        broker_server.kill()
        broker_server.start()
        hears(process)
    # It reconnected, rather than being started ten times.
    assert main_process(process) == first


def test_mute_worker_is_noticed_and_replaced(
    version: object, worker: Callable[..., Process], tmp_path: Path
) -> None:
    deaf = tmp_path / "deaf"
    (tmp_path / "sitecustomize.py").write_text(DEAF.format(flag=str(deaf)))
    path = os.pathsep.join((str(tmp_path), *(str(Path(p)) for p in _python_path())))
    process = worker({"PYTHONPATH": path})
    hears(process)
    deaf.touch()
    for _ in range(4):
        queue.post(jobs.SCORE, f"unheard-{uuid4().hex[:12]}")
    wait_until(lambda: b"this worker is mute" in process.log.read_bytes())
    deaf.unlink()
    hears(process)


def test_killed_worker_is_replaced_and_its_row_scored(
    version: object, worker: Callable[..., Process]
) -> None:
    process = worker()
    accepted = factories.submit(factories.user())
    running = Evaluation.objects.filter(submission_id=accepted.id, status="RUNNING")
    wait_until(running.exists, step=0.005)
    os.kill(main_process(process), signal.SIGKILL)
    wait_until(lambda: is_scored(accepted.id))
    wait_until(lambda: b"another one is started" in process.log.read_bytes())
    hears(process)


def test_worker_goes_with_its_supervisor(version: object, worker: Callable[..., Process]) -> None:
    process = worker()
    hears(process)
    celery = main_process(process)
    os.kill(process.pid, signal.SIGKILL)
    process.popen.wait()
    wait_until(lambda: not Path(f"/proc/{celery}").exists() or _is_zombie(celery))


def test_asked_to_stop_it_ends_with_nothing_left(
    version: object, worker: Callable[..., Process]
) -> None:
    process = worker()
    hears(process)
    celery = main_process(process)
    process.popen.terminate()
    assert process.popen.wait(timeout=30) == 0
    assert not Path(f"/proc/{celery}").exists()


def _is_zombie(pid: int) -> bool:
    return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()


def _python_path() -> tuple[Path, Path]:
    root = Path(__file__).resolve().parents[2]
    return root, root / "platform"
