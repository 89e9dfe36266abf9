"""A real server around any ASGI application, for requests over real sockets."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import uvicorn

from infra.asgi import App

Serve = Callable[[App], int]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers on free ports; each call gives the port."""
    servers: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(app: App) -> int:
        line = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(app, http="h11", log_level="error", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [line]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        servers.append((server, thread))
        return int(line.getsockname()[1])

    yield start
    for server, _ in servers:
        server.should_exit = True
    for _, thread in servers:
        thread.join(timeout=5)
