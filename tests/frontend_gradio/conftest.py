"""The board as a process of its own, over an API that holds a made-up board."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.frontend_gradio.fixture_api import serving

ROOT = Path(__file__).resolve().parents[2]
READY_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Board:
    """A running board: its address, and the headers of what it asked the API."""

    url: str
    asked: list[dict[str, str]]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def board_process(api: str, root_path: str = "/board") -> Iterator[str]:
    """The address under which the board answers, proxy prefix included."""
    port = free_port()
    command = [sys.executable, "-m", "frontend_gradio", "--port", str(port), "--api", api]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'platform'}"}
    process = subprocess.Popen(
        [*command, "--root-path", root_path], cwd=ROOT, env=environment, start_new_session=True
    )
    try:
        _await(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}{root_path}"
    finally:
        process.terminate()
        process.wait(10)


def _await(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the board ended at its start"
        try:
            if httpx.get(address).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the board did not start in time")


@pytest.fixture(scope="session")
def board() -> Iterator[Board]:
    with serving() as (api, asked), board_process(api) as url:
        yield Board(url, asked)
