"""A whole site on one machine: its folders, its processes, and who is told what.

Each process gets the settings of its role and no more: the board knows one address,
the portal cannot find the truth, the worker can.
"""

from __future__ import annotations

import os
import secrets
import shlex
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

import httpx

from infra import processes
from infra.processes import Child, StartFailed, free_port
from infra.services import OWNER_URL, Services, running_services

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_PORT = 8000
OWNERS_ONLY = frozenset({OWNER_URL, "PLUMBLINE_APPLICATION_PASSWORD"})  # serving needs neither
MAINTAIN_FILE = "maintain.env"  # `. demo-data/maintain.env`, then manage.py reaches the site
EVERYWHERE = frozenset({"0.0.0.0", "::"})  # listening on all addresses of the machine
APPLICATIONS_STOP_WITHIN = 1.0  # seconds; with the services it stays below three

Role = Literal["web", "scoring", "maintain", "housekeeping"]
STORES_OF: Mapping[Role, tuple[str, ...]] = {
    "web": ("UPLOADS", "QUESTIONS"),
    "maintain": ("UPLOADS", "QUESTIONS", "TRUTH"),
    "scoring": ("UPLOADS", "QUESTIONS", "TRUTH", "OUTCOMES"),
    "housekeeping": ("UPLOADS",),
}
# Settings of the portal; the rest of the environment (PATH, locale, AWS keys) is passed on.
OURS = ("PLUMBLINE_", "DATABASE_URL", "BROKER_URL", "DJANGO_SETTINGS_MODULE", "PYTHONPATH")


class ProcessDied(RuntimeError):
    """A part of the site ended by itself; the message says which log to read."""


@dataclass(frozen=True, slots=True)
class Site:
    """A running site.

    Attributes:
        folder: everything it keeps.
        address: of the one origin, as people open it.
        children: its processes, services first.
    """

    folder: Path
    address: str
    services: Services
    children: list[Child]

    def environment(self, role: Role) -> dict[str, str]:
        """What a process of that role is told."""
        return _environment(self.folder, self.services, self.address, role)

    def run(self, name: str, *arguments: str, role: Role = "maintain") -> None:
        """Run one Python command of the project to its end, its output in the logs.

        Raises:
            StartFailed: it failed; the message holds the end of its log.
        """
        _run(self.folder, name, arguments, self.environment(role))

    def watch_once(self) -> None:
        """Raises ProcessDied if a process has ended."""
        for child in self.children:
            if not child.is_alive:
                raise ProcessDied(
                    f"{child.name} {child.ending}, so everything was stopped.\n"
                    f"Read {child.log}, which ends with:\n{child.log_tail()}"
                )

    def watch(self) -> None:
        """Wait until a process ends by itself, then raise ProcessDied."""
        while True:
            self.watch_once()
            time.sleep(0.2)


@contextmanager
def running_site(
    folder: Path, *, host: str, port: int, is_durable: bool = True, with_board: bool = True
) -> Iterator[Site]:
    """Everything up and answering while the block runs; everything gone afterwards.

    Args:
        folder: holds database, stores, keys and logs; made where absent.
        host: where to listen.
        port: a free port.
        is_durable: False where the folder is thrown away afterwards.
        with_board: False where nobody looks at boards; `/board/` is then not served.

    Raises:
        StartFailed: a part did not start or never answered.
    """
    folder = folder.resolve()
    logs = folder / "logs"
    for part in (logs, folder / "static"):
        part.mkdir(parents=True, exist_ok=True)
    for old in logs.glob("*.log"):
        old.unlink()
    address = os.environ.get("PLUMBLINE_BASE_URL") or f"http://{_shown(host)}:{port}"
    with ExitStack() as stack:
        services = stack.enter_context(running_services(folder, logs=logs, is_durable=is_durable))
        children: list[Child] = []
        stack.callback(lambda: processes.stop(children, within=APPLICATIONS_STOP_WITHIN))
        site = Site(folder, address, services, [])
        _keep_environment(folder / MAINTAIN_FILE, site.environment("maintain"))
        site.run("migrate", "-m", "infra.migrate", *_application_role(services))
        board_port = free_port()
        inside = f"http://{'127.0.0.1' if host in EVERYWHERE else _shown(host)}:{port}"
        web = {
            **site.environment("web"),
            "PLUMBLINE_BOARD_URL": f"http://127.0.0.1:{board_port}",
        }
        parts = [
            ("portal", _portal(host, port), web),
            ("worker", _worker(), site.environment("scoring")),
            ("housekeeping", ("-m", "worker.housekeeping"), site.environment("housekeeping")),
        ]
        if with_board:
            board = (_board(board_port, inside), _board_environment(inside, address))
            parts.append(("board", *board))
        for name, arguments, environment in parts:
            children.append(
                processes.start(
                    name,
                    [sys.executable, *arguments],
                    log=logs / f"{name}.log",
                    environment=environment,
                    folder=ROOT,
                )
            )
        ready = [("portal", f"{inside}/api/v1/health", 60), ("board", f"{inside}/board/", 90)]
        for name, url, seconds in ready:
            for child in children:
                if child.name == name:
                    _wait_for(child, url, seconds)
        site.children.extend([*services.children, *children])
        site.watch_once()
        yield site


def is_free(host: str, port: int) -> bool:
    """Whether one could listen there."""
    try:
        socket.create_server((host, port)).close()
    except OSError:
        return False
    return True


def _application_role(services: Services) -> tuple[str, ...]:
    """The role that wants rights: none where one role both owns and serves."""
    if services.database_url == services.owner_database_url:
        return ()
    role = unquote(urlsplit(services.database_url).username or "")
    if not role:
        raise StartFailed(f"DATABASE_URL names no role, so that of {OWNER_URL} can give it none.")
    return ("--application-role", role)


def _portal(host: str, port: int) -> tuple[str, ...]:
    listening = ("--host", host, "--port", str(port), "--timeout-graceful-shutdown", "1")
    # h11 bounds the size of a request's head and is strict about framing. The rest is named so
    # that a library which a developer has beside it changes nothing.
    kinds = ("--http", "h11", "--loop", "asyncio", "--ws", "none")
    manners = ("--no-access-log", "--no-server-header", "--log-level", "warning")
    return ("-m", "uvicorn", "infra.gateway:application", *listening, *kinds, *manners)


def _worker() -> tuple[str, ...]:
    n_children = os.environ.get("PLUMBLINE_WORKERS") or str(min(4, os.cpu_count() or 1))
    return ("-m", "worker", "-c", n_children)


def _board(port: int, api: str) -> tuple[str, ...]:
    where = ("--port", str(port), "--root-path", "/board", "--api", api)
    return ("-m", "frontend_gradio", *where)


def _board_environment(api: str, address: str) -> dict[str, str]:
    return {**_inherited(), "PLUMBLINE_API_URL": api, "PLUMBLINE_PUBLIC_URL": address}


def _environment(folder: Path, services: Services, address: str, role: Role) -> dict[str, str]:
    configured = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PLUMBLINE_")
        and not name.startswith("PLUMBLINE_STORE_")
        and name not in OWNERS_ONLY
    }
    hosts = configured.get("PLUMBLINE_ALLOWED_HOSTS")
    stores = {f"PLUMBLINE_STORE_{name}": _store(folder, name) for name in STORES_OF[role]}
    return {
        **_inherited(),
        "DJANGO_SETTINGS_MODULE": "portal.settings.development",
        "PLUMBLINE_SECRET_KEY": _secret_key(folder),
        "PLUMBLINE_BASE_URL": address,
        "PLUMBLINE_STATIC_ROOT": str(folder / "static"),
        **configured,
        # The board, and whoever asks whether the site is up, come from this machine.
        "PLUMBLINE_ALLOWED_HOSTS": ",".join(
            filter(None, (hosts, _name_of(address), "localhost,127.0.0.1,[::1]"))
        ),
        "DATABASE_URL": (
            services.owner_database_url if role == "maintain" else services.database_url
        ),
        "BROKER_URL": services.broker_url,
        "PLUMBLINE_ROLE": role,
        **stores,
    }


def _keep_environment(file: Path, environment: Mapping[str, str]) -> None:
    """Write what `manage.py` must be told, for a shell to read, for the owner's eyes only."""
    lines = [
        f"export {name}={shlex.quote(value)}\n"
        for name, value in sorted(environment.items())
        if name.startswith(OURS)
    ]
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write("".join(lines))


def _inherited() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {**kept, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "platform")))}


def _store(folder: Path, name: str) -> str:
    configured = os.environ.get(f"PLUMBLINE_STORE_{name}")
    return configured or f"folder:{folder / 'stores' / name.lower()}"


def _secret_key(folder: Path) -> str:
    return kept_secret(folder / "secret-key", n_bytes=48)


def kept_secret(file: Path, *, n_bytes: int) -> str:
    """A random word that stays the same for this folder, readable by its owner only."""
    try:
        return file.read_text().strip()
    except FileNotFoundError:
        word = secrets.token_urlsafe(n_bytes)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(word + "\n")
        return word


def _shown(host: str) -> str:
    if host in EVERYWHERE:
        return "localhost"
    return f"[{host}]" if ":" in host else host


def _name_of(address: str) -> str:
    """The host as people write it in the address: a site answers to its own name."""
    name = urlsplit(address).hostname or ""
    return f"[{name}]" if ":" in name else name


def _wait_for(child: Child, url: str, seconds: float) -> None:
    processes.wait_until(
        lambda: _answers(url), child=child, within=seconds, what=f"the {child.name}"
    )


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5, trust_env=False, follow_redirects=True).is_success
    except httpx.HTTPError:
        return False


def _run(folder: Path, name: str, arguments: tuple[str, ...], environment: dict[str, str]) -> None:
    log = folder / "logs" / f"{name}.log"
    child = processes.start(
        name, [sys.executable, *arguments], log=log, environment=environment, folder=ROOT
    )
    try:
        child.process.wait()
    finally:
        child.kill()
    if child.process.returncode != 0:
        raise StartFailed(f"{name} {child.ending}; {log} ends with:\n{child.log_tail(30)}")
