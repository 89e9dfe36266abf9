"""Boards, rows and paired differences."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import Field

from portal.api.schemas.common import Answers, FacetValueOut, MetricOut, NumberOut, VersionState


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
