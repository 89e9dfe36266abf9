"""A server with the few routes of S3 that our store uses, and faults on demand."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

Fault = Literal["500", "reset"]


class ObjectServer(ThreadingHTTPServer):
    """Objects in memory.

    Attributes:
        objects: content by path (`/bucket/key`).
        faults: what happens to the next requests, one each, in order.
        n_requests: all that came, failed ones among them.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.objects: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self.n_requests = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ObjectServer

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the tests say what matters."""

    def do_PUT(self) -> None:
        content = self._body()
        if self._is_whole():
            self.server.objects[self.path.partition("?")[0]] = content
            self._answer(200)

    def do_HEAD(self) -> None:
        self._read(with_body=False)

    def do_GET(self) -> None:
        self._read(with_body=True)

    def _read(self, *, with_body: bool) -> None:
        content = self.server.objects.get(self.path.partition("?")[0])
        if content is None:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>" if with_body else b"")
        elif self._is_whole():
            self._answer(200, content, with_body=with_body)

    def _is_whole(self) -> bool:
        """False if a fault has been answered instead."""
        self.server.n_requests += 1
        fault = self.server.faults.pop(0) if self.server.faults else None
        if fault == "500":
            self._answer(500, b"<Error><Code>InternalError</Code></Error>")
        elif fault == "reset":
            self.close_connection = True
            self.connection.close()
        return fault is None

    def _answer(self, status: int, content: bytes = b"", *, with_body: bool = True) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", '"0"')
        self.end_headers()
        if with_body:
            self.wfile.write(content)

    def _body(self) -> bytes:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return raw
        content = b""
        while raw:
            head, _, raw = raw.partition(b"\r\n")
            size = int(head.partition(b";")[0], 16)
            if size == 0:
                break
            content, raw = content + raw[:size], raw[size + 2 :]
        return content


@contextmanager
def object_server() -> Iterator[ObjectServer]:
    """A running server, stopped after the block."""
    server = ObjectServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
