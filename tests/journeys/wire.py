"""HTTP by hand: requests as bytes, answers as they come over a socket."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, HTTPResponse

PATIENCE = 60.0  # seconds
PIECE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; `status` is 0 where the other side closed without a word."""

    status: int
    headers: Message
    body: bytes


class Line:
    """A connection to a server on this machine."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def say(self, data: bytes) -> bool:
        """Send bytes as they are; False once nobody takes them any more."""
        try:
            self._socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def hang_up(self) -> None:
        """Nothing more will be said, yet an answer is awaited."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def hear(self, method: str = "POST") -> Answer:
        """The next answer."""
        response = HTTPResponse(self._socket, method=method)
        try:
            response.begin()
            body = response.read()
        except (ConnectionResetError, HTTPException):
            return Answer(0, Message(), b"")
        return Answer(response.status, response.headers, body)

    def hear_all(self) -> bytes:
        """Everything until the other side ends the line."""
        heard = b""
        with suppress(ConnectionResetError):
            while piece := self._socket.recv(PIECE):
                heard += piece
        return heard

    def is_answered(self) -> bool:
        """Whether anything has come back, or the line has ended."""
        self._socket.setblocking(False)
        try:
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except ConnectionResetError:
            return True
        finally:
            self._socket.settimeout(PATIENCE)
        return True


def head(path: str, headers: Mapping[str, str] | list[tuple[str, str]]) -> bytes:
    """The head of a POST."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", *(f"{k}: {v}" for k, v in pairs)]
    return "\r\n".join([*lines, "", ""]).encode()


def form(
    fields: Mapping[str, str], file: bytes, *, boundary: str = "frontier", part: str = ""
) -> bytes:
    """A form with a file, as multipart/form-data.

    Args:
        part: further headers of the file's part.
    """
    named = 'Content-Disposition: form-data; name="{}"'
    parts = [
        f"--{boundary}\r\n{named.format(name)}\r\n\r\n{value}\r\n".encode()
        for name, value in fields.items()
    ]
    about = f'{named.format("file")}; filename="answers.json"\r\n{part}'
    parts.append(f"--{boundary}\r\n{about}\r\n".encode() + file + b"\r\n")
    return b"".join(parts) + f"--{boundary}--\r\n".encode()
