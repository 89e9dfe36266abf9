"""Stored files, keyed by SHA-256, in folders or S3 buckets, opened by role.

Four stores: uploads, questions, truth, outcomes. The role of this process says
which of them it may read or write; the rest is refused here, and should be
refused by the credentials as well.
"""

from __future__ import annotations

import errno
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, Literal, Protocol

from portal import environment
from portal.exchange.direct import DirectUploads

StoreName = Literal["uploads", "questions", "truth", "outcomes"]
Role = Literal["web", "scoring", "maintain", "housekeeping"]

STORES: tuple[StoreName, ...] = ("uploads", "questions", "truth", "outcomes")

# What each role may do: r read, w write, d list and delete.
ACCESS: Mapping[Role, Mapping[StoreName, str]] = {
    "web": {"uploads": "rw", "questions": "rw", "truth": "w", "outcomes": ""},
    "maintain": {"uploads": "rw", "questions": "rw", "truth": "w", "outcomes": ""},
    "scoring": {"uploads": "r", "questions": "r", "truth": "r", "outcomes": "rw"},
    "housekeeping": {"uploads": "d", "questions": "", "truth": "", "outcomes": ""},
}
# Without these settings a process of that role does not start.
NEEDED: Mapping[Role, tuple[StoreName, ...]] = {
    "web": ("uploads", "questions"),
    "maintain": ("uploads", "questions", "truth"),
    "scoring": STORES,
    "housekeeping": ("uploads",),
}


_OUT_OF_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class StoreError(Exception):
    """Root of what the stores raise on purpose."""


class StoreDenied(StoreError):
    """This process has no business there."""


class StoreMissing(StoreError):
    """No file of that digest."""


class StoreDamaged(StoreError):
    """The bytes are not what their digest says: cut, changed or still arriving."""


class StoreUnavailable(StoreError):
    """The store cannot be reached or is full; trying again later may work."""


class StoreFull(StoreUnavailable):
    """There is no room for the file at the moment; nothing of it was kept."""


class TooManyBytes(StoreError):
    """The source went on beyond the limit; nothing was stored."""


def is_out_of_room(error: OSError) -> bool:
    """Whether a write failed because a disk, a quota or a limit on files is used up."""
    return error.errno in _OUT_OF_ROOM


def cannot_write(error: OSError) -> StoreUnavailable:
    """What a store raises where the operating system refused a write; names no path."""
    kind = StoreFull if is_out_of_room(error) else StoreUnavailable
    return kind(f"cannot write: {error.strerror}")


@dataclass(frozen=True, slots=True)
class Stored:
    """What `put` stored."""

    digest: str
    n_bytes: int


@dataclass(frozen=True, slots=True)
class OldFile:
    """A file that has lain in a store for long.

    Attributes:
        key: its digest, `direct/<id>`, or what was left of one that never arrived.
    """

    key: str
    n_bytes: int

    @property
    def is_leftover(self) -> bool:
        """Whether it never became a file of the store."""
        return self.key.startswith(".")


class Store(Protocol):
    """Files keyed by the SHA-256 (hex) of their content."""

    def put(self, source: bytes | BinaryIO, *, max_bytes: int | None = None) -> Stored:
        """Store a file, streaming; the same content twice is one file.

        Raises:
            TooManyBytes: the source is longer than `max_bytes`.
            StoreUnavailable: the store is away or full.
        """

    def get(self, digest: str) -> bytes:
        """The content, checked against its digest.

        Raises:
            StoreMissing, StoreDamaged, StoreUnavailable.
        """

    def open(self, digest: str, *, key: str = "", n_bytes: int | None = None) -> BinaryIO:
        """A local file with the content, checked against its digest, at its start.

        Args:
            key: where it lies, if not under its digest.
            n_bytes: its size, checked before it is read.

        Raises:
            StoreMissing, StoreDamaged, StoreUnavailable.
        """

    def exists(self, digest: str) -> bool:
        """Whether a file of that digest is stored; says nothing about its health."""

    def is_reachable(self) -> bool:
        """Whether the store answers us, said within seconds; says nothing about any file."""

    def old_files(self, *, seconds: float) -> Iterator[OldFile]:
        """Files that were stored longer ago than that, by the store's own clock."""

    def delete(self, key: str) -> None:
        """Forget a file that `old_files` named; one that is gone already is fine."""

    @property
    def direct(self) -> DirectUploads | None:
        """How files come straight to this store; None where they cannot."""


class Guarded:
    """A store as one role sees it."""

    def __init__(self, name: StoreName, role: Role, url: str | None) -> None:
        self.name = name
        self.role = role
        self._url = url

    def __repr__(self) -> str:
        return f"<{self.name} for {self.role}>"

    def put(self, source: bytes | BinaryIO, *, max_bytes: int | None = None) -> Stored:
        return self._store("w").put(source, max_bytes=max_bytes)

    def get(self, digest: str) -> bytes:
        return self._store("r").get(digest)

    def open(self, digest: str, *, key: str = "", n_bytes: int | None = None) -> BinaryIO:
        return self._store("r").open(digest, key=key, n_bytes=n_bytes)

    def exists(self, digest: str) -> bool:
        return self._store("").exists(digest)

    def is_reachable(self) -> bool:
        return self._store("").is_reachable()

    def old_files(self, *, seconds: float) -> Iterator[OldFile]:
        return self._store("d").old_files(seconds=seconds)

    def delete(self, key: str) -> None:
        self._store("d").delete(key)

    @property
    def direct(self) -> DirectUploads | None:
        """How files come straight to the store, for roles that write or tidy up there."""
        return self._store("d" if self.role == "housekeeping" else "w").direct

    def _store(self, wanted: str) -> Store:
        granted = ACCESS[self.role][self.name]
        if not granted or wanted not in granted:
            step = {"r": "read", "w": "write", "d": "tidy up"}.get(wanted, "look into")
            raise StoreDenied(f"role {self.role} may not {step} {self.name}")
        if self._url is None:
            raise StoreDenied(f"PLUMBLINE_STORE_{self.name.upper()} is not set in this process")
        return _store_at(self._url)


@dataclass(frozen=True, slots=True)
class Keys:
    """The role of this process and the addresses it was given."""

    role: Role
    urls: Mapping[StoreName, str]

    @classmethod
    def from_environment(cls) -> Keys:
        """PLUMBLINE_ROLE and PLUMBLINE_STORE_*; a missing one stops the start."""
        role: Role
        match environment.text("PLUMBLINE_ROLE", "web"):
            case "web" | "maintain" | "scoring" | "housekeeping" as known:
                role = known
            case other:
                raise environment.EnvironmentIncomplete(
                    f"PLUMBLINE_ROLE is {other!r}: not one of {', '.join(ACCESS)}"
                )
        urls = {}
        for name in STORES:
            variable = f"PLUMBLINE_STORE_{name.upper()}"
            url = environment.text(variable, None if name in NEEDED[role] else "")
            if url:
                urls[name] = url
        places = {url.partition("?")[0].rstrip("/") for url in urls.values()}
        if len(places) < len(urls):
            # Housekeeping deletes uploads that no submission names: nothing else may lie there.
            raise environment.EnvironmentIncomplete(
                "two of PLUMBLINE_STORE_… name the same place: each store wants its own"
            )
        return cls(role=role, urls=urls)


_keys = Keys.from_environment()


def use(keys: Keys) -> Keys:
    """Take other keys from now on; returns the ones that were used before."""
    global _keys
    before, _keys = _keys, keys
    return before


def role() -> Role:
    """The role of this process."""
    return _keys.role


def open_store(name: StoreName) -> Guarded:
    """The store of that name, as this process may use it."""
    return Guarded(name, _keys.role, _keys.urls.get(name))


@functools.cache
def _store_at(url: str) -> Store:
    from portal.exchange.folder import FolderStore

    kind, _, rest = url.partition(":")
    if kind == "folder" and rest:
        return FolderStore(rest)
    if kind == "s3" and rest.startswith("//"):
        # boto3 takes a third of a second to import: only where a bucket is named.
        from portal.exchange.s3 import S3Store

        return S3Store.at(url)
    raise environment.EnvironmentIncomplete(
        f"a store address wants folder:/path or s3://bucket/prefix, found {kind}:…"
    )
