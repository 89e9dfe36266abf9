"""What a board is made of: plain values, read once, at full precision.

These never leave the house: `assembly` turns them into what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from evaluator.bundle import Benchmark
from portal.leaderboard.disclosure import Answers, Number
from portal.leaderboard.vocabulary import Address

Kind = Literal["entrant", "reported", "human", "trivial"]
IntervalState = Literal["pending", "ready", "none"]
MEASURED: frozenset[Kind] = frozenset({"entrant"})  # rows that take a rank
COMPUTED: frozenset[Kind] = frozenset({"entrant", "trivial"})  # rows that have outcomes


@dataclass(frozen=True, slots=True)
class MaterialRow:
    """One system with the submission that stands for it, and its scores.

    Attributes:
        draws_digest: where the worker finds its values under the version's
            draws; empty where there are none.
    """

    system: str
    name: str
    kind: Kind
    provenance: str
    provenance_text: str
    team: str
    facets: Mapping[str, str]
    url: str
    submitted_at: datetime | None
    submission: UUID | None
    evaluation: UUID
    intervals: IntervalState
    draws_digest: str
    scores: Mapping[Address, Number]

    @property
    def is_measured(self) -> bool:
        return self.kind in MEASURED


@dataclass(frozen=True, slots=True)
class TrackLine:
    """A track of the version as the board's tabs name it."""

    slug: str
    title: str
    n_rows: int


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that a board and its comparisons are made from, but the draws.

    Attributes:
        fingerprint: SHA-256 of what was read; a stored document with the same
            one is still right.
    """

    version_id: UUID
    benchmark: Benchmark
    state: str
    track: str
    track_title: str
    answers: Answers
    note: str
    tracks: tuple[TrackLine, ...]
    rows: tuple[MaterialRow, ...]
    reported_differences: Sequence[Mapping[str, Any]]
    last_scored_at: datetime | None
    generated_at: datetime
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a measured system stands at one address.

    Attributes:
        low, high: rank interval; None while it is not known.
        unresolved_from_next: its difference to the system below spans zero.
    """

    rank: int
    low: int | None = None
    high: int | None = None
    unresolved_from_next: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """The ranking at one address.

    Attributes:
        places: by system slug; systems without a value have none.
        minimum_detectable: fraction; None below two systems with draws.
    """

    places: Mapping[str, Place]
    minimum_detectable: float | None = None


Standings = Mapping[Address, Standing]
