"""How the house is doing, field by field: what the status page and its API show."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypedDict

Condition = Literal["ok", "degraded", "down"]
ScoredBy = Literal["entrant", "canary", "house"]


class ServicesDocument(TypedDict):
    """Whether each answers; None where the database, which would know, does not."""

    database: bool
    broker: bool
    uploads: bool
    questions: bool
    housekeeping: bool | None
    housekeeping_seen_at: datetime | None


class WorkerDocument(TypedDict):
    queues: list[str]
    n_slots: int
    evaluator_version: str
    started_at: datetime
    seen_at: datetime


class QueueDocument(TypedDict):
    """A queue; `expected_seconds` and `text` are about a file that is sent now."""

    queue: str
    title: str
    n_waiting: int
    n_running: int
    n_slots: int
    oldest_seconds: float | None
    expected_seconds: float | None
    expected_seconds_high: float | None
    text: str


class TrackStatusDocument(TypedDict):
    track: str
    title: str
    last_scored_at: datetime | None
    last_scored_by: ScoredBy | None
    n_last_hour: int


class CanaryDocument(TypedDict):
    state: str
    track: str
    sent_at: datetime | None
    seconds: float | None
    why: str


class VersionStatusDocument(TypedDict):
    benchmark: str
    title: str
    version: str
    canary: CanaryDocument | None
    tracks: list[TrackStatusDocument]


class FaultDocument(TypedDict):
    """How often a fault of ours ended an attempt, and how often for good."""

    code: str
    title: str
    n_retried: int
    n_failed: int


class StatusDocument(TypedDict):
    """`sentences` say what is amiss, in the order in which it matters."""

    status: Condition
    at: datetime
    sentences: list[str]
    services: ServicesDocument
    workers: list[WorkerDocument]
    queues: list[QueueDocument]
    versions: list[VersionStatusDocument]
    faults: list[FaultDocument]
