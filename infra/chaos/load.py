"""Entrants: they post files, again and again with the same key, until the site says yes."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from plumbline.client import Client, PlumblineError

N_ENTRANTS = 4
GIVES_UP_AFTER = 180.0  # seconds


@dataclass(frozen=True, slots=True)
class Paper:
    """One file to hand in."""

    number: int
    data: bytes
    is_sound: bool

    @property
    def key(self) -> str:
        return f"chaos-{self.number}"


class Entrants:
    """Post papers as far as they are allowed to, each until it is accepted."""

    def __init__(self, client: Client, *, benchmark: str, track: str) -> None:
        self._client = client
        self._benchmark = benchmark
        self._track = track
        self._pool = ThreadPoolExecutor(N_ENTRANTS, thread_name_prefix="entrant")
        self._lock = threading.Lock()
        self._is_closed = False
        self._posted: list[Future[None]] = []
        self.accepted: dict[int, str] = {}  # number of the paper -> id of the submission

    def post(self, paper: Paper, *, when: Callable[[], bool] = lambda: True) -> None:
        """Hand a paper in, once `when` says so, in the background."""
        self._posted.append(self._pool.submit(self._post, paper, when))

    def wait(self) -> None:
        """Until all that were handed in are accepted.

        Raises:
            PlumblineError: one was refused, or the site stayed away.
        """
        for posted in self._posted:
            posted.result()
        self._posted.clear()

    def close(self) -> None:
        """Nothing more is handed in; what waits for its turn is dropped."""
        self._is_closed = True
        self._pool.shutdown(cancel_futures=True)

    def _post(self, paper: Paper, when: Callable[[], bool]) -> None:
        while not when():
            if self._is_closed:
                return
            time.sleep(0.05)
        deadline = time.monotonic() + GIVES_UP_AFTER
        while True:
            try:
                accepted = self._client.submit(
                    paper.data,
                    benchmark=self._benchmark,
                    track=self._track,
                    system="Chaos",
                    idempotency_key=paper.key,
                )
            except PlumblineError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(random.uniform(0.1, 0.5))
                continue
            with self._lock:
                self.accepted[paper.number] = accepted["id"]
            return
