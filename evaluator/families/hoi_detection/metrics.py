"""Mean average precision and its kin, as functions of image weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evaluator.families.hoi_detection.average_precision import HitRuns, average_precision
from evaluator.family import FloatArray, Metric, Slice, WeightArray
from evaluator.outcome import Outcome

SLICES = (
    Slice("all", "Full", "All classes that the truth holds."),
    Slice("rare", "Rare", "Classes with fewer than 10 training instances."),
    Slice("non-rare", "Non-rare", "Classes with 10 or more training instances."),
)


@dataclass(slots=True)
class Weighed:
    """An outcome under B rows of image weights; average precision is made on demand.

    `n_truth` is (B, K): the weighted pairs of the truth in each class.
    """

    outcome: Outcome
    weights: WeightArray
    n_truth: FloatArray
    _values: dict[str, FloatArray] = field(default_factory=dict)

    def average_precision(self, setting: str) -> FloatArray:
        """(B, K) in one of the settings `default` and `known_object`."""
        if setting not in self._values:
            self._values[setting] = average_precision(
                runs_of(self.outcome, setting),
                self.weights,
                self.n_truth,
                self.outcome.arrays["thresholds"],
            )
        return self._values[setting]

    def recall(self) -> FloatArray:
        """(B, K) share of the truth's pairs that any detection found."""
        runs = runs_of(self.outcome, "default")
        found = _by_class(runs.label, runs.image, self.weights, self.n_truth.shape[1])
        return np.divide(found, self.n_truth, out=np.zeros_like(found), where=self.n_truth > 0)


def weigh(outcome: Outcome, weights: WeightArray) -> Weighed:
    """An outcome under weights (B, C)."""
    labels = outcome.arrays["truth_label"]
    n_classes = outcome.arrays["class_object"].size
    n_truth = _by_class(labels, outcome.arrays["truth_image"], weights, n_classes)
    return Weighed(outcome, weights, n_truth)


def runs_of(outcome: Outcome, setting: str) -> HitRuns:
    """The compressed ranking of a setting."""
    arrays = outcome.arrays
    return HitRuns(
        label=arrays[f"{setting}_label"],
        image=arrays[f"{setting}_image"],
        n_before=arrays[f"{setting}_n_before"],
        false_image=arrays[f"{setting}_false_image"],
    )


def members(outcome: Outcome, group: str) -> NDArray[np.bool_]:
    """(K,) classes of a slice or group; none where the class list does not tell."""
    n_classes = outcome.arrays["class_object"].size
    if group == "all":
        return np.ones(n_classes, dtype=bool)
    groups: list[str] = outcome.facts["groups"]
    if group not in groups:
        return np.zeros(n_classes, dtype=bool)
    chosen: NDArray[np.bool_] = outcome.arrays["groups"][groups.index(group)]
    return chosen


def _mean_over_classes(
    of: Callable[[Weighed], FloatArray],
) -> Callable[[Weighed, str], FloatArray]:
    def compute(weighed: Weighed, slice_: str) -> FloatArray:
        """(B,) mean over the slice's classes that hold truth in the draw; NaN without any."""
        counts = (weighed.n_truth > 0) & members(weighed.outcome, slice_)
        return _ratio(np.where(counts, of(weighed), 0.0).sum(axis=1), counts.sum(axis=1))

    return compute


def _object_mean(weighed: Weighed, group: str, *, skip: bool) -> FloatArray:
    """(B,) mean over objects of the mean AP of their classes in the group.

    Args:
        skip: objects without such classes are left out; else they count zero.

    Source: Wang et al. 2022 (arXiv 2207.02400), object-rare: N_vo / N_o < 0.3.
    """
    outcome = weighed.outcome
    if group not in outcome.facts["groups"]:
        return np.full(weighed.n_truth.shape[0], np.nan)
    object_of = outcome.arrays["class_object"]
    belongs = np.eye(object_of.max() + 1)[object_of]  # (K, O)
    has_truth = weighed.n_truth > 0
    counts = has_truth & members(outcome, group)
    n_classes = counts @ belongs
    total = np.where(counts, weighed.average_precision("default"), 0.0) @ belongs
    per_object = np.divide(total, n_classes, out=np.zeros_like(total), where=n_classes > 0)
    present = n_classes > 0 if skip else has_truth @ belongs > 0
    return _ratio(per_object.sum(axis=1), present.sum(axis=1))


def object_rare(weighed: Weighed, slice_: str) -> FloatArray:
    """OR: mean AP of object-rare classes within an object, then over objects; (B,)."""
    del slice_
    return _object_mean(weighed, "object-rare", skip=True)


def object_non_rare(weighed: Weighed, slice_: str) -> FloatArray:
    """ONR: the same for object-non-rare classes; 13 objects of HICO have none: skipped."""
    del slice_
    return _object_mean(weighed, "object-non-rare", skip=not weighed.outcome.facts["zero_objects"])


def object_average(weighed: Weighed, slice_: str) -> FloatArray:
    """AVE: the mean of OR and ONR; (B,)."""
    return (object_rare(weighed, slice_) + object_non_rare(weighed, slice_)) / 2


def _count(group: str | None) -> Callable[[Outcome, str], tuple[int, int]]:
    def count(outcome: Outcome, slice_: str) -> tuple[int, int]:
        """Classes with truth, and the images that hold it."""
        labels = outcome.arrays["truth_label"]
        kept = members(outcome, group or slice_)[labels]
        images = outcome.arrays["truth_image"][kept]
        return np.unique(labels[kept]).size, np.unique(images).size

    return count


def _by_class(
    labels: NDArray[np.int32], images: NDArray[np.int32], weights: WeightArray, n_classes: int
) -> FloatArray:
    """(B, K) sums by class of the weights of images."""
    sums = np.empty((weights.shape[0], n_classes))
    for draw, row in enumerate(weights):
        sums[draw] = np.bincount(labels, weights=row[images], minlength=n_classes)
    return sums


def _ratio(above: FloatArray, below: NDArray[np.int64]) -> FloatArray:
    quotient: FloatArray = np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)
    return quotient


def _map_metric(slug: str, setting: str, title: str, short: str, description: str) -> Metric:
    return Metric(
        slug=slug,
        title=title,
        short=short,
        description=description,
        interval="recentred",
        compute=_mean_over_classes(lambda weighed: weighed.average_precision(setting)),
        count=_count(None),
        headline=True,
    )


def _object_metric(
    slug: str,
    title: str,
    description: str,
    group: str,
    compute: Callable[[Weighed, str], FloatArray],
) -> Metric:
    return Metric(
        slug=slug,
        title=title,
        short=slug.removesuffix("_map").upper(),
        description=description,
        interval="recentred",
        compute=compute,
        count=_count(group),
        headline=True,
        slices=("all",),
    )


METRICS = (
    _map_metric(
        "map",
        "default",
        "mAP, default",
        "mAP",
        "Mean average precision over classes; false positives count on every image.",
    ),
    _map_metric(
        "map_known_object",
        "known_object",
        "mAP, known object",
        "mAP-ko",
        "The same with each class looked for only on images that show its object.",
    ),
    _object_metric(
        "or_map",
        "Object-rare mAP (OR)",
        "Mean AP within an object over verbs seen in under 30 % of its training pairs, "
        "then over objects.",
        "object-rare",
        object_rare,
    ),
    _object_metric(
        "onr_map",
        "Object-non-rare mAP (ONR)",
        "The same for the other verbs; objects without any are skipped.",
        "object-non-rare",
        object_non_rare,
    ),
    _object_metric(
        "ave_map", "Object-bias average (AVE)", "Mean of OR and ONR.", "all", object_average
    ),
    Metric(
        slug="max_recall",
        title="Maximal recall",
        short="Recall",
        description="Mean over classes of the share of pairs that any detection found.",
        interval="recentred",
        compute=_mean_over_classes(Weighed.recall),
        count=_count(None),
    ),
)
