"""How the house is doing."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ninja import Schema
from pydantic import Field


class ServicesOut(Schema):
    """Whether each answers."""

    database: bool
    broker: bool
    uploads: bool
    questions: bool
    housekeeping: bool | None = Field(description="Null while the database is away.")
    housekeeping_seen_at: datetime | None


class WorkerOut(Schema):
    queues: list[str]
    n_slots: int = Field(description="Rows that it works on at once.")
    evaluator_version: str
    started_at: datetime
    seen_at: datetime


class QueueOut(Schema):
    queue: str
    title: str
    n_waiting: int
    n_running: int
    n_slots: int = Field(description="Rows that present workers work on at once.")
    oldest_seconds: float | None = Field(description="For how long the oldest has been due.")
    expected_seconds: float | None = Field(
        description="Until a file that is sent now is scored: half of all end sooner."
    )
    expected_seconds_high: float | None = Field(description="Nine in ten end sooner.")
    text: str


class TrackStatusOut(Schema):
    track: str
    title: str
    last_scored_at: datetime | None
    last_scored_by: Literal["entrant", "canary", "house"] | None
    n_last_hour: int = Field(description="Scored in the last hour.")


class CanaryOut(Schema):
    """The file of its own that the house sent last to this version."""

    state: Literal["ok", "late", "failed"]
    track: str
    sent_at: datetime | None
    seconds: float | None = Field(description="From sending to score.")
    why: str


class VersionStatusOut(Schema):
    benchmark: str
    title: str
    version: str
    canary: CanaryOut | None
    tracks: list[TrackStatusOut]


class FaultOut(Schema):
    code: str
    title: str
    n_retried: int = Field(description="Attempts in the last day that it ended.")
    n_failed: int = Field(description="Submissions in the last day that it ended for good.")


class StatusOut(Schema):
    status: Literal["ok", "degraded", "down"]
    at: datetime
    sentences: list[str] = Field(description="What is amiss, in words.")
    services: ServicesOut
    workers: list[WorkerOut]
    queues: list[QueueOut]
    versions: list[VersionStatusOut]
    faults: list[FaultOut]
