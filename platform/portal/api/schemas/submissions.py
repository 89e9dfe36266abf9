"""A submission as its owner sees it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from portal.api.schemas.common import IntervalState, NumberOut, ProblemOut


class SubmissionSystemOut(Schema):
    slug: str
    name: str


class ProgressOut(Schema):
    done: int
    total: int


class FailureOut(Schema):
    """Of a failed submission our fault, of a rejected one its first problem."""

    code: str
    sentence: str
    remedy: str


class RetryOut(Schema):
    code: str
    sentence: str = Field(description="Why the attempt before this one came to no end.")
    due_at: datetime | None = Field(description="When the next one begins, if it has not.")


class ShownScoreOut(NumberOut):
    slice: str
    slice_title: str
    metric: str
    metric_title: str


class SubmissionOut(Schema):
    id: UUID
    benchmark: str
    benchmark_title: str
    version: str
    track: str
    track_title: str
    system: SubmissionSystemOut
    team: str
    state: Literal["waiting", "running", "scored", "rejected", "failed", "withdrawn"]
    position: int | None = Field(description="Place in the queue; 1 is next.")
    expected_seconds: float | None = Field(
        description="Until it is scored, as measured: half of all waits end sooner."
    )
    expected_seconds_high: float | None = Field(description="Nine waits in ten end sooner.")
    n_slots: int | None = Field(
        description="How many of its queue are scored at once; 0 if no worker is listening."
    )
    wait_text: str = Field(description="How it stands, in words; empty if it does not wait.")
    retry: RetryOut | None = Field(description="Why scoring was begun again.")
    board_last_scored_at: datetime | None = Field(
        description="When anything was last scored on this track; None in lists."
    )
    progress: ProgressOut
    attempt: int = Field(description="How often scoring was begun.")
    intervals: IntervalState
    problems: list[ProblemOut]
    n_problems: int
    failure: FailureOut | None
    visibility: Literal["private", "published", "withdrawn"]
    source: str
    file_name: str
    file_digest: str
    file_bytes: int
    evaluator_version: str
    created_at: datetime
    finished_at: datetime | None
    seconds: float | None = Field(description="From acceptance to the final state.")
    headline: ShownScoreOut | None
    scores: list[ShownScoreOut] = Field(description="Empty in lists.")
    board_url: str
    page_url: str


class SubmissionsOut(Schema):
    submissions: list[SubmissionOut]


class AcceptedOut(Schema):
    id: UUID
    state: str
    url: str
    is_new: bool
    duplicate_of: UUID | None = Field(description="An earlier submission with the same answers.")
    is_published_now: bool = Field(
        description="The earlier submission was private and is published by this request."
    )
    submission: SubmissionOut
