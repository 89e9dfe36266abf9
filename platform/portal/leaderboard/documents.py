"""Boards and comparisons in the database: stored whole, read whole, one builder at a time."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from portal import locks
from portal.leaderboard.assembly import Json
from portal.leaderboard.models import StoredDocument

Kind = StoredDocument.Kind


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON document as it is sent: compressed, with its ETag."""

    compressed: bytes
    etag: str
    fingerprint: str

    @property
    def content(self) -> bytes:
        return gzip.decompress(self.compressed)

    @property
    def value(self) -> Json:
        value: Json = json.loads(self.content)
        return value


def document_of(value: Mapping[str, Any], fingerprint: str) -> Document:
    """The document of a JSON value; equal values give equal bytes."""
    content = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    return Document(
        compressed=gzip.compress(content, compresslevel=6, mtime=0),
        etag=hashlib.sha256(content).hexdigest(),
        fingerprint=fingerprint,
    )


def stored_board(version_id: UUID, track: str) -> Document | None:
    """The stored board of a track, None before the first was built."""
    return _document(StoredDocument.objects.filter(**_key(version_id, track, Kind.BOARD)))


def stored_fingerprint(version_id: UUID, track: str) -> str | None:
    """What the stored board of a track was made from."""
    boards = StoredDocument.objects.filter(**_key(version_id, track, Kind.BOARD))
    return boards.values_list("fingerprint", flat=True).first()


def seconds_since_built(version_id: UUID, track: str) -> float | None:
    """Age of the stored board on the database's clock; None before the first was built."""
    boards = StoredDocument.objects.filter(**_key(version_id, track, Kind.BOARD))
    age = boards.annotate(age=Now() - F("built_at")).values_list("age", flat=True).first()
    return None if age is None else age.total_seconds()


def stored_comparisons(version_id: UUID, track: str, system: str) -> Document | None:
    """The stored differences of one system to the others."""
    key = _key(version_id, track, Kind.COMPARISONS, system)
    return _document(StoredDocument.objects.filter(**key))


def all_comparisons(version_id: UUID, track: str) -> Iterator[Json]:
    """The stored comparisons of every system of a track."""
    found = StoredDocument.objects.filter(version_id=version_id, track=track, kind=Kind.COMPARISONS)
    for body in found.values_list("body", flat=True).iterator(chunk_size=20):
        yield json.loads(gzip.decompress(bytes(body)))


def store_board(version_id: UUID, track: str, board: Document) -> None:
    """Replace the board of a track; the tabs of its neighbours follow."""
    with transaction.atomic():
        _store(version_id, track, Kind.BOARD, {"": board})
        _follow_tabs(version_id, board.value["tracks"])


def store_comparisons(version_id: UUID, track: str, comparisons: Mapping[str, Document]) -> None:
    """Replace the comparisons of a track, by system; who is not named has none any more."""
    stored = StoredDocument.objects.filter(
        version_id=version_id, track=track, kind=Kind.COMPARISONS
    )
    with transaction.atomic():
        stored.exclude(system__in=comparisons).delete()
        unchanged = dict(stored.values_list("system", "etag"))
        changed = {
            system: document
            for system, document in comparisons.items()
            if unchanged.get(system) != document.etag
        }
        _store(version_id, track, Kind.COMPARISONS, changed)


def sole_builder(version_id: UUID, track: str) -> AbstractContextManager[bool]:
    """Whether nobody else builds this board now; it is ours until the block ends."""
    return locks.sole(f"board {version_id} {track}")


def _store(version_id: UUID, track: str, kind: Kind, documents: Mapping[str, Document]) -> None:
    StoredDocument.objects.bulk_create(
        [
            StoredDocument(
                version_id=version_id,
                track=track,
                kind=kind,
                system=system,
                body=document.compressed,
                etag=document.etag,
                fingerprint=document.fingerprint,
                built_at=Now(),
            )
            for system, document in documents.items()
        ],
        update_conflicts=True,
        unique_fields=["version", "track", "kind", "system"],
        update_fields=["body", "etag", "fingerprint", "built_at"],
    )


def _follow_tabs(version_id: UUID, tabs: list[Json]) -> None:
    """Let every board of the version count the rows of its neighbours alike."""
    boards = StoredDocument.objects.filter(version_id=version_id, kind=Kind.BOARD)
    for row in boards.order_by("id").select_for_update():
        board = json.loads(gzip.decompress(row.body))
        if board["tracks"] != tabs:
            document = document_of({**board, "tracks": tabs}, row.fingerprint)
            row.body, row.etag = document.compressed, document.etag
            row.save(update_fields=["body", "etag"])


def _key(version_id: UUID, track: str, kind: Kind, system: str = "") -> dict[str, Any]:
    return {"version_id": version_id, "track": track, "kind": kind, "system": system}


def _document(found: QuerySet[StoredDocument]) -> Document | None:
    row = found.values_list("body", "etag", "fingerprint").first()
    if row is None:
        return None
    body, etag, fingerprint = row
    return Document(compressed=bytes(body), etag=etag, fingerprint=fingerprint)
