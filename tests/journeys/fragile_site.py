"""A running site whose database, broker and disks a test may take away and give back.

The database is reached through a forwarder, which can lose the answer to a COMMIT.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import resource
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from infra.broker import EmbeddedBroker
from infra.postgres import EmbeddedPostgres
from infra.processes import Child, free_port
from infra.seed import ACCOUNT
from infra.services import OWNER_URL
from infra.site import Site, kept_secret, running_site
from plumbline.client import Client
from tests import factories
from tests.servers import paused

TRACK = factories.TRACKS[0]
_numbers = itertools.count(1)


class Forwarder:
    """Passes a unix socket on to PostgreSQL's; may cut a line when its COMMIT was carried out."""

    def __init__(self, target: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="plumbline-way-"))
        self.n_cut = 0
        self._target = target
        self._wanted = b""
        self._ends: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        place = str(self.folder / target.name)
        listening = asyncio.start_unix_server(self._pass_on, place)
        asyncio.run_coroutine_threadsafe(listening, self._loop).result(5)

    def cut_after_commit_of(self, statement: bytes) -> None:
        """Lose the answer to the next COMMIT of a transaction that holds the statement."""
        self._wanted = statement

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _end(self) -> None:
        for end in self._ends:
            end.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            await asyncio.wait(others, timeout=3)

    async def _pass_on(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        ends = {back}
        self._ends.add(back)
        is_cut = asyncio.Event()

        async def ask(onward: asyncio.StreamWriter) -> None:
            said = b""  # in this transaction
            while data := await near.read(65536):
                said = (said + data)[-262144:]
                if b"COMMIT" in data and self._wanted and self._wanted in said:
                    self._wanted = b""
                    is_cut.set()
                if b"COMMIT" in data or b"ROLLBACK" in data:
                    said = b""
                onward.write(data)

        async def answer(far: asyncio.StreamReader) -> None:
            while data := await far.read(65536):
                if is_cut.is_set():
                    self.n_cut += 1  # it was carried out, and nobody hears of it
                    return
                back.write(data)

        with suppress(OSError):
            far, onward = await asyncio.open_unix_connection(str(self._target))
            ends.add(onward)
            self._ends.add(onward)
            ways = [asyncio.create_task(ask(onward)), asyncio.create_task(answer(far))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        self._ends -= ends
        for end in ends:
            end.close()


@dataclass
class FragileSite:
    """A site, what it stands on, and a token of an account on it."""

    site: Site
    postgres: EmbeddedPostgres
    broker: EmbeddedBroker
    forwarder: Forwarder
    temporary: Path
    password: str
    token: str
    http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.http = httpx.Client(base_url=self.site.address, trust_env=False, timeout=30)

    @property
    def address(self) -> str:
        return self.site.address

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @property
    def portal(self) -> Child:
        return next(child for child in self.site.children if child.name == "portal")

    @property
    def uploads(self) -> Path:
        return self.site.folder / "stores/uploads"

    def stored_files(self) -> set[Path]:
        """All that lies in the store of uploads, whole or half."""
        return {path for path in self.uploads.rglob("*") if path.is_file()}

    def temporary_files(self) -> list[Path]:
        return [path for path in self.temporary.rglob("*") if path.is_file()]

    def ask(self, question: str) -> list[tuple[Any, ...]]:
        """What the database answers its owner, past the forwarder."""
        with psycopg.connect(self.postgres.url) as line:
            done = line.execute(question.encode())
            return done.fetchall() if done.description else []

    def n_submissions(self) -> int:
        return int(self.ask("SELECT count(*) FROM submissions_submission")[0][0])

    def submit(
        self, data: bytes | None = None, *, key: str | None = None, system: str = "Walker"
    ) -> httpx.Response:
        """The API's answer to an upload."""
        headers = {"Authorization": f"Bearer {self.token}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        return self.http.post(
            "/api/v1/submissions",
            data=fields(system),
            files={"file": ("answers.json", answers() if data is None else data)},
            headers=headers,
        )

    def state_of(self, id_: str) -> str:
        headers = {"Authorization": f"Bearer {self.token}"}
        return str(self.http.get(f"/api/v1/submissions/{id_}", headers=headers).json()["state"])

    @contextmanager
    def browser(self) -> Iterator[httpx.Client]:
        """A browser that is signed in, and asks for pages."""
        accept = {"Accept": "text/html"}
        with httpx.Client(
            base_url=self.address, trust_env=False, timeout=30, headers=accept
        ) as client:
            client.get("/account/sign-in/")
            form = {"username": ACCOUNT, "password": self.password, **csrf(client)}
            assert client.post("/account/sign-in/", data=form).status_code == 302
            yield client

    def kill_postgres(self) -> None:
        """kill -9 of the server; its sessions end with it."""
        child = self.postgres.child
        assert child is not None
        child.kill()

    def restart_postgres(self) -> None:
        self.postgres.start()

    @contextmanager
    def held(self, table: str, mode: str) -> Iterator[None]:
        """A lock of that mode on a table, which others then wait for."""
        with psycopg.connect(self.postgres.url) as line:
            line.execute(f"LOCK TABLE {table} IN {mode} MODE".encode())
            with suppress(psycopg.OperationalError):  # the server may be killed inside
                yield
                line.rollback()

    def is_waited_for(self, table: str) -> bool:
        """Whether somebody waits for a lock on the table."""
        waiting = f"FROM pg_locks WHERE NOT granted AND relation = '{table}'::regclass"
        return bool(self.ask(f"SELECT count(*) {waiting}")[0][0])

    @contextmanager
    def without_postgres(self) -> Iterator[None]:
        self.kill_postgres()
        try:
            yield
        finally:
            self.restart_postgres()

    @contextmanager
    def without_broker(self) -> Iterator[None]:
        self.broker.stop(within=0)
        try:
            yield
        finally:
            self.broker.start()

    def frozen_broker(self) -> AbstractContextManager[None]:
        """The broker takes connections and says nothing."""
        return paused(self.broker.child)

    @contextmanager
    def portal_files_of_at_most(self, n_bytes: int) -> Iterator[None]:
        """No file of the portal grows beyond that: its writes fail as on a full disk."""
        pid = self.portal.process.pid
        soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (n_bytes, hard))
        try:
            yield
        finally:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))


def fields(system: str = "Walker") -> dict[str, str]:
    return {"benchmark": "tiny-hoi@1", "track": TRACK, "system": system}


def answers(n_bytes: int = 0) -> bytes:
    """A lawful predictions file that nobody sent before, padded to at least `n_bytes`."""
    file = factories.predictions(track=TRACK) + b" " * next(_numbers)
    return file + b" " * (n_bytes - len(file))


def csrf(browser: httpx.Client) -> Mapping[str, str]:
    """The field of a form that proves that a page of the site was open."""
    return {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}


@contextmanager
def fragile_site(folder: Path) -> Iterator[FragileSite]:
    """A site in `folder` with one benchmark and one account, without a board."""
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    with ExitStack() as stack:
        # Until the site stands: it outlives its module, and others come in between.
        patch = pytest.MonkeyPatch()
        stack.callback(patch.undo)
        for name in list(os.environ):
            if name.startswith(("PLUMBLINE_", "DATABASE_URL", "BROKER_URL", "DJANGO_SETTINGS")):
                patch.delenv(name)
        # Durable: what it promised must be there after kill -9.
        postgres = EmbeddedPostgres(folder / "postgres", log=folder / "pg.log")
        stack.callback(postgres.stop, within=1.5)
        postgres.start()
        broker = EmbeddedBroker(folder / "broker", log=folder / "broker.log")
        stack.callback(broker.stop, within=0.3)
        broker.start()
        sockets = Path(postgres.url.partition("host=")[2])
        forwarder = Forwarder(sockets / ".s.PGSQL.5432")
        stack.callback(forwarder.close)
        url = postgres.application_url.partition("host=")[0] + f"host={forwarder.folder}"
        for name, value in {
            "DATABASE_URL": url,
            OWNER_URL: postgres.url,
            "BROKER_URL": broker.url,
            "PLUMBLINE_WORKERS": "1",
            "PLUMBLINE_QUOTA_PER_DAY": "0",
            "TMPDIR": str(temporary),
        }.items():
            patch.setenv(name, value)
        site = stack.enter_context(
            running_site(
                folder, host="127.0.0.1", port=free_port(), is_durable=False, with_board=False
            )
        )
        password_file = folder / "password"
        password = kept_secret(password_file, n_bytes=9)
        bundle = factories.folder(folder)
        site.run("seed", "-m", "infra.seed", "--password-file", str(password_file), str(bundle))
        with Client(site.address) as client:
            token = client.login(ACCOUNT, password, "walker")
        patch.undo()
        fragile = FragileSite(site, postgres, broker, forwarder, temporary, password, token)
        stack.callback(fragile.http.close)
        yield fragile
