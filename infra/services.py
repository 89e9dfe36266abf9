"""The database and the broker that everything here runs on.

Configured servers (`DATABASE_URL`, `BROKER_URL`) are used as they are; what is not
configured is started in a folder and ends with the caller. The demo and the tests share this.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.broker import EmbeddedBroker
from infra.postgres import EmbeddedPostgres
from infra.processes import Child

OWNER_URL = "PLUMBLINE_OWNER_DATABASE_URL"


@dataclass(frozen=True, slots=True)
class Services:
    """Where the two are, and the servers that were started for them.

    Attributes:
        database_url: as web, workers and housekeeping connect.
        owner_database_url: as migrations and maintainers' commands do; the same where
            only one is configured.
    """

    database_url: str
    owner_database_url: str
    broker_url: str
    postgres: EmbeddedPostgres | None
    broker: EmbeddedBroker | None

    @property
    def children(self) -> list[Child]:
        """The running processes of ours, for whoever watches them."""
        servers = (self.postgres, self.broker)
        return [server.child for server in servers if server is not None and server.child]


@contextmanager
def running_services(folder: Path, *, logs: Path, is_durable: bool = True) -> Iterator[Services]:
    """Database and broker for as long as the block runs.

    Args:
        folder: data of what is started here; made where absent.
        logs: a folder for `postgres.log` and `broker.log`.
        is_durable: False for throw-away data, which then need not reach the disk.

    Raises:
        StartFailed: a server did not start; the message holds the end of its log.
    """
    database_url = os.environ.get("DATABASE_URL", "")
    owner_url = os.environ.get(OWNER_URL, "") or database_url
    broker_url = os.environ.get("BROKER_URL", "")
    postgres = broker = None
    with ExitStack() as stack:
        if not database_url:
            postgres = EmbeddedPostgres(
                folder / "postgres", log=logs / "postgres.log", is_durable=is_durable
            )
            stack.callback(postgres.stop, within=1.2)
            postgres.start()
            database_url, owner_url = postgres.application_url, postgres.url
        if not broker_url:
            broker = EmbeddedBroker(folder / "broker", log=logs / "broker.log")
            stack.callback(broker.stop, within=0.3)
            broker.start()
            broker_url = broker.url
        yield Services(database_url, owner_url, broker_url, postgres, broker)
