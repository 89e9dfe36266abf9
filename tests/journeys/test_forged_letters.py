"""Whoever can write to the broker can ring, and nothing more: letters carry no orders."""

from __future__ import annotations

import base64
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from redis import Redis

from portal.evaluations.models import Evaluation, Event
from portal.exchange import jobs, queue
from tests import factories
from tests.conftest import Process, Stores, wait_until

pytestmark = [pytest.mark.journey, pytest.mark.django_db(transaction=True)]


class Touch:
    """Unpickling this makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.path,)


@pytest.fixture
def heard(
    broker: str, tmp_path: Path, stores: Stores, start_worker: Callable[..., Process]
) -> Callable[[], None]:
    """Fails unless the worker still takes letters, those before it included."""
    factories.version(tmp_path, stores)
    process = start_worker()

    def heard() -> None:
        word = f"ping-{uuid4().hex[:12]}"
        assert queue.post(jobs.SCORE, word, priority=jobs.LAST)
        wait_until(lambda: word.encode() in process.log.read_bytes())

    return heard


def forge(broker: str, body: bytes, *, content: str, task: str = jobs.SCORE) -> None:
    """Put a letter of our own making into the queue, past everything that makes letters."""
    id_ = str(uuid4())
    letter = {
        "body": base64.b64encode(body).decode(),
        "content-type": content,
        "content-encoding": "binary" if "python" in content else "utf-8",
        "headers": {"lang": "py", "task": task, "id": id_, "root_id": id_, "retries": 0},
        "properties": {
            "body_encoding": "base64",
            "correlation_id": id_,
            "delivery_info": {"exchange": "", "routing_key": "score"},
            "delivery_tag": id_,
            "priority": 0,
        },
    }
    with Redis(unix_socket_path=broker.removeprefix("redis+socket://")) as client:
        client.lpush(f"{queue.KEY_PREFIX}score", json.dumps(letter))


def call(*arguments: object) -> bytes:
    return json.dumps([list(arguments), {}, {}]).encode()


def test_pickle_is_never_opened(broker: str, heard: Callable[[], None], tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    body = pickle.dumps([[Touch(trap)], {}, {}])
    forge(broker, body, content="application/x-python-serialize")
    heard()
    assert not trap.exists()
    pickle.loads(body)  # noqa: S301  # our own bytes, to show that the trap works
    assert trap.exists()  # it would have


def test_unknown_task_and_other_content_do_nothing(
    broker: str, heard: Callable[[], None], tmp_path: Path
) -> None:
    for task in ("os.system", "celery.backend_cleanup", "worker.child.main", jobs.SCORE + "_all"):
        forge(broker, call(f"touch {tmp_path / 'trap'}"), content="application/json", task=task)
    forge(broker, b"!!python/object/apply:os.abort []", content="application/x-yaml")
    forge(broker, b"[[", content="application/json")
    forge(broker, call({"a": 1}, ["b"]), content="application/json")
    n_events = Event.objects.count()
    heard()
    assert not (tmp_path / "trap").exists()
    assert Event.objects.count() == n_events


def test_letter_for_a_finished_row_changes_nothing(broker: str, heard: Callable[[], None]) -> None:
    accepted = factories.submit(factories.user())
    done = Evaluation.objects.filter(
        submission_id=accepted.id,
        status="SCORED",
        intervals="READY",
        compared_at__isnull=False,
    )
    wait_until(done.exists)
    before, n_events = done.values().get(), Event.objects.count()
    forge(broker, call(str(before["id"])), content="application/json")
    forge(broker, call(str(before["id"])), content="application/json", task=jobs.INTERVALS)
    heard()
    assert done.values().get() == before
    assert Event.objects.count() == n_events
