"""What the API says, field by field. Nothing that is not named here leaves the house.

Additions are free; renaming or changing a meaning needs a new version of the API.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

Answers = Literal["public", "hidden", "partly"]
VersionState = Literal["OPEN", "CLOSED"]
IntervalState = Literal["ready", "pending", "none"]


class TrackOut(Schema):
    slug: str
    title: str
    answers: Answers = Field(description="How far the world knows the answers.")
    note: str
    partial: bool = Field(description="Incomplete files are accepted.")
    n_rows: int
    n_questions: int


class VersionOut(Schema):
    version: str
    state: VersionState
    is_reference_only: bool = Field(description="Published results only; takes no submissions.")
    n_questions: int
    opened_at: datetime | None
    tracks: list[TrackOut] = Field(description="In display order.")


class BenchmarkOut(Schema):
    name: str
    title: str
    family: str
    family_title: str
    description: str
    promoted: str = Field(description="The version that a bare name stands for; may be empty.")
    versions: list[VersionOut]


class BenchmarksOut(Schema):
    benchmarks: list[BenchmarkOut]


class BootstrapOut(Schema):
    draws: int
    seed: int
    level: float
    weights_sha256: str = Field(description="SHA-256 of the int16 matrix of resampling weights.")


class TrackPlanOut(Schema):
    slug: str
    title: str
    answers: Answers
    partial: bool
    note: str


class LabelClassOut(Schema):
    name: str
    id: int | None
    train_instances: int | None
    groups: list[str]
    listed: bool


class DefinitionOut(Schema):
    """The content of `benchmark.json`, without the digest of hidden files."""

    name: str
    title: str
    family: str
    version: str
    tracks: list[TrackPlanOut]
    rules: str
    cluster: str = Field(description="What is resampled: image, video.")
    bootstrap: BootstrapOut
    classes: list[LabelClassOut]
    description: str
    licence: str
    citation: str
    source: str
    notes: list[str]
    digests: dict[str, str] = Field(description="SHA-256 of the public files.")


class FamilyTrackOut(Schema):
    slug: str
    title: str
    description: str


class FamilySliceOut(Schema):
    slug: str
    title: str
    description: str


class MetricOut(Schema):
    slug: str
    title: str
    short: str
    description: str
    higher_is_better: bool
    headline: bool


class FacetValueOut(Schema):
    slug: str
    title: str


class FamilyFacetOut(Schema):
    slug: str
    title: str
    help: str
    values: list[FacetValueOut] = Field(description="Empty where any short text will do.")


class FamilyOut(Schema):
    slug: str
    title: str
    description: str
    primary_metric: str
    tracks: list[FamilyTrackOut]
    slices: list[FamilySliceOut]
    metrics: list[MetricOut]
    facets: list[FamilyFacetOut]


class LimitsOut(Schema):
    max_upload_bytes: int


class VersionDetailOut(VersionOut):
    benchmark: str
    title: str
    definition: DefinitionOut
    family: FamilyOut
    limits: LimitsOut


class BoardBenchmarkOut(Schema):
    name: str
    title: str
    family: str
    family_title: str


class BoardTrackOut(Schema):
    slug: str
    title: str
    answers: Answers
    note: str
    description: str


class TabOut(Schema):
    slug: str
    title: str
    n_rows: int


class BoardSliceOut(Schema):
    slug: str
    title: str
    description: str
    n: int | None
    metrics: list[str]


class BoardFacetOut(Schema):
    slug: str
    title: str
    values: list[FacetValueOut]


class NumberOut(Schema):
    """A number as disclosed: fractions beside their texts; nothing is None with its reason."""

    value: float | None
    low: float | None
    high: float | None
    text: str
    interval_text: str
    n: int | None
    reason: str | None
    interval_reason: str | None
    interval: IntervalState


class BoardScoreOut(NumberOut):
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    rank_text: str
    rank_interval_text: str
    unresolved_from_next: bool
    best: bool
    best_in_group: list[str]


class BoardRowOut(Schema):
    system: str
    name: str
    kind: Literal["entrant", "reported", "human", "trivial"]
    provenance: Literal["submitted", "reported", "run-here", "computed"]
    provenance_text: str
    team: str
    facets: dict[str, str]
    url: str
    submitted_at: datetime | None
    submission: str | None
    scores: dict[str, dict[str, BoardScoreOut]] = Field(description="By slice, then metric.")


class SummaryOut(Schema):
    n_rows: int
    minimum_detectable: dict[str, float] = Field(
        description="Per metric of the full slice: 2.8 median standard errors of a difference."
    )
    draws: int
    level: float
    seed: int


class BoardOut(Schema):
    benchmark: BoardBenchmarkOut
    version: str
    state: VersionState
    track: BoardTrackOut
    tracks: list[TabOut]
    slices: list[BoardSliceOut]
    metrics: list[MetricOut]
    primary_metric: str
    facets: list[BoardFacetOut]
    rows: list[BoardRowOut]
    summary: SummaryOut
    reported_differences: list[dict[str, Any]] = Field(description="Published ones, as printed.")
    notes: list[str]
    generated_at: datetime
    last_scored_at: datetime | None


class DifferenceOut(Schema):
    """First minus second on common draws; texts in signed percentage points."""

    slice: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    level: float | None
    text: str
    interval_text: str
    probability_better: float | None
    unresolved: bool | None = Field(description="The interval spans zero.")
    reason: str | None
    interval_reason: str | None


class DifferenceToOut(DifferenceOut):
    """This system minus the named other."""

    system: str
    name: str
    kind: str


class SystemOut(Schema):
    benchmark: BoardBenchmarkOut
    version: str
    state: VersionState
    track: BoardTrackOut
    slices: list[BoardSliceOut]
    metrics: list[MetricOut]
    primary_metric: str
    facets: list[BoardFacetOut]
    row: BoardRowOut
    differences: list[DifferenceToOut]


class ComparisonOut(Schema):
    benchmark: BoardBenchmarkOut
    version: str
    track: BoardTrackOut
    first: str
    second: str
    first_name: str
    second_name: str
    differences: list[DifferenceOut]


class SubmissionSystemOut(Schema):
    slug: str
    name: str


class ProgressOut(Schema):
    done: int
    total: int


class ProblemOut(Schema):
    code: str
    where: str
    found: str
    wanted: str
    hint: str


class FailureOut(Schema):
    code: str
    sentence: str


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
    expected_seconds: float | None
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
    submission: SubmissionOut


class MeOut(Schema):
    username: str
    teams: list[str]


class CredentialsIn(Schema):
    username: str = Field(max_length=150)
    password: str = Field(max_length=1000)
    name: str = Field(default="token", max_length=100, description="What to call the token.")


class TokenOut(Schema):
    token: str = Field(description="Shown this once.")


class TokenLineOut(Schema):
    prefix: str
    name: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class TokensOut(Schema):
    tokens: list[TokenLineOut]


class HealthOut(Schema):
    status: Literal["ok", "degraded"]
    database: bool
    broker: bool
    last_scored_at: datetime | None
    n_waiting: int | None


class ProblemKindOut(Schema):
    code: str
    status: int
    title: str


class ProblemKindsOut(Schema):
    problems: list[ProblemKindOut]


class ProblemDocument(Schema):
    """`application/problem+json`: how every refusal is answered."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    problems: list[ProblemOut] = Field(default_factory=list)
    n_problems: int = 0
    retry_after: int | None = None
