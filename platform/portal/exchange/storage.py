"""Stored files, keyed by SHA-256, in folders or S3 buckets, opened by role.

Four stores: uploads, questions, truth, outcomes. The role of this process says
which of them it may read or write; the rest is refused here, and should be
refused by the credentials as well.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO, Literal, Protocol

from portal import environment

StoreName = Literal["uploads", "questions", "truth", "outcomes"]
Role = Literal["web", "scoring", "maintain"]

STORES: tuple[StoreName, ...] = ("uploads", "questions", "truth", "outcomes")

# What each role may do: r read, w write.
ACCESS: Mapping[Role, Mapping[StoreName, str]] = {
    "web": {"uploads": "rw", "questions": "rw", "truth": "w", "outcomes": ""},
    "maintain": {"uploads": "rw", "questions": "rw", "truth": "w", "outcomes": ""},
    "scoring": {"uploads": "r", "questions": "r", "truth": "r", "outcomes": "rw"},
}
# Without these settings a process of that role does not start.
NEEDED: Mapping[Role, tuple[StoreName, ...]] = {
    "web": ("uploads", "questions"),
    "maintain": ("uploads", "questions", "truth"),
    "scoring": STORES,
}


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


class TooManyBytes(StoreError):
    """The source went on beyond the limit; nothing was stored."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What `put` stored."""

    digest: str
    n_bytes: int


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

    def open(self, digest: str) -> BinaryIO:
        """A local file with the content, checked against its digest, at its start.

        Raises:
            StoreMissing, StoreDamaged, StoreUnavailable.
        """

    def exists(self, digest: str) -> bool:
        """Whether a file of that digest is stored; says nothing about its health."""


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

    def open(self, digest: str) -> BinaryIO:
        return self._store("r").open(digest)

    def exists(self, digest: str) -> bool:
        return self._store("").exists(digest)

    def _store(self, wanted: str) -> Store:
        granted = ACCESS[self.role][self.name]
        if not granted or wanted not in granted:
            step = {"r": "read", "w": "write"}.get(wanted, "look into")
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
            case "web" | "maintain" | "scoring" as known:
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
