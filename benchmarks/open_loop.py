"""Requests at a fixed rate, whether or not the answers come: what a queue of strangers does.

Latency runs from the moment at which a request was due, so that a site that stalls does not
also hide the requests that had to wait for it.
"""

from __future__ import annotations

import http.client
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

N_SENDERS = 96  # requests under way at once; more would wait in line, and be counted so
IDLE_SECONDS = 2.0  # a connection that rested longer is not used again
PATIENCE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Request:
    """One POST, ready to be sent."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, or the name of the fault, after so many seconds."""

    outcome: str
    seconds: float


class Connections:
    """Connections to one site, the warmest first."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "", parts.port or 80
        self._resting: deque[tuple[float, http.client.HTTPConnection]] = deque()
        self.n_opened = 0

    def take(self) -> http.client.HTTPConnection:
        try:
            since, connection = self._resting.pop()
        except IndexError:
            since, connection = 0.0, None
        if connection is not None and time.monotonic() - since < IDLE_SECONDS:
            return connection
        if connection is not None:
            connection.close()
        self.n_opened += 1
        return http.client.HTTPConnection(self._host, self._port, timeout=PATIENCE_SECONDS)

    def give_back(self, connection: http.client.HTTPConnection) -> None:
        self._resting.append((time.monotonic(), connection))


def send_all(
    address: str,
    requests: Sequence[Request],
    *,
    per_second: float,
    meanwhile: Callable[[], None] | None = None,
) -> tuple[list[Answer], float]:
    """All answers in the order of the requests, and seconds from the first to the last of them.

    Args:
        per_second: how many requests are due each second.
        meanwhile: called once, when the last request is due.
    """
    connections = Connections(address)
    answers: list[Answer | None] = [None] * len(requests)
    began = time.monotonic() + 0.2

    def send(number: int, due: float) -> None:
        answers[number] = _sent(connections, requests[number], due)

    # Threads are made beforehand: a start costs more than a request.
    with ThreadPoolExecutor(N_SENDERS) as pool:
        warm = threading.Barrier(N_SENDERS + 1)
        for _ in range(N_SENDERS):
            pool.submit(warm.wait)
        warm.wait()
        for number in range(len(requests)):
            due = began + number / per_second
            time.sleep(max(0.0, due - time.monotonic()))
            pool.submit(send, number, due)
        if meanwhile is not None:
            meanwhile()
    return [answer for answer in answers if answer is not None], time.monotonic() - began


def _sent(connections: Connections, request: Request, due: float) -> Answer:
    connection = connections.take()
    try:
        connection.request("POST", request.path, request.body, request.headers)
        response = connection.getresponse()
        response.read()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return Answer(type(error).__name__, time.monotonic() - due)
    if response.will_close:
        connection.close()
    else:
        connections.give_back(connection)
    return Answer(str(response.status), time.monotonic() - due)
