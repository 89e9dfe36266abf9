"""Words and numbers that several answers share."""

from __future__ import annotations

from typing import Literal

from ninja import Schema

Answers = Literal["public", "hidden", "partly"]
VersionState = Literal["OPEN", "CLOSED"]
IntervalState = Literal["ready", "pending", "none"]


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


class ProblemOut(Schema):
    code: str
    where: str
    found: str
    wanted: str
    hint: str
