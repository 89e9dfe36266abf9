"""What can be said of a benchmark before anybody answers: sizes, balance, distance from training.

Families say it of their own tracks; this module holds the form and what they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import LabelClass

N_HEAD = 20  # first and last classes by training instances
HISTOGRAM_EDGES = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Fact:
    """One number about a track; None with a reason where it cannot be said."""

    slug: str
    title: str
    value: int | float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AuditTable:
    """Rows under columns; a long one is for scripts rather than for the eye."""

    slug: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_long: bool = False


@dataclass(frozen=True, slots=True)
class TrackAudit:
    """Everything said of one track."""

    facts: tuple[Fact, ...]
    tables: tuple[AuditTable, ...]


def class_tables(
    classes: Sequence[LabelClass], counts: NDArray[np.int64]
) -> tuple[AuditTable, AuditTable]:
    """How many classes have how many instances, and the classes one by one.

    Args:
        counts: (K,) instances of each class in the truth.
    """
    bars = np.searchsorted(HISTOGRAM_EDGES, counts, side="right") - 1
    heights = np.bincount(bars, minlength=len(HISTOGRAM_EDGES)).tolist()
    rows = zip(_spans(HISTOGRAM_EDGES), heights, strict=True)
    each = tuple(
        (entry.name, entry.train_instances, int(n))
        for entry, n in zip(classes, counts, strict=True)
    )
    return (
        AuditTable("class-histogram", "Classes by instances", ("instances", "classes"), (*rows,)),
        AuditTable("classes", "Classes", ("class", "train", "test"), each, is_long=True),
    )


def _spans(edges: Sequence[int]) -> list[str]:
    """Whole numbers from each edge up to the next, as printed."""
    spans = [str(a) if b == a + 1 else f"{a}-{b - 1}" for a, b in pairwise(edges)]
    return [*spans, f"{edges[-1]}+"]


def training_facts(
    classes: Sequence[LabelClass], counts: NDArray[np.int64]
) -> tuple[Fact, Fact, Fact]:
    """How far the truth's classes are from the training set's.

    Only classes with a training count enter. Order by training instances, ties
    by the parent data set's id, else in the order of the list.
    """
    known = sorted(
        (n for n, entry in enumerate(classes) if entry.train_instances is not None),
        key=lambda n: (-(classes[n].train_instances or 0), _id_of(classes[n], n)),
    )
    train = np.array([classes[n].train_instances for n in known], dtype=np.float64)
    test = counts[known].astype(np.float64)
    return (
        _divergence(train, test),
        _head_tail(test, "head_tail_ratio", f"Instances, {N_HEAD} head over tail classes"),
        _head_tail(train, "head_tail_ratio_train", "The same in training"),
    )


def _id_of(entry: LabelClass, place: int) -> int:
    return place if entry.id is None else entry.id


def _divergence(train: NDArray[np.float64], test: NDArray[np.float64]) -> Fact:
    slug, title = "kl_train_test", "KL(train || test), natural log"
    if not train.sum():
        return Fact(slug, title, None, "the class list gives no training counts")
    n_absent = int(((train > 0) & (test == 0)).sum())
    if n_absent:
        return Fact(
            slug,
            title,
            None,
            f"infinite: classes of the training set that never occur here: {n_absent}",
        )
    p, q = (counts[train > 0] / counts.sum() for counts in (train, test))
    return Fact(slug, title, float((p * np.log(p / q)).sum()))


def _head_tail(counted: NDArray[np.float64], slug: str, title: str) -> Fact:
    """Of counts in the order of training instances, most frequent first."""
    if counted.size < 2 * N_HEAD:
        return Fact(slug, title, None, f"fewer than {2 * N_HEAD} classes with training counts")
    head, tail = counted[:N_HEAD].sum(), counted[-N_HEAD:].sum()
    if not tail:
        return Fact(slug, title, None, "no tail class occurs")
    return Fact(slug, title, float(head / tail))
