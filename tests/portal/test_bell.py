"""The bell: one line for many letters, and never a long wait."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from portal.exchange import jobs, queue
from tests.servers import Broker


@pytest.fixture
def server() -> Iterator[Broker]:
    """A broker of this test alone, to which this process posts."""
    server = Broker()
    server.start()
    before, queue.app.conf.broker_url = queue.app.conf.broker_url, server.url
    yield server
    queue.app.conf.broker_url = before
    server.close()


def n_served(server: Broker) -> int:
    """Connections that the broker has seen so far."""
    with redis.Redis.from_url(server.url.replace("redis+socket", "unix")) as line:
        return int(line.info("stats")["total_connections_received"])


def test_many_letters_go_over_one_line(server: Broker) -> None:
    assert queue.post(jobs.SCORE, "first")
    before = n_served(server)
    for number in range(20):
        assert queue.post(jobs.SCORE, number)
    assert n_served(server) == before + 1  # the one that asks
    assert queue.n_waiting_letters("score") == 21


def test_threads_have_lines_of_their_own(server: Broker) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda number: queue.post(jobs.SCORE, number), range(200)))
    assert queue.n_waiting_letters("score") == 200


def test_a_restarted_broker_is_heard_at_the_first_letter(server: Broker) -> None:
    assert queue.post(jobs.SCORE, "before")
    server.kill()
    assert not queue.post(jobs.SCORE, "meanwhile")
    server.start()
    assert queue.post(jobs.SCORE, "after")
    server.kill()
    server.start()
    assert queue.post(jobs.SCORE, "over a line that the restart cut")
    assert queue.n_waiting_letters("score") == 1


def test_a_broker_that_does_not_answer_is_given_up_soon(server: Broker) -> None:
    assert queue.post(jobs.SCORE, "before")
    with server.paused():
        for _ in range(2):
            began = time.monotonic()
            assert not queue.post(jobs.SCORE, "meanwhile")
            assert time.monotonic() - began < 3 * queue.BELL_SECONDS
    assert queue.post(jobs.SCORE, "after")


def test_a_forked_process_takes_a_line_of_its_own(server: Broker) -> None:
    assert queue.post(jobs.SCORE, "parent")
    pid = os.fork()
    if pid == 0:
        os._exit(0 if queue.post(jobs.SCORE, "child") else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert queue.post(jobs.SCORE, "parent again")
    assert queue.n_waiting_letters("score") == 3
