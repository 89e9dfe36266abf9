"""Boards, comparisons and their building: what readers get, and what the worker stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Literal
from uuid import UUID

from evaluator.scorecard import Difference
from portal.benchmarks.models import BenchmarkVersion, Track
from portal.errors import DocumentNotFound
from portal.leaderboard import documents, reading
from portal.leaderboard.assembly import Json, assemble_board
from portal.leaderboard.comparisons import (
    Pair,
    comparison_documents,
    disclosed_differences,
    lasting_pairs,
    missing_differences,
)
from portal.leaderboard.documents import Document, document_of
from portal.leaderboard.export import board_csv as csv_of
from portal.leaderboard.material import Material, Standings

BoardStage = Literal["complete", "first look", "outdated"]

SHOWN = (BenchmarkVersion.State.OPEN, BenchmarkVersion.State.CLOSED)
NO_BOARD = "There is no such board. GET /api/v1/benchmarks lists benchmarks, versions and tracks."
NO_ROW = "There is no such row on this board."


def board_document(*, benchmark: str, version: str, track: str) -> Document:
    """The board of a track as it is sent.

    Raises:
        DocumentNotFound: no such benchmark, version or track is open to readers.
    """
    edition, asked = _track(benchmark, version, track)
    stored = documents.stored_board(edition.id, asked.slug)
    if stored is not None:
        return stored
    # Before the worker has built it: rows and values, ranks still to come.
    material = reading.read_material(edition, asked)
    return document_of(assemble_board(material, {}), material.fingerprint)


def board_table(*, benchmark: str, version: str, track: str, slice_: str) -> tuple[str, str]:
    """The board as CSV, and the ETag of the board that it was made from.

    Raises:
        DocumentNotFound: no such board, or it has no such slice.
    """
    document = board_document(benchmark=benchmark, version=version, track=track)
    board = document.value
    if slice_ not in {listed["slug"] for listed in board["slices"]} | {"all"}:
        raise DocumentNotFound("This board has no such slice.")
    return csv_of(board, slice_), document.etag


def system_detail(*, benchmark: str, version: str, track: str, system: str) -> Json:
    """One row of a board with its paired differences to the other rows.

    Raises:
        DocumentNotFound: no such board or row.
    """
    edition, asked = _track(benchmark, version, track)
    board = board_document(benchmark=benchmark, version=version, track=track).value
    row = _row(board, system)
    stored = documents.stored_comparisons(edition.id, asked.slug, system)
    others = stored.value["others"] if stored is not None else {}
    return {
        **{key: board[key] for key in ("benchmark", "version", "state", "track")},
        **{key: board[key] for key in ("slices", "metrics", "primary_metric", "facets")},
        "row": row,
        "differences": [
            {
                "system": other["system"],
                "name": other["name"],
                "kind": other["kind"],
                **difference,
            }
            for other in board["rows"]
            if other["system"] in others
            for difference in others[other["system"]]["differences"]
        ],
    }


def comparison(*, benchmark: str, version: str, track: str, first: str, second: str) -> Json:
    """Paired differences of two rows, first minus second.

    Raises:
        DocumentNotFound: no such board, or one of the two is not on it.
    """
    edition, asked = _track(benchmark, version, track)
    board = board_document(benchmark=benchmark, version=version, track=track).value
    rows = (_row(board, first), _row(board, second))
    stored = documents.stored_comparisons(edition.id, asked.slug, first)
    others = stored.value["others"] if stored is not None else {}
    return {
        **{key: board[key] for key in ("benchmark", "version", "track")},
        "first": first,
        "second": second,
        "first_name": rows[0]["name"],
        "second_name": rows[1]["name"],
        "differences": (
            others[second]["differences"] if second in others else missing_differences(board, rows)
        ),
    }


def board_material(*, version_id: UUID, track: str) -> Material | None:
    """What the board of a track is made of; None where there is none to build."""
    found = Track.objects.select_related("version__benchmark").filter(
        version_id=version_id, slug=track, version__state__in=SHOWN
    )
    asked = found.first()
    return None if asked is None else reading.read_material(asked.version, asked)


def board_stage(*, version_id: UUID, track: str) -> BoardStage:
    """How far the stored board is from what stands in the database now."""
    stored = documents.stored_fingerprint(version_id, track)
    wanted = reading.fingerprint_of(version_id, track)
    if stored == wanted:
        return "complete"
    return "first look" if stored == _first_look(wanted) else "outdated"


def has_first_look(*, material: Material) -> bool:
    """Whether the stored board is a first look at this very material."""
    stored = documents.stored_fingerprint(material.version_id, material.track)
    return stored == _first_look(material.fingerprint)


def board_age(*, version_id: UUID, track: str) -> float | None:
    """Seconds since the stored board was built; None before the first."""
    return documents.seconds_since_built(version_id, track)


def board_is_settled(*, version_id: UUID, track: str) -> bool:
    """Whether no published submission of the track is still on its way to its intervals."""
    return not reading.unfinished(version_id, track).exists()


def stale_boards() -> list[tuple[UUID, str]]:
    """Boards that lag behind the database, as (version id, track): for the sweeper."""
    shown = Track.objects.filter(version__state__in=SHOWN).order_by("version", "position")
    return [
        (version_id, track)
        for version_id, track in shown.values_list("version_id", "slug")
        if board_stage(version_id=version_id, track=track) != "complete"
    ]


def sole_builder(*, version_id: UUID, track: str) -> AbstractContextManager[bool]:
    """Whether nobody else builds this board; it is ours until the block ends."""
    return documents.sole_builder(version_id, track)


def stored_pairs(*, material: Material) -> dict[Pair, list[Json]]:
    """Stored differences that still hold, by pair of slugs in alphabetical order."""
    stored = documents.all_comparisons(material.version_id, material.track)
    return lasting_pairs(material, stored)


def store_board(*, material: Material, standings: Standings, is_complete: bool) -> None:
    """Disclose, and replace the stored board of a track.

    Args:
        is_complete: False for a first look, whose smaller slices lack rank intervals.
    """
    fingerprint = material.fingerprint if is_complete else _first_look(material.fingerprint)
    documents.store_board(
        material.version_id,
        material.track,
        document_of(assemble_board(material, standings), fingerprint),
    )


def store_comparisons(
    *,
    material: Material,
    differences: Mapping[Pair, Sequence[Difference]],
    lasting: Mapping[Pair, Sequence[Json]],
) -> None:
    """Disclose, and replace the stored comparisons of a track.

    Args:
        differences: newly computed pairs.
        lasting: pairs from `stored_pairs` that stay.
    """
    pairs = {**lasting, **disclosed_differences(material, differences)}
    documents.store_comparisons(
        material.version_id,
        material.track,
        {
            system: document_of(value, material.fingerprint)
            for system, value in comparison_documents(material, pairs).items()
        },
    )


def _first_look(fingerprint: str) -> str:
    return f"first-{fingerprint[:58]}"


def _track(benchmark: str, version: str, track: str) -> tuple[BenchmarkVersion, Track]:
    found = Track.objects.select_related("version__benchmark").filter(
        slug=track,
        version__version=version,
        version__benchmark__name=benchmark,
        version__state__in=SHOWN,
    )
    asked = found.first()
    if asked is None:
        raise DocumentNotFound(NO_BOARD)
    return asked.version, asked


def _row(board: Json, system: str) -> Json:
    for row in board["rows"]:
        if row["system"] == system:
            found: Json = row
            return found
    raise DocumentNotFound(NO_ROW)
