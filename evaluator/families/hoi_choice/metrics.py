"""How answers are counted, from sums under weights (STATISTICS, section 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evaluator.families.hoi_choice.evidence import HIT, PICK, RIGHT, SUMS
from evaluator.family import FloatArray, Metric, WeightArray
from evaluator.outcome import Outcome


@dataclass(slots=True)
class Weighed:
    """An outcome's sums under B rows of weights.

    `totals` is (B, slices, len(SUMS)), `by_cluster` the weights as (C, B). Class
    totals are made when an average over classes first asks for them.
    """

    outcome: Outcome
    totals: FloatArray
    by_cluster: WeightArray
    _class_totals: dict[int, tuple[FloatArray, FloatArray, FloatArray]] = field(
        default_factory=dict
    )

    def total(self, slice_: str, name: str) -> FloatArray:
        """(B,) weighted sum of one quantity in a slice."""
        number: int = self.outcome.facts["slices"].index(slice_)
        total: FloatArray = self.totals[:, number, SUMS.index(name)]
        return total

    def class_totals(
        self, slice_: str
    ) -> tuple[FloatArray, FloatArray, FloatArray, NDArray[np.bool_]]:
        """Hits, picks and right labels by class, each (K, B), and the slice's classes (K,)."""
        number, members = _class_slice(self.outcome, slice_)
        if number not in self._class_totals:
            self._class_totals[number] = (
                self._class_total(number, HIT),
                self._class_total(number, PICK),
                self._class_total(number, RIGHT),
            )
        return (*self._class_totals[number], members)

    def _class_total(self, slice_: int, kind: int) -> FloatArray:
        rows = self.outcome.arrays["occurrences"]
        rows = rows[(rows[:, 0] == slice_) & (rows[:, 1] == kind)]
        n_classes = self.outcome.arrays["group_members"].shape[1]
        totals = np.zeros((n_classes, self.by_cluster.shape[1]))
        if rows.size:
            classes, starts = np.unique(rows[:, 2], return_index=True)
            totals[classes] = np.add.reduceat(
                self.by_cluster[rows[:, 3]], starts, axis=0, dtype=np.float64
            )
        return totals


def _class_slice(outcome: Outcome, slice_: str) -> tuple[int, NDArray[np.bool_]]:
    """Index of the questions that a slice's classes are counted over, and its classes (K,)."""
    number: int = outcome.facts["slices"].index(slice_)
    n_question_slices: int = outcome.facts["n_question_slices"]
    groups: NDArray[np.bool_] = outcome.arrays["group_members"]
    if number < n_question_slices:
        return number, np.ones(groups.shape[1], dtype=bool)
    return 0, groups[number - n_question_slices]  # a group counts over all questions


def weigh(outcome: Outcome, weights: WeightArray) -> Weighed:
    """Sums of an outcome under weights (B, C): one matrix product for all slices."""
    sums = outcome.arrays["sums"]
    n_clusters, n_slices, n_sums = sums.shape
    totals = weights.astype(np.float64) @ sums.reshape(n_clusters, n_slices * n_sums)
    by_cluster: WeightArray = np.ascontiguousarray(weights.T)  # type: ignore[assignment]  # same dtype
    return Weighed(outcome, totals.reshape(-1, n_slices, n_sums), by_cluster)


def ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Element-wise quotient, NaN where nothing stands below."""
    quotient: FloatArray = np.divide(above, below, out=np.full_like(below, np.nan), where=below > 0)
    return quotient


def macro_f1(weighed: Weighed, slice_: str) -> FloatArray:
    """Mean of class F1 over the classes that are right at least once; (B,) in [0, 1].

    Under `released` also classes that were only ever named count, with F1 0.
    Source: CrossHOI-Bench, equation 1, over a fixed class list.
    """
    hits, picks, right, members = weighed.class_totals(slice_)
    counts = _counting_classes(weighed, picks, right) & members[:, None]
    f1 = np.divide(2 * hits, picks + right, out=np.zeros_like(hits), where=counts)
    return ratio(f1.sum(axis=0), counts.sum(axis=0).astype(np.float64))


def count_classes(outcome: Outcome, slice_: str) -> tuple[int, int]:
    """Classes that the macro average runs over, and the clusters where they count."""
    number, members = _class_slice(outcome, slice_)
    rows = outcome.arrays["occurrences"]
    kinds = (RIGHT, PICK) if outcome.rules == "released" else (RIGHT,)
    rows = rows[(rows[:, 0] == number) & np.isin(rows[:, 1], kinds) & members[rows[:, 2]]]
    return np.unique(rows[:, 2]).size, np.unique(rows[:, 3]).size


def _counting_classes(weighed: Weighed, picks: FloatArray, right: FloatArray) -> NDArray[np.bool_]:
    return right + picks > 0 if weighed.outcome.rules == "released" else right > 0


def micro_f1(weighed: Weighed, slice_: str) -> FloatArray:
    """F1 of pooled labels, (B,). Source: CrossHOI-Bench, equation 3.

    Under `released` it is made of precision and recall, so it is not defined
    where precision is not, nor where both are zero.
    """
    hits, picks, right = (weighed.total(slice_, name) for name in ("hits", "picks", "right"))
    f1 = ratio(2 * hits, picks + right)
    if weighed.outcome.rules == "released":
        f1[hits == 0] = np.nan
    return f1


def exact_match(weighed: Weighed, slice_: str) -> FloatArray:
    """Share of questions whose answer is the right set, (B,).

    The released scorer divides by images, which differs where an image has
    several questions. Source: CrossHOI-Bench, equation 4.
    """
    per = _exact_match_per(weighed.outcome)
    return ratio(weighed.total(slice_, "exact"), weighed.total(slice_, per))


def abstention_rate(weighed: Weighed, slice_: str) -> FloatArray:
    """Share of questions that were left without an answer, (B,)."""
    questions = weighed.total(slice_, "questions")
    return ratio(questions - weighed.total(slice_, "answered"), questions)


def _quotient(above: str, below: str) -> Callable[[Weighed, str], FloatArray]:
    def compute(weighed: Weighed, slice_: str) -> FloatArray:
        return ratio(weighed.total(slice_, above), weighed.total(slice_, below))

    return compute


def _sum_of(name: str) -> Callable[[Outcome, str], tuple[int, int]]:
    def count(outcome: Outcome, slice_: str) -> tuple[int, int]:
        sums = _sums_of(name)(outcome, slice_)
        return int(sums.sum()), int((sums > 0).sum())

    return count


def _sums_of(name: str) -> Callable[[Outcome, str], FloatArray]:
    def sums(outcome: Outcome, slice_: str) -> FloatArray:
        """(C,) of one quantity of a slice."""
        number: int = outcome.facts["slices"].index(slice_)
        by_cluster: FloatArray = outcome.arrays["sums"][:, number, SUMS.index(name)]
        return by_cluster

    return sums


def _exact_match_sizes(outcome: Outcome, slice_: str) -> FloatArray:
    return _sums_of(_exact_match_per(outcome))(outcome, slice_)


def _exact_match_per(outcome: Outcome) -> str:
    return "images" if outcome.rules == "released" else "questions"


def questions_by_cluster(outcome: Outcome, slice_: str) -> NDArray[np.int64]:
    """Questions of each image, (C, 1)."""
    return _sums_of("questions")(outcome, slice_)[:, None].astype(np.int64)


_TARGET_TRACKS = ("target-box", "target-pair", "detect-then-answer")

METRICS = (
    Metric(
        slug="macro_f1",
        title="Macro-F1",
        short="Macro-F1",
        description="Mean F1 over the classes that are right in at least one question.",
        interval="recentred",
        compute=macro_f1,
        count=count_classes,
        headline=True,
    ),
    Metric(
        slug="instance_f1",
        title="Instance-F1",
        short="Inst-F1",
        description="Mean over questions of the F1 between the answer and the right set.",
        interval="percentile",
        compute=_quotient("f1", "questions"),
        count=_sum_of("questions"),
        headline=True,
        sizes=_sums_of("questions"),
    ),
    Metric(
        slug="micro_f1",
        title="Micro-F1",
        short="Micro-F1",
        description="F1 of all labels pooled over questions.",
        interval="percentile",
        compute=micro_f1,
        count=_sum_of("questions"),
        headline=True,
    ),
    Metric(
        slug="exact_match",
        title="Exact match",
        short="EM",
        description="Share of questions answered with exactly the right set.",
        interval="percentile",
        compute=exact_match,
        count=_sum_of("questions"),
        headline=True,
        sizes=_exact_match_sizes,
        is_share_of_questions=True,
    ),
    Metric(
        slug="precision",
        title="Precision, pooled",
        short="Prec.",
        description="Right picks over all picks, pooled over questions.",
        interval="percentile",
        compute=_quotient("hits", "picks"),
        count=_sum_of("picks"),
        headline=True,
        sizes=_sums_of("picks"),
    ),
    Metric(
        slug="recall",
        title="Recall, pooled",
        short="Rec.",
        description="Right picks over all right choices, pooled over questions.",
        interval="percentile",
        compute=_quotient("hits", "right"),
        count=_sum_of("right"),
        headline=True,
        sizes=_sums_of("right"),
    ),
    Metric(
        slug="precision_per_question",
        title="Precision, per question",
        short="Prec./q",
        description="Mean precision over the questions that were answered.",
        interval="percentile",
        compute=_quotient("precision", "answered"),
        count=_sum_of("answered"),
        sizes=_sums_of("answered"),
    ),
    Metric(
        slug="recall_per_question",
        title="Recall, per question",
        short="Rec./q",
        description="Mean recall over the questions that have a right choice.",
        interval="percentile",
        compute=_quotient("recall", "answerable"),
        count=_sum_of("answerable"),
        sizes=_sums_of("answerable"),
    ),
    Metric(
        slug="abstention_rate",
        title="Abstentions",
        short="Abst.",
        description="Share of questions left without an answer.",
        interval="percentile",
        compute=abstention_rate,
        count=_sum_of("questions"),
        higher_is_better=False,
        sizes=_sums_of("questions"),
        is_share_of_questions=True,
    ),
    Metric(
        slug="misattribution",
        title="Misattribution",
        short="Misattr.",
        description=(
            "Of the wrong picks, the share that is true of another annotated person of the image."
        ),
        interval="percentile",
        compute=_quotient("of_others", "judged_wrong"),
        count=_sum_of("judged_wrong"),
        higher_is_better=False,
        tracks=_TARGET_TRACKS,
        sizes=_sums_of("judged_wrong"),
    ),
    Metric(
        slug="detection_rate",
        title="Target found",
        short="Found",
        description="Share of questions whose hidden target one of the given people overlaps.",
        interval="percentile",
        compute=_quotient("found", "questions"),
        count=_sum_of("questions"),
        tracks=("detect-then-answer",),
        sizes=_sums_of("questions"),
        is_share_of_questions=True,
    ),
)
