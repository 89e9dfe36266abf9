"""Parts of a file on their way to a site's store: several at once, tried again, counted.

The store is a stranger: it gets the bytes at the address that the site gave, and nothing
that says who we are.
"""

from __future__ import annotations

import queue
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

import httpx

import plumbline
from plumbline.addresses import is_loopback
from plumbline.answers import Json, unreachable
from plumbline.content import Content
from plumbline.errors import AnswerNotUnderstood, PlumblineError, ServerUnreachable

N_AT_ONCE = 3
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)  # seconds before the second try and those after it
PASSING = frozenset({408, 429, 500, 502, 503, 504})
SPENT = frozenset({400, 403, 404})  # the address is too old, or the upload is over
TIMEOUT = httpx.Timeout(20.0, connect=5.0)
GOES_ON = "The same command goes on where this one stopped."

Progress = Callable[[int, int], None]


class _Stopped(Exception):
    """Another part has met its fault; this one need not go on."""


class PartSender:
    """Sends missing parts of one file and tells how many of its bytes are there.

    Args:
        on_progress: called with the bytes that are there and all bytes, by any thread.
    """

    def __init__(self, content: Content, part_bytes: int, on_progress: Progress | None) -> None:
        self._content = content
        self._part_bytes = part_bytes
        self._on_progress = on_progress
        self._there: dict[int, int] = {}
        self._lock = threading.Lock()

    def send(self, upload: Json) -> None:
        """Send the missing parts that the site has given addresses for, as far as they go.

        An address that the store does not take any more ends the round without a fault:
        the site is asked for another.

        Raises:
            ServerUnreachable: the store stays away.
            AnswerNotUnderstood: it answers something else.
        """
        missing: Sequence[Json] = upload["missing"]
        with self._lock:
            self._there = {int(part["number"]): int(part["n_bytes"]) for part in upload["parts"]}
        todo: queue.SimpleQueue[Json] = queue.SimpleQueue()
        for part in missing:
            todo.put(part)
        stop = threading.Event()
        faults: list[PlumblineError] = []
        with _store_client(str(missing[0]["url"])) as http:

            def work() -> None:
                while not stop.is_set():
                    try:
                        is_taken = self._put(http, todo.get_nowait(), stop)
                    except queue.Empty:
                        return
                    except PlumblineError as error:
                        faults.append(error)
                        is_taken = False
                    if not is_taken:
                        stop.set()

            # Daemons: Ctrl-C need not wait for a network that hangs.
            threads = [
                threading.Thread(target=work, daemon=True)
                for _ in range(min(N_AT_ONCE, len(missing)))
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if faults:
            raise faults[0]

    def _put(self, http: httpx.Client, part: Json, stop: threading.Event) -> bool:
        """Whether the store took the part; False if its address is spent, or others failed."""
        number, n_bytes, url = int(part["number"]), int(part["n_bytes"]), str(part["url"])
        for pause in (*PAUSES, None):
            try:
                response = http.put(
                    url,
                    content=self._pieces(number, n_bytes, stop),
                    headers={"Content-Length": str(n_bytes)},
                )
            except _Stopped:
                return False
            except httpx.RequestError as error:
                if pause is None:
                    fault = unreachable(error, urlsplit(url).netloc)
                    raise ServerUnreachable(fault.host, f"{fault.sentence} {GOES_ON}") from error
            else:
                if response.is_success:
                    return True
                if response.status_code in SPENT:
                    return False
                if pause is None or response.status_code not in PASSING:
                    raise AnswerNotUnderstood(
                        f"The store at {urlsplit(url).netloc} answered {response.status_code} "
                        f"to part {number}. {GOES_ON}"
                    )
            if stop.wait(pause * random.uniform(0.75, 1.25)):
                return False
        raise AssertionError("the last try returns or raises")

    def _pieces(self, number: int, n_bytes: int, stop: threading.Event) -> Iterator[bytes]:
        self._count(number, None)
        for piece in self._content.pieces((number - 1) * self._part_bytes, n_bytes):
            if stop.is_set():
                raise _Stopped
            yield piece
            self._count(number, len(piece))

    def _count(self, number: int, n_bytes: int | None) -> None:
        """Count bytes of a part; None begins it anew."""
        with self._lock:
            self._there[number] = 0 if n_bytes is None else self._there[number] + n_bytes
            if self._on_progress is not None:
                self._on_progress(sum(self._there.values()), self._content.n_bytes)


def _store_client(url: str) -> httpx.Client:
    return httpx.Client(
        headers={"User-Agent": f"plumbline/{plumbline.version()}"},
        timeout=TIMEOUT,
        trust_env=not is_loopback(url),
    )
