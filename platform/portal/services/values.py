"""What services return.

Reads give the documents of the API, as typed dictionaries whose times and ids
are Python's own: page and API show the same thing. What the worker gets are
frozen values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypedDict
from uuid import UUID

EntrantState = Literal["waiting", "running", "scored", "rejected", "failed", "withdrawn"]
IntervalState = Literal["pending", "ready", "none"]
Visibility = Literal["private", "published", "withdrawn"]


class TrackDocument(TypedDict):
    """A track of a version; `n_rows` counts the systems on its board."""

    slug: str
    title: str
    answers: str
    note: str
    partial: bool
    n_rows: int
    n_questions: int


class VersionDocument(TypedDict):
    version: str
    state: str
    is_reference_only: bool
    n_questions: int
    opened_at: datetime | None
    tracks: list[TrackDocument]


class BenchmarkDocument(TypedDict):
    """A benchmark with its public versions, newest last; `promoted` is the default one."""

    name: str
    title: str
    family: str
    family_title: str
    description: str
    promoted: str
    versions: list[VersionDocument]


class FamilyDocument(TypedDict):
    """The words of a family; of a version that holds results only, those of its rows."""

    slug: str
    title: str
    description: str
    primary_metric: str
    tracks: list[dict[str, Any]]
    slices: list[dict[str, Any]]
    metrics: list[dict[str, Any]]
    facets: list[dict[str, Any]]


class VersionDetail(VersionDocument):
    """One version with all that it fixed."""

    benchmark: str
    title: str
    licence: str
    citation: str
    source: str
    rules: str
    cluster: str
    bootstrap: dict[str, Any]
    notes: list[str]
    digests: dict[str, str]
    definition: dict[str, Any]
    family: FamilyDocument
    limits: dict[str, int]


class SystemName(TypedDict):
    slug: str
    name: str


class Progress(TypedDict):
    done: int
    total: int


class ProblemDocument(TypedDict):
    code: str
    where: str
    found: str
    wanted: str
    hint: str


class FailureDocument(TypedDict):
    """Why there is no score: our fault, or the first thing that is wrong with the file."""

    code: str
    sentence: str
    remedy: str


class RetryDocument(TypedDict):
    """Why an attempt came to no end, and when the next one begins if it has not."""

    code: str
    sentence: str
    due_at: datetime | None


class ScoreDocument(TypedDict):
    """A score of a submission, through `disclosure`."""

    slice: str
    slice_title: str
    metric: str
    metric_title: str
    value: float | None
    low: float | None
    high: float | None
    text: str
    interval_text: str
    n: int | None
    reason: str | None
    interval_reason: str | None
    interval: IntervalState


class SubmissionDocument(TypedDict):
    """Where a submission stands, in the words of its owner.

    `position` counts from 1 while it waits. `expected_seconds` is what half of all
    waits like this one take, `expected_seconds_high` what nine in ten do not exceed;
    both rest on measured times and are None where nobody listens or too little was
    measured. `n_slots` rows of its queue are scored at once; `wait_text` says all that
    in words. `retry` tells why scoring was begun again. `board_last_scored_at` is when
    anything was last scored on this track. `seconds` runs from acceptance to the final
    state; `scores` is empty in lists, where `headline` says enough.
    """

    id: UUID
    benchmark: str
    benchmark_title: str
    version: str
    track: str
    track_title: str
    system: SystemName
    team: str
    state: EntrantState
    position: int | None
    expected_seconds: float | None
    expected_seconds_high: float | None
    n_slots: int | None
    wait_text: str
    retry: RetryDocument | None
    board_last_scored_at: datetime | None
    progress: Progress
    attempt: int
    intervals: IntervalState
    problems: list[ProblemDocument]
    n_problems: int
    failure: FailureDocument | None
    visibility: Visibility
    source: str
    file_name: str
    file_digest: str
    file_bytes: int
    evaluator_version: str
    created_at: datetime
    finished_at: datetime | None
    seconds: float | None
    headline: ScoreDocument | None
    scores: list[ScoreDocument]
    board_url: str
    page_url: str


class TokenDocument(TypedDict):
    prefix: str
    name: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class HealthDocument(TypedDict):
    """Whether the house stands; `n_waiting` and `last_scored_at` say whether it works."""

    status: Literal["ok", "degraded"]
    database: bool
    broker: bool
    n_waiting: int | None
    last_scored_at: datetime | None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The answer to a submission.

    Attributes:
        is_new: False if the key or the content was here before.
        duplicate_of: the earlier submission of the team with the same answers.
        is_published_now: it was private, and was published as this request wished.
        submission: the state of the submission of that id.
    """

    id: UUID
    is_new: bool
    duplicate_of: UUID | None
    is_published_now: bool
    submission: SubmissionDocument


@dataclass(frozen=True, slots=True)
class ScoringBrief:
    """All that the worker needs to score: digests, not files.

    Attributes:
        attempt: names this claim in every later call.
        predictions_key: where the file lies, if not under its digest.
        trivial: slug of the trivial row, empty for a file of predictions.
    """

    evaluation_id: UUID
    submission_id: UUID
    attempt: int
    version_id: UUID
    definition: Mapping[str, Any]
    track: str
    questions_digest: str
    truth_digest: str
    predictions_digest: str
    predictions_key: str
    predictions_bytes: int
    trivial: str


@dataclass(frozen=True, slots=True)
class IntervalsBrief:
    """All that the worker needs for intervals."""

    evaluation_id: UUID
    submission_id: UUID
    attempt: int
    version_id: UUID
    definition: Mapping[str, Any]
    track: str
    outcome_digest: str


@dataclass(frozen=True, slots=True)
class LoadedVersion:
    """What `load_bundle` made, or found already there."""

    version_id: UUID
    address: str
    state: str
    is_new: bool
    n_questions: int
    n_reported: int
    n_trivial: int


@dataclass(frozen=True, slots=True)
class SweptUploads:
    """What one round through the uploads did.

    Attributes:
        n_ended: uploads whose time was over.
        n_bytes: of the files that were deleted.
        n_spared: files that no submission names, too many to believe it.
    """

    n_ended: int
    n_deleted: int
    n_bytes: int
    n_spared: int


@dataclass(frozen=True, slots=True)
class Swept:
    """What one round of sweeping did."""

    n_failed: int
    n_given_up: int
    n_bells: int
