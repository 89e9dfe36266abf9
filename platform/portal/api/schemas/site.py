"""Accounts, health and refusals."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ninja import Schema
from pydantic import Field

from portal.api.schemas.common import ProblemOut


class MeOut(Schema):
    username: str
    teams: list[str]


class QuotaOut(Schema):
    """Waiting, running and scored files count; rejected ones and our failures do not."""

    benchmark: str
    version: str
    per_day: int | None = Field(description="Per UTC day; null is no limit.")
    left_today: int | None
    in_all: int | None = Field(description="In all days together; null is no limit.")
    left_in_all: int | None
    next_at: datetime = Field(description="When the day's count begins anew.")


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


class PartOut(Schema):
    name: Literal["database", "migrations", "uploads", "questions"]
    is_ready: bool
    sentence: str = Field(description="What is amiss; empty if nothing is.")


class ReadyOut(Schema):
    is_ready: bool
    parts: list[PartOut]


class ProblemKindOut(Schema):
    code: str
    owner: Literal["input", "policy", "model", "infra", "scorer"]
    fault: Literal["yours", "ours"]
    status: int | None = Field(description="Of the answer that bears it; null where none does.")
    title: str
    meaning: str
    remedy: str
    retry_after: int | None = Field(description="Seconds after which to ask again.")
    is_retried: bool = Field(description="We try again by ourselves.")
    url: str


class ProblemKindsOut(Schema):
    problems: list[ProblemKindOut]


class ProblemDocument(Schema):
    """`application/problem+json`: how every refusal is answered."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    remedy: str = ""
    problems: list[ProblemOut] = Field(default_factory=list)
    n_problems: int = 0
    retry_after: int | None = None
