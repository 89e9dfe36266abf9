"""Benchmarks, versions and the words of their families."""

from __future__ import annotations

from datetime import datetime

from ninja import Schema
from pydantic import Field

from portal.api.schemas.common import Answers, FacetValueOut, MetricOut, VersionState


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


class FamilyFacetOut(Schema):
    slug: str
    title: str
    help: str
    required: bool = Field(description="A system must state it before its first submission.")
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
    max_upload_bytes: int = Field(description="Of a file that comes with the form.")
    max_direct_bytes: int = Field(
        description="Of a file that goes straight to the store; 0 where it takes none."
    )
    part_bytes: int = Field(description="Of the parts in which it goes there.")


class VersionDetailOut(VersionOut):
    benchmark: str
    title: str
    definition: DefinitionOut
    family: FamilyOut
    limits: LimitsOut
