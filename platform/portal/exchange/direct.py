"""Files that come straight to a store, in parts: what a store offers for that.

Their bytes lie under `direct/<id>`, never under a digest that nobody has checked yet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

FOLDER = "direct"
KEY = re.compile(r"direct/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
ADDRESS_SECONDS = 3600  # an address for a part is good for that long
MAX_PARTS = 10_000  # of one file; what S3 takes
LEAST_PART_BYTES = 5 * 1024 * 1024  # but for the last part; what S3 takes


@dataclass(frozen=True, slots=True)
class Part:
    """A part that the store holds.

    Attributes:
        number: from 1.
        tag: what the store calls these bytes.
    """

    number: int
    n_bytes: int
    tag: str


class DirectUploads(Protocol):
    """A store that takes the parts of a file from whoever has an address for them.

    `key` is where the whole file will lie, `upload` the store's own name of the upload.
    Every method raises StoreUnavailable while the store is away.
    """

    def begin(self, key: str) -> str:
        """The name of a new upload."""

    def addresses(self, key: str, upload: str, numbers: Sequence[int]) -> list[str]:
        """For each part an address that takes its bytes by PUT, without further keys."""

    def parts(self, key: str, upload: str) -> list[Part]:
        """The parts that are there.

        Raises:
            StoreMissing: the upload is over, complete or not.
        """

    def complete(self, key: str, upload: str, parts: Sequence[Part]) -> None:
        """Make one file of the parts.

        Raises:
            StoreMissing: the upload is over, complete or not.
            StoreDamaged: a part is not what it was.
        """

    def abort(self, key: str, upload: str) -> None:
        """End the upload and forget its parts; doing so twice does no harm."""

    def n_bytes(self, key: str) -> int:
        """The size of the whole file.

        Raises:
            StoreMissing: there is none.
        """

    def head(self, key: str, n_bytes: int) -> bytes:
        """The first bytes of the whole file.

        Raises:
            StoreMissing: there is none.
        """


def key_of(upload_id: UUID) -> str:
    """Where the bytes of an upload lie."""
    return f"{FOLDER}/{upload_id}"


def checked_key(key: str) -> str:
    """The key itself, so that no other text ever becomes part of a path or key."""
    if not KEY.match(key):
        raise ValueError("a key is `direct/` and an id")
    return key
