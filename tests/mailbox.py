"""A mail server for tests: keeps what it gets; addresses at refused.example it refuses."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Mailbox(socketserver.ThreadingTCPServer):
    """Listens on a free port; `received` holds the messages, heads and all."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        self.received: list[str] = []
        super().__init__(("127.0.0.1", 0), _Talk)

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Talk(socketserver.StreamRequestHandler):
    server: Mailbox

    def handle(self) -> None:
        self.say("220 mailbox")
        while line := self.rfile.readline().decode().strip():
            match line.split(":")[0].upper():
                case "DATA":
                    self.say("354 go on")
                    lines = iter(self.rfile.readline, b".\r\n")
                    self.server.received.append(b"".join(lines).decode())
                    self.say("250 kept")
                case "QUIT":
                    self.say("221 bye")
                    return
                case "RCPT TO" if "refused.example" in line:
                    self.say("550 nobody here")
                case _:
                    self.say("250 fine")

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def running_mailbox() -> Iterator[Mailbox]:
    """A mailbox that answers while the block runs."""
    with Mailbox() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
