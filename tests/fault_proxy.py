"""A proxy before a real S3 server: passes everything on, and goes wrong on demand."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal
from urllib.parse import urlsplit

# reset: the request is read, then the connection ends without an answer. lost: it is passed
# on first. stuck: as reset, but only when the proxy is mended. slow: it waits. cut: the answer
# ends at 90 % of its body. short: so does the body, and its length agrees. well: no fault.
Fault = Literal["500", "503", "403", "reset", "lost", "stuck", "slow", "cut", "short", "well"]
SLOW_SECONDS = 0.4
KEPT = 0.9


@dataclass(frozen=True, slots=True)
class Passed:
    """A request that came, and the status that its sender saw; 0 without an answer."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    n_bytes: int
    status: int


class FaultProxy(ThreadingHTTPServer):
    """Listens on the loopback interface before the server at `target`.

    Attributes:
        passed: all requests in the order of their ends.
    """

    daemon_threads = True

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = urlsplit(target).netloc
        self.passed: list[Passed] = []
        self._faults: list[tuple[str, Fault]] = []
        self._lock = threading.Lock()
        self._under_way = 0
        self._is_mended = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def fail(self, *faults: Fault, method: str = "") -> None:
        """Let the next requests (of that method) go wrong, one each, in this order."""
        self._is_mended.clear()
        with self._lock:
            self._faults += [(method, fault) for fault in faults]

    def mend(self) -> None:
        """Forget the faults that have not happened yet; what is stuck hangs up."""
        with self._lock:
            self._faults.clear()
        self._is_mended.set()

    def wait_until_mended(self) -> None:
        self._is_mended.wait(60)

    def next_fault(self, method: str) -> Fault | None:
        with self._lock:
            for place, (wanted, fault) in enumerate(self._faults):
                if wanted in ("", method):
                    del self._faults[place]
                    return fault
        return None

    def settle(self, *, begun: int) -> None:
        """Note that a request has begun (1) or is over (-1)."""
        with self._lock:
            self._under_way += begun

    @property
    def is_quiet(self) -> bool:
        """Whether no request is under way."""
        return self._under_way == 0

    def requests(self, method: str, query: str = "") -> list[Passed]:
        """Those of a method whose query holds these characters."""
        return [one for one in self.passed if one.method == method and query in one.query]

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: a sender that hangs up is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FaultProxy

    def handle_request(self) -> None:
        self.server.settle(begun=1)
        try:
            self._handle()
        finally:
            self.server.settle(begun=-1)

    def _handle(self) -> None:
        stated = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(stated)
        if len(body) < stated:  # whoever sent it is gone
            self._hang_up()
            return
        fault = self.server.next_fault(self.command)
        status = self._answer(body, fault)
        where = urlsplit(self.path)
        self.server.passed.append(
            Passed(self.command, where.path, where.query, dict(self.headers), len(body), status)
        )

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_request  # noqa: N815  # http.server

    def _answer(self, body: bytes, fault: Fault | None) -> int:
        if fault == "stuck":
            self.server.wait_until_mended()
        if fault in ("reset", "stuck"):
            return self._hang_up()
        if fault in ("500", "503", "403"):
            code = {"500": "InternalError", "503": "SlowDown", "403": "AccessDenied"}[fault]
            return self._send(int(fault), {}, f"<Error><Code>{code}</Code></Error>".encode())
        if fault == "slow":
            time.sleep(SLOW_SECONDS)
        try:
            status, headers, content = self._forwarded(body)
        except OSError:
            return self._hang_up()
        if fault == "lost":
            return self._hang_up()
        if fault == "short":
            content = content[: int(len(content) * KEPT)]
        n_sent = int(len(content) * KEPT) if fault == "cut" else len(content)
        return self._send(status, headers, content, n_sent=n_sent)

    def _forwarded(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        """What the server answers; for HEAD with the length that it stated."""
        line = http.client.HTTPConnection(self.server.target, timeout=20)
        try:
            line.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():  # the signature covers the Host header
                if name.lower() not in ("connection", "expect"):
                    line.putheader(name, value)
            line.endheaders(body or None)
            answer = line.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            line.close()

    def _send(
        self, status: int, headers: dict[str, str], content: bytes, n_sent: int | None = None
    ) -> int:
        stated = headers.get("content-length") if self.command == "HEAD" else None
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", stated or str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[:n_sent])
            self.close_connection = n_sent is not None and n_sent < len(content)
        return status

    def _hang_up(self) -> int:
        self.close_connection = True
        self.connection.close()
        return 0

    def log_message(self, format: str, *args: object) -> None:
        """Tests read `passed` instead."""


@contextmanager
def fault_proxy(target: str) -> Iterator[FaultProxy]:
    """A running proxy, stopped after the block."""
    proxy = FaultProxy(target)
    thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()
