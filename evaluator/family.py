"""What a family of benchmarks must say to plug in.

A family is a frozen value: no base class, no registration at import. The
portal, the worker and the pages know families only through these fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluator.outcome import Outcome

if TYPE_CHECKING:
    from evaluator.asking import Asked
    from evaluator.audit import TrackAudit
    from evaluator.bundle import Bundle
    from evaluator.itemwise import Agreement, Items, KindOfError

FloatArray = NDArray[np.float64]
WeightArray = NDArray[np.int16] | NDArray[np.float64]
T = TypeVar("T", "Track", "Slice", "Metric")


@dataclass(frozen=True, slots=True)
class Track:
    """How the questions are asked; one predictions file each."""

    slug: str
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class Slice:
    """Which answers count.

    `metrics` names the metrics that are defined on it; None means all.
    `tracks` names the tracks it belongs to; None means all.
    """

    slug: str
    title: str
    description: str
    metrics: tuple[str, ...] | None = None
    tracks: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """How answers are counted.

    Attributes:
        interval: `percentile` for means and ratios of sums, `recentred` for
            averages over many classes (STATISTICS, section 2).
        compute: (weighed outcome, slice slug) -> (B,) values, NaN in a draw
            with nothing to count. The weighed outcome is what `Family.weigh` gave.
        count: (outcome, slice slug) -> how much it counts in all, and in how
            many clusters.
        tracks: tracks on which it is defined; None means all.
        slices: slices on which it is defined; None means all.
        rules: rule sets under which it is defined; None means all.
        scale: the largest value it can have: 1 for a share; for a share held against
            chance, how many times chance that is.
        sizes: (outcome, slice slug) -> (C,) what each cluster puts below the line;
            None where the metric is no quotient of sums over clusters.
        is_share_of_questions: each question counts as 0 or 1, so that sampling them
            one by one is a binomial matter.
        items: (outcome, slice slug) -> the single questions behind the value; None
            where they are not kept.
    """

    slug: str
    title: str
    short: str
    description: str
    interval: Literal["percentile", "recentred"]
    compute: Callable[[Any, str], FloatArray]
    count: Callable[[Outcome, str], tuple[int, int]]
    higher_is_better: bool = True
    headline: bool = False
    tracks: tuple[str, ...] | None = None
    slices: tuple[str, ...] | None = None
    rules: tuple[str, ...] | None = None
    scale: float = 1.0
    sizes: Callable[[Outcome, str], FloatArray] | None = None
    is_share_of_questions: bool = False
    items: Callable[[Outcome, str], Items | None] | None = None


@dataclass(frozen=True, slots=True)
class Facet:
    """A property of a system that splits a board into groups with their own best.

    A required one must be stated before a system's first submission.
    """

    slug: str
    title: str
    values: tuple[tuple[str, str], ...]  # (slug, title)
    help: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Trivial:
    """A row that needs no model: every board shows what it takes to beat nothing.

    `outcomes` yields the outcome of each file that the row averages over
    (one for a fixed answer, many for chance).
    """

    slug: str
    title: str
    description: str
    outcomes: Callable[[Bundle, str], Iterator[Outcome]]


@dataclass(frozen=True, slots=True)
class Family:
    """How a kind of benchmark works.

    Attributes:
        read_predictions: (bundle, track, bytes, rules) -> the family's own
            predictions; needs public questions only; raises PredictionsInvalid.
        match: (bundle with truth, track, predictions, rules) -> Outcome.
        weigh: (outcome, weights (B, C)) -> whatever the family's metrics reduce;
            computed once for a batch of draws.
        check: (bundle) -> problems of the bundle itself, in words.
        perfect: (bundle with truth, track) -> a predictions file that scores 1.
        convert: (bundle, track, bytes) -> a lawful predictions file made from a
            foreign form, and notes on what was done.
        example: (bundle, track) -> a short predictions file that shows the form;
            needs public questions only.
        blind: (bundle, track) -> a small complete predictions file made without a look,
            the same answer everywhere; needs public questions only.
        fingerprint: (bundle with truth, track, predictions, rules) -> (Q,) the answers
            in short, as `evaluator.likeness` compares them.
        audit: (bundle with truth, track) -> what can be said before anybody answers;
            None where `check` says it all.
        asked: (bundle, track) -> the questions as a model is asked them; needs public
            questions only; None where no model is asked in words.
        questions_by_cluster: (outcome, slice slug) -> (C, S) questions of the slice in
            each cluster, by the parts that the slice falls into; None where a cluster
            is a question.
        errors_by_kind: (outcome) -> the table of wrong answers, chance beside it;
            None where wrong options are of no known kind.
        agreement: (outcome, outcome) -> how often both have the same answer; None
            where outcomes do not keep answers.
    """

    slug: str
    title: str
    description: str
    tracks: tuple[Track, ...]
    metrics: tuple[Metric, ...]
    slices: tuple[Slice, ...]
    facets: tuple[Facet, ...]
    trivial: tuple[Trivial, ...]
    rules: tuple[str, ...]  # the first is the default
    primary_metric: str
    draws: int
    read_predictions: Callable[[Bundle, str, bytes, str], Any]
    match: Callable[[Bundle, str, Any, str], Outcome]
    weigh: Callable[[Outcome, WeightArray], Any]
    check: Callable[[Bundle], list[str]]
    perfect: Callable[[Bundle, str], bytes]
    convert: Callable[[Bundle, str, bytes], tuple[bytes, list[str]]]
    example: Callable[[Bundle, str], bytes]
    blind: Callable[[Bundle, str], bytes]
    fingerprint: Callable[[Bundle, str, Any, str], NDArray[np.uint64]]
    audit: Callable[[Bundle, str], TrackAudit] | None = None
    asked: Callable[[Bundle, str], tuple[Asked, ...]] | None = None
    questions_by_cluster: Callable[[Outcome, str], NDArray[np.int64]] | None = None
    errors_by_kind: Callable[[Outcome], list[KindOfError]] | None = None
    agreement: Callable[[Outcome, Outcome], Agreement] | None = None

    def metric(self, slug: str) -> Metric:
        return _named(self.metrics, slug)

    def slice(self, slug: str) -> Slice:
        return _named(self.slices, slug)

    def track(self, slug: str) -> Track:
        return _named(self.tracks, slug)

    def addresses(self, outcome: Outcome, track: str) -> list[tuple[Slice, Metric]]:
        """The (slice, metric) pairs that are defined for an outcome, in display order."""
        present = outcome.facts["slices"]
        return [
            (slice_, metric)
            for slice_ in self.slices
            if slice_.slug in present and (slice_.tracks is None or track in slice_.tracks)
            for metric in self.metrics
            if (slice_.metrics is None or metric.slug in slice_.metrics)
            and (metric.slices is None or slice_.slug in metric.slices)
            and (metric.tracks is None or track in metric.tracks)
            and (metric.rules is None or outcome.rules in metric.rules)
        ]


def _named(things: tuple[T, ...], slug: str) -> T:
    for thing in things:
        if thing.slug == slug:
            return thing
    raise KeyError(slug)
