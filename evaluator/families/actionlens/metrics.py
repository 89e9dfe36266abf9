"""How answers are counted, from sums under weights (STATISTICS, section 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from evaluator.families.actionlens.diagnostics import TRAP_CHANCE
from evaluator.families.actionlens.evidence import SUMS, items_of
from evaluator.families.actionlens.slices import (
    ALL,
    DIAGNOSTIC_SLICES,
    REVIEW,
    REVIEW_SLICES,
    SLICES,
    TRAP_SLICES,
)
from evaluator.family import FloatArray, Metric, WeightArray
from evaluator.outcome import Outcome

WHOLE = (ALL, REVIEW)
SINGLE = tuple(s.slug for s in SLICES if s.slug not in WHOLE)
PARTS = {ALL: DIAGNOSTIC_SLICES, REVIEW: REVIEW_SLICES}


@dataclass(slots=True)
class Weighed:
    """An outcome's sums under B rows of weights; a slice is weighed when first asked for."""

    outcome: Outcome
    weights: FloatArray
    _totals: dict[str, FloatArray] = field(default_factory=dict)

    def total(self, slice_: str, name: str) -> FloatArray:
        """(B,) weighted sum of one quantity in a slice; zeros where the slice is empty."""
        totals = self._totals.get(slice_)
        if totals is None:
            sums = slice_sums(self.outcome, slice_)
            totals = self._totals[slice_] = np.ascontiguousarray((self.weights @ sums).T)
        total: FloatArray = totals[SUMS.index(name)]
        return total


def slice_sums(outcome: Outcome, slice_: str) -> FloatArray:
    """(C, len(SUMS)) of one slice; zeros where the outcome has no such slice."""
    slices: list[str] = outcome.facts["slices"]
    if slice_ not in slices:
        return np.zeros((outcome.n_clusters, len(SUMS)))
    sums: FloatArray = outcome.arrays["sums"][:, slices.index(slice_), :]
    return np.ascontiguousarray(sums)


def weigh(outcome: Outcome, weights: WeightArray) -> Weighed:
    """An outcome under weights (B, C)."""
    return Weighed(outcome, weights.astype(np.float64))


def ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Element-wise quotient, NaN where nothing stands below."""
    quotient: FloatArray = np.divide(above, below, out=np.full_like(below, np.nan), where=below > 0)
    return quotient


def accuracy(weighed: Weighed, slice_: str) -> FloatArray:
    """Share of questions whose answer is the key, (B,); no answer is wrong."""
    return ratio(weighed.total(slice_, "right"), weighed.total(slice_, "questions"))


def diagnostic_macro(weighed: Weighed, slice_: str) -> FloatArray:
    """Mean of the accuracies of the diagnostics present in the draw, (B,).

    Source: ActionLens, appendices B.4 and L.
    """
    n_draws = len(weighed.weights)
    total, n_present = np.zeros(n_draws), np.zeros(n_draws)
    for part in PARTS[slice_]:
        value = accuracy(weighed, part)
        is_present = ~np.isnan(value)
        total += np.where(is_present, value, 0.0)
        n_present += is_present
    return ratio(total, n_present)


def _quotient(above: str, below: str, scale: float = 1.0) -> Callable[[Weighed, str], FloatArray]:
    def compute(weighed: Weighed, slice_: str) -> FloatArray:
        return ratio(scale * weighed.total(slice_, above), weighed.total(slice_, below))

    return compute


def _sum_of(name: str) -> Callable[[Outcome, str], tuple[int, int]]:
    def count(outcome: Outcome, slice_: str) -> tuple[int, int]:
        sums = slice_sums(outcome, slice_)[:, SUMS.index(name)]
        return round(sums.sum()), int((sums > 0).sum())

    return count


def _sizes(name: str) -> Callable[[Outcome, str], FloatArray]:
    def sizes(outcome: Outcome, slice_: str) -> FloatArray:
        """(C,) of the sum that stands below the line."""
        return slice_sums(outcome, slice_)[:, SUMS.index(name)]

    return sizes


METRICS = (
    Metric(
        slug="question_micro",
        title="Question-micro accuracy",
        short="Micro",
        description="Share of all questions answered rightly: each question weighs the same.",
        interval="percentile",
        compute=accuracy,
        count=_sum_of("questions"),
        headline=True,
        slices=WHOLE,
        sizes=_sizes("questions"),
        is_share_of_questions=True,
        items=items_of,
    ),
    Metric(
        slug="diagnostic_macro",
        title="Diagnostic-macro accuracy",
        short="Macro",
        description="Mean of the accuracies of the diagnostics: each diagnostic weighs the same.",
        interval="percentile",
        compute=diagnostic_macro,
        count=_sum_of("questions"),
        headline=True,
        slices=WHOLE,
        items=items_of,
    ),
    Metric(
        slug="accuracy",
        title="Accuracy",
        short="Acc.",
        description="Share of questions answered rightly; no answer is wrong.",
        interval="percentile",
        compute=accuracy,
        count=_sum_of("questions"),
        headline=True,
        slices=SINGLE,
        sizes=_sizes("questions"),
        is_share_of_questions=True,
        items=items_of,
    ),
    Metric(
        slug="equal_video",
        title="Equal-video accuracy",
        short="Eq. video",
        description="Mean over videos of the video's accuracy: each video weighs the same.",
        interval="percentile",
        compute=_quotient("video_accuracy", "videos"),
        count=_sum_of("questions"),
        slices=(*WHOLE, *DIAGNOSTIC_SLICES, *REVIEW_SLICES),
        sizes=_sizes("videos"),
    ),
    Metric(
        slug="trap_rate",
        title="Trap rate",
        short="Trap",
        description=(
            "Of the readable wrong answers, the share that names the other highlighted "
            "person's action; guessing among three wrong options gives 33.3 %."
        ),
        interval="percentile",
        compute=_quotient("trapped", "trappable"),
        count=_sum_of("trappable"),
        higher_is_better=False,
        slices=TRAP_SLICES,
        sizes=_sizes("trappable"),
    ),
    Metric(
        slug="trap_lift",
        title="Trap lift",
        short="Lift",
        description=(
            "Trap rate over chance, 1/3; as a percentage of chance, so that above 100 the wrong "
            "person's action attracts."
        ),
        interval="percentile",
        compute=_quotient("trapped", "trappable", scale=1.0 / TRAP_CHANCE),
        count=_sum_of("trappable"),
        higher_is_better=False,
        slices=TRAP_SLICES,
        scale=1.0 / TRAP_CHANCE,
        sizes=_sizes("trappable"),
    ),
    Metric(
        slug="invalid_rate",
        title="Invalid answers",
        short="Invalid",
        description="Share of questions without a readable answer.",
        interval="percentile",
        compute=_quotient("no_answer", "questions"),
        count=_sum_of("questions"),
        higher_is_better=False,
        sizes=_sizes("questions"),
        is_share_of_questions=True,
    ),
)
