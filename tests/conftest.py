"""Real PostgreSQL, a real broker, real worker processes.

`DATABASE_URL` and `BROKER_URL` name servers to use; without them the tests start
their own. Every test has stores of its own in a temporary folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from django.conf import settings as django_settings
from django.db import connection, connections

from infra.object_store import EmbeddedObjectStore
from infra.processes import free_port
from portal import environment, services
from portal.exchange import queue, storage
from tests.fault_proxy import FaultProxy, fault_proxy
from tests.servers import Broker, postgresql, s3_server

ROOT = Path(__file__).resolve().parent.parent
KEPT = ("PATH", "HOME", "LANG", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")  # of our own
NOWHERE = "127.0.0.1:1/"  # what portal.settings.testing fills in
APPLICATION_ROLE = "plumbline_tested"  # what worker and web processes of the tests connect as
APPLICATION_PASSWORD = "of-the-tests"


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    """The URL of a server on which the tests may create databases and roles."""
    given = os.environ["DATABASE_URL"]
    if NOWHERE not in given:
        yield given
        return
    with postgresql() as url:
        yield url


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    postgresql_url: str, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """Point Django at the server before it creates the test database."""
    where = environment.postgresql(postgresql_url, session_options=django_settings.SESSION_OPTIONS)
    connections["default"].settings_dict.update(where)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The migrated test database with its application role.

    Its event table may be emptied between tests.
    """
    with django_db_blocker.unblock():
        services.grant_application_role(
            role=APPLICATION_ROLE, password=APPLICATION_PASSWORD, may_create=True
        )
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE evaluations_event DISABLE TRIGGER event_table_stays")
    yield
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(f"DROP OWNED BY {APPLICATION_ROLE}")
        cursor.execute(f"DROP ROLE {APPLICATION_ROLE}")


@pytest.fixture(scope="session")
def broker_server() -> Iterator[Broker]:
    """A broker of our own, which a test may kill and must leave running."""
    server = Broker()
    server.start()
    yield server
    server.close()


@pytest.fixture
def broker(request: pytest.FixtureRequest) -> Iterator[str]:
    """The broker's URL; letters posted in this process go there. Empty at the start."""
    given = os.environ["BROKER_URL"]
    url = given if NOWHERE not in given else request.getfixturevalue("broker_server").url
    before, queue.app.conf.broker_url = queue.app.conf.broker_url, url
    with queue.app.connection_for_write() as bell:
        for name in queue.QUEUES:
            bell.default_channel.queue_declare(queue=name)
            bell.default_channel.queue_purge(name)
    yield url
    queue.app.conf.broker_url = before


@pytest.fixture(scope="session")
def object_store_server() -> Iterator[EmbeddedObjectStore]:
    """An S3 server of our own, which a test may kill and must leave running."""
    with s3_server() as server:
        yield server


@pytest.fixture
def object_store(
    object_store_server: EmbeddedObjectStore, monkeypatch: pytest.MonkeyPatch
) -> EmbeddedObjectStore:
    """The S3 server, whose keys this process holds meanwhile."""
    for name, value in object_store_server.environment.items():
        monkeypatch.setenv(name, value)
    return object_store_server


@dataclass(frozen=True, slots=True)
class Stores:
    """The four stores of one test, as folders.

    Attributes:
        uploads: the address of a bucket for the uploads, where a test wants one.
    """

    folder: Path
    uploads: str = ""

    def urls(self, role: storage.Role) -> dict[storage.StoreName, str]:
        """What a process of that role is given: no more than it needs."""
        urls = {name: f"folder:{self.folder / name}" for name in storage.NEEDED[role]}
        return {**urls, "uploads": self.uploads} if self.uploads else urls

    @contextmanager
    def acting_as(self, role: storage.Role) -> Iterator[None]:
        """This process holds the keys of `role` for a while."""
        before = storage.use(storage.Keys(role=role, urls=self.urls(role)))
        try:
            yield
        finally:
            storage.use(before)


@pytest.fixture(autouse=True)
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Empty stores; the test itself acts as the web process."""
    stores = Stores(tmp_path_factory.mktemp("stores"))
    with stores.acting_as("web"):
        yield stores


@pytest.fixture
def proxy(object_store: EmbeddedObjectStore) -> Iterator[FaultProxy]:
    """What stands before the object store and lets requests go wrong."""
    with fault_proxy(object_store.endpoint) as proxy:
        yield proxy


@pytest.fixture
def stores_in_a_bucket(
    tmp_path_factory: pytest.TempPathFactory, object_store: EmbeddedObjectStore, proxy: FaultProxy
) -> Iterator[Stores]:
    """Stores of one test whose uploads lie in a bucket, behind the proxy."""
    bucket = object_store.store_url(uuid4().hex, endpoint=proxy.url)
    stores = Stores(tmp_path_factory.mktemp("stores"), uploads=bucket)
    with stores.acting_as("web"):
        yield stores


@dataclass(slots=True)
class Process:
    """A process that a test started, with everything it printed."""

    popen: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        return self.popen.pid

    def kill(self) -> None:
        """kill -9 of the process and all its children at once."""
        os.killpg(self.pid, signal.SIGKILL)
        self.popen.wait()

    def stop(self) -> None:
        """Gone, with its children; a worker is built to be killed."""
        if self.popen.poll() is None:
            self.kill()


Start = Callable[..., Process]


def database_url(role: storage.Role = "web") -> str:
    """The URL of the test database for other processes, as the role of theirs that it knows.

    What serves the site is the application's role, what maintains it the owner.
    """
    where = connection.settings_dict
    name, host = where["NAME"], where["HOST"]
    user, password = APPLICATION_ROLE, APPLICATION_PASSWORD
    if role == "maintain":
        user, password = where["USER"], where["PASSWORD"]
    who = f"{user}:{password}" if password else user
    if host.startswith("/"):
        return f"postgresql://{who}@/{name}?host={host}"
    return f"postgresql://{who}@{host}:{where['PORT'] or 5432}/{name}"


@pytest.fixture
def process_environment(
    transactional_db: None, broker: str, stores: Stores
) -> Callable[[storage.Role], dict[str, str]]:
    """(role) -> the environment of a process of this test's site."""

    def environment_of(role: storage.Role) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return {
            **kept,
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "platform"))),
            "DJANGO_SETTINGS_MODULE": "portal.settings.testing",
            "PLUMBLINE_SECRET_KEY": django_settings.SECRET_KEY,
            "DATABASE_URL": database_url(role),
            "BROKER_URL": broker,
            "PLUMBLINE_LEASE_SECONDS": "3",
            "PLUMBLINE_ROLE": role,
            **{f"PLUMBLINE_STORE_{n.upper()}": url for n, url in stores.urls(role).items()},
        }

    return environment_of


@pytest.fixture
def start_process(
    process_environment: Callable[[storage.Role], dict[str, str]],
) -> Iterator[Start]:
    """(role, command, extra environment) -> a running process, stopped after the test."""
    processes: list[Process] = []
    logs = Path(tempfile.mkdtemp(prefix="plumbline-logs-"))

    def start(role: storage.Role, *command: str, extra: Mapping[str, str] | None = None) -> Process:
        log = logs / f"{len(processes)}.log"
        with log.open("wb") as output:
            popen = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=ROOT,
                env={**process_environment(role), **(extra or {})},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        processes.append(Process(popen, log))
        return processes[-1]

    yield start
    for process in processes:
        process.stop()
        sys.stdout.write(process.log.read_text(errors="replace"))
    shutil.rmtree(logs)


@pytest.fixture
def start_worker(start_process: Start) -> Callable[..., Process]:
    """(extra environment) -> a worker process with one pool child."""

    def start(extra: Mapping[str, str] | None = None) -> Process:
        command = "celery -A worker.app worker -c 1 -Q score,large,maintenance -l INFO"
        alone = "--without-mingle --without-gossip --without-heartbeat"
        return start_process("scoring", *command.split(), *alone.split(), extra=extra)

    return start


@pytest.fixture
def start_web(start_process: Start) -> Callable[..., str]:
    """(extra environment) -> the address of a gateway process that answers; without a board."""

    def start(extra: Mapping[str, str] | None = None) -> str:
        port = free_port()
        listening = f"--host 127.0.0.1 --port {port} --http h11 --log-level warning"
        start_process(
            "web", "uvicorn", "infra.gateway:application", *listening.split(), extra=extra
        )
        address = f"http://127.0.0.1:{port}"

        def answers() -> bool:
            try:
                return httpx.get(f"{address}/api/v1/health", trust_env=False).is_success
            except httpx.TransportError:
                return False

        wait_until(answers)
        return address

    return start


def wait_until(condition: Callable[[], Any], seconds: float = 60.0, step: float = 0.05) -> Any:
    """The first true value of `condition`; fails the test after `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(step)
    pytest.fail(f"not within {seconds} s: {getattr(condition, '__name__', condition)}")
