"""What remains of a submission: sums per cluster for every slice, and occurrences of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Bundle
from evaluator.families.hoi_choice.labels import is_release_spelling
from evaluator.families.hoi_choice.schema import Layout, TruthLayout
from evaluator.families.hoi_choice.slices import label_groups, question_slices
from evaluator.family import FloatArray
from evaluator.outcome import Outcome

OTHERS_UNKNOWN = "what other people do is not annotated"

# Sums per cluster and slice, in this order along the last axis of `sums`.
SUMS = (
    "questions",
    "exact",
    "f1",
    "answered",
    "precision",
    "answerable",
    "recall",
    "found",
    "hits",
    "picks",
    "right",
    "judged_wrong",
    "of_others",
    "images",
)
# Occurrences of a class, counted per cluster: named rightly, named, right.
HIT, PICK, RIGHT = range(3)


@dataclass(frozen=True, slots=True)
class Tally:
    """One submission against truth, choice by choice and question by question.

    Attributes:
        hits, picks: (N,) how often each choice was named rightly, and named at all.
        exact, f1, found: (Q,).
    """

    hits: NDArray[np.int64]
    picks: NDArray[np.int64]
    exact: NDArray[np.bool_]
    f1: FloatArray
    found: NDArray[np.bool_]


def outcome_of(
    bundle: Bundle,
    track: str,
    layout: Layout,
    truth: TruthLayout,
    tally: Tally,
    rules: str,
    notes: list[str],
) -> Outcome:
    """The outcome of a tally.

    A slice of questions counts these questions and their labels. A slice of
    classes counts their labels wherever they stand, and whole questions with a
    right choice among them (STATISTICS, section 3).
    """
    classes = bundle.benchmark.classes
    subsets = question_slices(track, truth, tally.found)
    groups = label_groups(classes)
    in_groups = [members[layout.label] for members in groups.values()]
    questions = np.array(
        [
            *subsets.values(),
            *(layout.per_question(truth.right & in_group) > 0 for in_group in in_groups),
        ]
    )
    labels = np.array([*(chosen[layout.question] for chosen in subsets.values()), *in_groups])
    averaged = _averaged(bundle, layout, rules)
    return Outcome(
        family="hoi_choice",
        rules=rules,
        clusters=layout.clusters,
        arrays={
            "sums": _sums(layout, truth, tally, questions, labels),
            "occurrences": np.concatenate(
                [
                    _occurrences(layout, number, kind, np.where(counting & averaged, counts, 0))
                    for number, counting in enumerate(labels[: len(subsets)])
                    for kind, counts in (
                        (HIT, tally.hits),
                        (PICK, tally.picks),
                        (RIGHT, truth.right),
                    )
                ]
            ),
            "group_members": np.array(list(groups.values()), dtype=bool).reshape(-1, len(classes)),
        },
        facts={
            "slices": [*subsets, *groups],
            "n_question_slices": len(subsets),
            "groups": list(groups),
            "notes": notes,
            "reasons": {} if truth.knows_others.any() else {"misattribution": OTHERS_UNKNOWN},
        },
    )


def _averaged(bundle: Bundle, layout: Layout, rules: str) -> NDArray[np.bool_]:
    """(N,) choices whose class an average over classes can hold."""
    if rules == "paper":
        return np.ones(layout.n_choices, dtype=bool)
    listed = np.array([entry.listed for entry in bundle.benchmark.classes])
    choices = (choice for question in layout.questions for choice in question.choices)
    spelt: NDArray[np.bool_] = np.array([is_release_spelling(choice) for choice in choices])
    return listed[layout.label] & spelt


def _sums(
    layout: Layout,
    truth: TruthLayout,
    tally: Tally,
    questions: NDArray[np.bool_],
    labels: NDArray[np.bool_],
) -> FloatArray:
    """(C, S, len(SUMS)): quantities of questions over `questions`, of labels over `labels`.

    Args:
        questions: (S, Q) the questions that count in each slice.
        labels: (S, N) the choices whose picks and rights count in each slice.
    """
    n_hit, n_picked, n_right = (
        layout.per_question(counts.astype(float))
        for counts in (tally.hits, tally.picks, truth.right)
    )
    judged = np.where(truth.knows_others[layout.question], tally.picks - tally.hits, 0)
    of_questions = (
        np.ones(layout.n_questions),
        tally.exact,
        tally.f1,
        n_picked > 0,
        np.divide(n_hit, n_picked, out=np.zeros_like(n_hit), where=n_picked > 0),
        n_right > 0,
        np.divide(n_hit, n_right, out=np.zeros_like(n_hit), where=n_right > 0),
        tally.found,
    )
    of_labels = (tally.hits, tally.picks, truth.right, judged, judged * truth.of_others)
    n_clusters = len(layout.clusters)
    sums = np.zeros((n_clusters, len(questions), len(SUMS)))
    sums[:, :, : len(of_questions)] = _by_cluster(
        layout.cluster, questions, np.stack(of_questions, axis=1), n_clusters
    )
    sums[:, :, len(of_questions) : -1] = _by_cluster(
        layout.cluster[layout.question], labels, np.stack(of_labels, axis=1), n_clusters
    )
    # The released scorer divides exact matches by images, not by questions.
    sums[:, :, -1] = sums[:, :, 0] > 0
    return sums


def _by_cluster(
    cluster: NDArray[np.int64], chosen: NDArray[np.bool_], columns: NDArray[Any], n_clusters: int
) -> FloatArray:
    """(C, S, n) sums over the rows of each cluster that a slice chooses.

    Args:
        cluster: (R,) of each row.
        chosen: (S, R).
        columns: (R, n) quantities.
    """
    if n_clusters == 1:
        return np.asarray(chosen.astype(np.float64) @ columns.astype(np.float64))[None]
    order = np.argsort(cluster, kind="stable")
    present, starts = np.unique(cluster[order], return_index=True)
    rows = chosen.T[order][:, :, None] * columns[order][:, None, :].astype(np.float64)
    flat = rows.reshape(len(order), -1)
    sums = np.zeros((n_clusters, flat.shape[1]))
    sums[present] = np.add.reduceat(flat, starts, axis=0)
    return sums.reshape(n_clusters, *rows.shape[1:])


def _occurrences(
    layout: Layout, slice_: int, kind: int, counts: NDArray[np.int64]
) -> NDArray[np.int32]:
    """(n, 4) rows of slice, kind, class, cluster, sorted; one row for each occurrence."""
    choice = np.repeat(np.arange(layout.n_choices), counts)
    label = layout.label[choice]
    cluster = layout.cluster[layout.question[choice]]
    order = np.lexsort((cluster, label))
    rows = np.empty((choice.size, 4), dtype=np.int32)
    rows[:, 0], rows[:, 1] = slice_, kind
    rows[:, 2], rows[:, 3] = label[order], cluster[order]
    return rows
