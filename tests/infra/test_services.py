"""Database and broker from wheels: they start anywhere, heal, and leave nothing."""

from __future__ import annotations

import os
import pwd
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from infra import postgres, processes
from infra.broker import EmbeddedBroker
from infra.postgres import EmbeddedPostgres
from infra.processes import StartFailed
from infra.services import running_services

ROOT = Path(__file__).resolve().parents[2]
NOBODY = pwd.getpwnam("nobody")


@pytest.fixture
def server(tmp_path: Path) -> EmbeddedPostgres:
    return EmbeddedPostgres(tmp_path / "postgres", log=tmp_path / "log", is_durable=False)


@pytest.fixture(autouse=True)
def _unconfigured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "PLUMBLINE_OWNER_DATABASE_URL", "BROKER_URL"):
        monkeypatch.delenv(name, raising=False)


def ask(url: str, question: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(question.encode()).fetchone()
    assert row is not None
    return row[0]


def test_both_answer_and_are_gone_afterwards(tmp_path: Path) -> None:
    with running_services(tmp_path / "data", logs=tmp_path / "logs") as services:
        assert ask(services.database_url, "SELECT current_user") == "plumbline_app"
        assert ask(services.owner_database_url, "SELECT current_user") == "plumbline"
        pids = [child.process.pid for child in services.children]
        assert len(pids) == 2
        ours = services
    for pid in pids:
        assert not members(pid)
    with pytest.raises(psycopg.OperationalError):
        ask(ours.database_url, "SELECT 1")


def test_configured_servers_are_used_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db.example/site")
    monkeypatch.setenv("BROKER_URL", "redis://broker.example/0")
    with running_services(tmp_path / "data", logs=tmp_path / "logs") as services:
        assert services.database_url == "postgresql://db.example/site"
        assert services.owner_database_url == services.database_url
        assert services.broker_url == "redis://broker.example/0"
        assert services.children == []
        monkeypatch.setenv("PLUMBLINE_OWNER_DATABASE_URL", "postgresql://owner@db.example/site")
    with running_services(tmp_path / "data", logs=tmp_path / "logs") as services:
        assert services.database_url == "postgresql://db.example/site"
        assert services.owner_database_url == "postgresql://owner@db.example/site"
    assert not (tmp_path / "data").exists()


def test_data_outlives_a_restart_and_listens_to_no_network(server: EmbeddedPostgres) -> None:
    server.start()
    with psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS it")
    assert ask(server.url, "SHOW listen_addresses") == ""
    server.stop()
    server.start()
    assert ask(server.url, "SELECT it FROM kept") == 7
    server.stop()


def test_a_killed_server_starts_again(server: EmbeddedPostgres) -> None:
    child = server.start()
    child.kill()
    server.start()
    assert ask(server.url, "SELECT 1") == 1
    server.stop()


def test_a_stale_note_with_the_number_of_a_stranger_is_forgotten(server: EmbeddedPostgres) -> None:
    child = server.start()
    note = server.folder / "cluster" / "postmaster.pid"
    lines = note.read_text().splitlines()
    child.kill()
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    note.write_text("\n".join([str(stranger.pid), *lines[1:], ""]))
    try:
        server.start()
        assert stranger.poll() is None
        server.stop()
    finally:
        stranger.kill()
        stranger.wait()


def test_a_half_made_cluster_is_made_again(server: EmbeddedPostgres) -> None:
    half = server.folder / "cluster.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    server.start()
    server.stop()


def test_a_cluster_of_another_version_is_refused_with_its_numbers(
    server: EmbeddedPostgres,
) -> None:
    server.start()
    server.stop()
    (server.folder / "cluster" / "PG_VERSION").write_text("9\n")
    with pytest.raises(StartFailed, match="made by PostgreSQL 9"):
        server.start()


def test_a_long_path_moves_the_socket_elsewhere_for_a_while(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a-rather-long-name"] * 6)
    server = EmbeddedPostgres(deep / "postgres", log=tmp_path / "log", is_durable=False)
    broker = EmbeddedBroker(deep / "broker", log=tmp_path / "broker.log")
    server.start()
    broker.start()
    elsewhere = Path(broker.url.removeprefix("redis+socket://")).parent
    assert deep not in elsewhere.parents
    assert ask(server.url, "SELECT 1") == 1
    server.stop()
    broker.stop()
    assert not elsewhere.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root lends PostgreSQL an account")
def test_root_starts_it_below_a_folder_closed_to_others(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    server = EmbeddedPostgres(closed / "postgres", log=tmp_path / "log", is_durable=False)
    server.start()
    assert ask(server.url, "SELECT 1") == 1
    assert server.child is not None
    owner = Path(f"/proc/{server.child.process.pid}").stat().st_uid
    assert owner != 0
    server.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_root_starts_programs_that_lie_below_a_closed_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a clone below `mktemp -d`."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "installation").symlink_to(postgres.find_programs().parent)
    monkeypatch.setenv("PLUMBLINE_POSTGRES_BIN", str(closed / "installation" / "bin"))
    server = EmbeddedPostgres(tmp_path / "postgres", log=tmp_path / "log", is_durable=False)
    server.start()
    assert ask(server.url, "SELECT 1") == 1
    server.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_plain_user_starts_both(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    os.chown(shared, NOBODY.pw_uid, NOBODY.pw_gid)
    program = (
        "import pathlib, sys; sys.path.insert(0, sys.argv[1])\n"
        "from infra.services import running_services\n"
        "folder = pathlib.Path(sys.argv[2])\n"
        "with running_services(folder, logs=folder) as services:\n"
        "    print(len(services.children))\n"
    )
    # The right to pass folders of root, where this Python may lie; the user stays a plain one.
    ids = [f"--reuid={NOBODY.pw_uid}", f"--regid={NOBODY.pw_gid}", "--clear-groups"]
    rights = [
        "--inh-caps=+dac_override",
        "--ambient-caps=+dac_override",
        "--securebits=+no_setuid_fixup",
    ]
    done = subprocess.run(
        ["setpriv", *ids, *rights, "--", sys.executable, "-c", program, str(ROOT), str(shared)],
        cwd="/",
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.returncode) == ("2", 0), done.stderr
    assert (shared / "postgres" / "cluster").stat().st_uid == NOBODY.pw_uid


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLUMBLINE_POSTGRES_BIN", str(tmp_path))
    with pytest.raises(StartFailed, match="package postgresql, or set DATABASE_URL"):
        postgres.find_programs()


def test_a_server_that_cannot_start_says_where_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("initdb", "postgres"):
        program = programs / name
        program.write_text('#!/bin/sh\n[ "$1" = --version ] || { echo "no luck"; exit 3; }\n')
        program.chmod(0o755)
    monkeypatch.setenv("PLUMBLINE_POSTGRES_BIN", str(programs))
    with pytest.raises(StartFailed, match=r"initdb ended with status 3(.|\n)*no luck"):
        EmbeddedPostgres(tmp_path / "postgres", log=tmp_path / "log").start()


@pytest.mark.skipif(sys.platform != "linux", reason="the death of a parent is told on Linux only")
def test_servers_end_with_a_killed_parent(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from infra.services import running_services\n"
        "folder = pathlib.Path(sys.argv[2])\n"
        "with running_services(folder, logs=folder) as services:\n"
        "    print(*(child.process.pid for child in services.children), flush=True)\n"
        "    time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(ROOT), str(tmp_path / "data")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert processes.poll(lambda: not any(map(is_running, pids)), within=5)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_stopping_takes_no_longer_than_said(tmp_path: Path) -> None:
    deaf = processes.start(
        "deaf",
        ["sh", "-c", "trap '' TERM; sleep 60 & sleep 60"],
        log=tmp_path / "log",
        environment=dict(os.environ),
    )
    time.sleep(0.2)
    began = time.monotonic()
    processes.stop([deaf], within=0.5)
    assert time.monotonic() - began < 1.5
    assert processes.poll(lambda: not members(deaf.process.pid), within=2)


def members(group: int) -> list[int]:
    """The living processes of a group."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            state, _, pgid = stat.read_text().rpartition(")")[2].split()[:3]
            if int(pgid) == group and state != "Z":
                found.append(int(stat.parent.name))
    return found


def test_the_broker_answers_on_its_socket_alone(tmp_path: Path) -> None:
    broker = EmbeddedBroker(tmp_path, log=tmp_path / "log")
    broker.start()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(broker.url.removeprefix("redis+socket://"))
        line.sendall(b"CONFIG GET port\r\n")
        assert b"\r\n0\r\n" in line.recv(256)
    broker.stop()
