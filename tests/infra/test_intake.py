"""What a request must satisfy before an application sees it."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import httpx
import pytest

from infra import intake
from infra.asgi import Receive, Scope, Send, answer
from infra.intake import Intake, Limits
from tests.infra.conftest import Serve

CAP = 8 * 1024 * 1024
LIMITS = Limits(max_upload_bytes=CAP, max_bytes=64 * 1024)
UPLOAD = "/api/v1/submissions"


class Reader:
    """An application that reads everything, as Django does, and remembers how much came."""

    def __init__(self) -> None:
        self.n_bytes = 0
        self.n_whole = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        self.n_bytes = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            self.n_bytes += len(message["body"])
            if not message["more_body"]:
                break
        self.n_whole += 1
        await answer(send, 200, str(self.n_bytes).encode(), "text/plain", [])


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def port(serve: Serve, reader: Reader) -> int:
    return serve(Intake(reader, LIMITS))


def say(port: int, request: bytes, *, patience: float = 10.0) -> bytes:
    """Send bytes as they are and return all that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as line:
        line.sendall(request)
        return heard(line)


def heard(line: socket.socket) -> bytes:
    """All that comes until the other side ends the line; an answer may come in pieces."""
    got = b""
    with suppress(ConnectionResetError):
        while piece := line.recv(65536):
            got += piece
    return got


def status_of(answered: bytes) -> int:
    return int(answered.split(b" ", 2)[1])


def head(*lines: str, path: str = UPLOAD) -> bytes:
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: x", *lines, "", ""]).encode()


def pieces(n_bytes: int) -> Iterator[bytes]:
    while n_bytes > 0:
        yield b" " * min(n_bytes, 65536)
        n_bytes -= 65536


def test_an_upload_up_to_the_cap_arrives_with_and_without_length(port: int) -> None:
    url = f"http://127.0.0.1:{port}{UPLOAD}"
    assert httpx.post(url, content=b" " * CAP).text == str(CAP)
    assert httpx.post(url, content=pieces(CAP)).text == str(CAP)


def test_a_stated_length_over_the_cap_is_refused_before_a_byte_is_read(
    port: int, reader: Reader
) -> None:
    got = httpx.post(f"http://127.0.0.1:{port}{UPLOAD}", content=b" " * (CAP + 1))
    assert got.status_code == 413
    assert got.headers["content-type"] == "application/problem+json"
    assert got.json()["code"] == "policy.too_large"
    assert got.headers["connection"] == "close"
    assert reader.n_bytes == 0


def test_a_lie_of_a_gibibyte_is_answered_at_once(port: int) -> None:
    began = time.monotonic()
    request = head("Content-Length: 1073741824") + b" " * 1024
    with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
        line.sendall(request)
        assert status_of(line.recv(65536)) == 413
    assert time.monotonic() - began < 1


def test_a_chunked_body_is_cut_off_before_the_cap_is_passed(port: int, reader: Reader) -> None:
    got = httpx.post(f"http://127.0.0.1:{port}{UPLOAD}", content=pieces(4 * CAP))
    assert got.status_code == 413
    assert reader.n_bytes <= CAP and reader.n_whole == 0


def test_only_the_upload_routes_take_much(port: int) -> None:
    much = b" " * (LIMITS.max_bytes + 1)
    address = f"http://127.0.0.1:{port}"
    for path in ("/api/v1/tokens", "/board/gradio_api/queue/join", "/api/v1/submissions/x/publish"):
        assert httpx.post(address + path, content=much).status_code == 413
    assert httpx.put(address + UPLOAD, content=much).status_code == 413
    assert httpx.post(f"{address}/submit/", content=much).status_code == 200
    page = httpx.post(f"{address}/account/", content=much, headers={"Accept": "text/html"})
    assert page.status_code == 413 and "<h1>Too large</h1>" in page.text


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "identity, gzip"])
def test_a_compressed_request_is_refused(port: int, coding: str) -> None:
    url = f"http://127.0.0.1:{port}{UPLOAD}"
    got = httpx.post(url, content=b"x", headers={"Content-Encoding": coding})
    assert (got.status_code, got.json()["code"]) == (415, "policy.encoding")


def test_two_statements_of_length_are_refused(port: int, reader: Reader) -> None:
    both = head("Content-Length: 4", "Transfer-Encoding: chunked", "Connection: close")
    assert status_of(say(port, both + b"0\r\n\r\n")) == 400
    twice = head("Content-Length: 4", "Content-Length: 5", "Connection: close")
    assert status_of(say(port, twice + b"abcd")) == 400
    assert reader.n_whole == 0


def test_bytes_beyond_the_stated_length_are_not_the_next_request(port: int, reader: Reader) -> None:
    for beyond in (b" " * 1024 * 1024, b"GET /smuggled", b"x\r\n\r\n"):
        got = say(port, head("Content-Length: 10") + b" " * 10 + beyond + b"\0\r\n\r\n")
        assert got.count(b"HTTP/1.1 200") <= 1
    assert reader.n_whole <= 3


def test_too_many_headers_are_refused(port: int) -> None:
    got = say(port, head(*["X: y"] * 101, "Content-Length: 0", "Connection: close"))
    assert status_of(got) == 431
    many = say(port, head(*["X: y"] * 20_000, "Content-Length: 0", "Connection: close"))
    assert many == b"" or status_of(many) in {400, 431}


def test_a_body_that_drips_is_cut_off(
    port: int, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "PATIENCE_SECONDS", 0.5)
    monkeypatch.setattr(intake, "LINGER_SECONDS", 1.0)  # so that the answer is not lost
    with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
        line.sendall(head("Content-Length: 1000"))
        began = time.monotonic()
        line.settimeout(0.1)
        answered = b""
        while not answered and time.monotonic() - began < 4:
            line.sendall(b".")
            with suppress(TimeoutError):
                answered = line.recv(65536)
        line.settimeout(5)
        answered += heard(line)
    assert status_of(answered) == 408
    assert json.loads(answered.partition(b"\r\n\r\n")[2])["code"] == "policy.slow"
    assert time.monotonic() - began < 5
    assert reader.n_whole == 0
