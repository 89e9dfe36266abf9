"""One command brings a site up; one signal, or one death, takes all of it down."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from infra import processes
from infra.claim import AlreadyRunning, claimed
from infra.processes import free_port

ROOT = Path(__file__).resolve().parents[2]
PARTS = {"postgres", "broker", "portal", "worker", "housekeeping", "board"}


def kept_environment() -> dict[str, str]:
    """This process's environment without what the test settings put there."""
    ours = ("PLUMBLINE_", "DATABASE_URL", "BROKER_URL", "DJANGO_SETTINGS_MODULE")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


@dataclass(slots=True)
class Running:
    process: subprocess.Popen[str]
    folder: Path
    port: int
    address: str = ""

    def wait_for_address(self) -> None:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "Plumbline is at http://" in line, line + self.errors()
        self.address = line.split()[3]

    def errors(self) -> str:
        if self.process.poll() is None:
            return ""
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def children(self) -> dict[str, int]:
        """The processes of the site by name: children of the supervisor."""
        found = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                state, parent = stat.read_text().rpartition(")")[2].split()[:2]
                if int(parent) == self.process.pid and state != "Z":
                    words = (stat.parent / "cmdline").read_text().replace("\0", " ")
                    found[name_of(words)] = int(stat.parent.name)
        return found


def name_of(command: str) -> str:
    for sign, name in (
        ("infra.gateway", "portal"),
        ("-m worker ", "worker"),
        ("worker.housekeeping", "housekeeping"),
        ("frontend_gradio", "board"),
        ("bin/postgres", "postgres"),
        ("unixsocket", "broker"),
        ("valkey-server", "broker"),
        ("redis-server", "broker"),
    ):
        if sign in command:
            return name
    return command


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def everything_below(pids: set[int]) -> set[int]:
    """The processes and all that descend from them."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    while more := {pid for pid, parent in parents.items() if parent in pids} - pids:
        pids = pids | more
    return pids


@contextmanager
def up(folder: Path) -> Iterator[Running]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "infra.up", "--data", str(folder), "--port", str(port)],
        cwd=ROOT,
        env={**kept_environment(), "PLUMBLINE_WORKERS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    running = Running(process, folder, port)
    try:
        yield running
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=30)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def environment_of(pid: int) -> dict[str, str]:
    pairs = Path(f"/proc/{pid}/environ").read_text().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


@pytest.mark.journey
@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_a_site_lives_and_ends_as_one(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with up(folder) as site:
        site.wait_for_address()
        check_one_origin(site)
        check_keys(site)
        check_second_start_is_refused(site)
        everybody = everything_below(set(site.children().values()))
        began = time.monotonic()
        site.process.terminate()
        assert site.process.wait(timeout=20) == 0
        # Three seconds on a machine that has time for us; others may be using this one.
        crowd = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
        assert time.monotonic() - began < 3.0 * crowd
        assert not [pid for pid in everybody if is_alive(pid)]
    assert not list(folder.glob("**/postmaster.pid")) and not list(folder.glob("**/*.sock"))

    # The supervisor itself is killed: nobody stays, and the next one starts on the same folder.
    with up(folder) as site:
        site.wait_for_address()
        everybody = everything_below(set(site.children().values()))
        site.process.kill()
        site.process.wait()
        assert processes.poll(lambda: not any(map(is_alive, everybody)), within=5)
    with up(folder) as site:
        site.wait_for_address()
        os.kill(site.children()["worker"], signal.SIGKILL)
        assert site.process.wait(timeout=20) == 1
        errors = site.errors()
        assert "worker was stopped by SIGKILL, so everything was stopped" in errors
        assert f"Read {folder}/logs/worker.log" in errors


def check_one_origin(site: Running) -> None:
    with httpx.Client(base_url=site.address, trust_env=False, timeout=20) as reader:
        assert set(site.children()) == PARTS
        assert reader.get("/").headers["location"] == "/board/"
        board = reader.get("/board/", headers={"Cookie": "sessionid=x"})
        assert board.status_code == 200 and "set-cookie" not in board.headers
        assert reader.get("/api/v1/health").json()["status"] == "ok"
        assert reader.get("/submit/", follow_redirects=True).status_code == 200
        assert reader.get("/board/gradio_api/upload").status_code == 404
        assert reader.get("/static/site/look.css").status_code == 200
        host = {"Host": "evil.example"}
        assert reader.get("/board/", headers=host).status_code == 400
        assert reader.get("/api/v1/benchmarks", headers=host).status_code == 400


def check_keys(site: Running) -> None:
    """Each process was told what its role needs, and nothing else."""
    children = site.children()
    portal = environment_of(children["portal"])
    assert portal["PLUMBLINE_ROLE"] == "web"
    assert not {"PLUMBLINE_STORE_TRUTH", "PLUMBLINE_STORE_OUTCOMES"} & set(portal)
    board = environment_of(children["board"])
    secrets = {"PLUMBLINE_SECRET_KEY", "DATABASE_URL", "BROKER_URL"}
    assert not secrets & set(board)
    assert not [name for name in board if name.startswith("PLUMBLINE_STORE")]
    assert "PLUMBLINE_STORE_TRUTH" in environment_of(children["worker"])
    for name in ("portal", "worker", "housekeeping"):
        assert environment_of(children[name])["DATABASE_URL"].startswith(
            "postgresql://plumbline_app@"
        )
    kept = (site.folder / "maintain.env").read_text()
    assert "DATABASE_URL='postgresql://plumbline@" in kept
    assert (site.folder / "secret-key").stat().st_mode & 0o777 == 0o600


def check_second_start_is_refused(site: Running) -> None:
    with up(site.folder) as second:
        assert second.process.wait(timeout=20) == 1
        assert f"already running at {site.address} (process {site.process.pid})" in second.errors()


def test_a_stale_lock_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "supervisor.lock").write_text(json.dumps({"pid": 1, "address": "http://gone"}))
    with claimed(tmp_path) as claim:
        claim.note_address("http://localhost:8000")
        refusal = pytest.raises(AlreadyRunning, match=r"http://localhost:8000 \(process \d+\)")
        with refusal, claimed(tmp_path):
            pytest.fail("the folder was given twice")
    with claimed(tmp_path):
        pass


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as line:
        port = line.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "infra.up", "--data", str(tmp_path), "--port", str(port)],
            cwd=ROOT,
            env=kept_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert f"Port {port} is in use" in done.stderr


def test_a_check_that_cannot_start_says_why_and_leaves_nothing(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    empty = {"PLUMBLINE_POSTGRES_BIN": str(tmp_path), "TMPDIR": str(temporary)}
    done = subprocess.run(
        [sys.executable, "-m", "infra.demo", "--check"],
        cwd=ROOT,
        env={**kept_environment(), **empty},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no PostgreSQL found" in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(temporary.iterdir()) == []
