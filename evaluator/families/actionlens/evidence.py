"""What remains of a submission: sums per video for every slice, picks, errors by kind."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Bundle
from evaluator.families.actionlens.diagnostics import DIAGNOSTICS, KINDS
from evaluator.families.actionlens.predictions import NO_ANSWER, Answers
from evaluator.families.actionlens.schema import Layout, TruthLayout, lay_out, lay_out_truth
from evaluator.families.actionlens.slices import ALL, REVIEW, REVIEW_PREFIX, question_slices
from evaluator.family import FloatArray
from evaluator.itemwise import Items
from evaluator.outcome import Outcome

# Sums per cluster and slice, in this order along the last axis of `sums`.
SUMS = (
    "questions",
    "right",
    "no_answer",
    "trappable",  # readable wrong answers where the trap could be chosen
    "trapped",
    "videos",  # 1 where the video has a question of the slice
    "video_accuracy",
)
N_SUMMED = SUMS.index("videos")  # the first five are sums over questions


@dataclass(frozen=True, slots=True)
class Tally:
    """One submission against truth; fractions where answers are a matter of chance.

    Attributes:
        chosen: (Q, P) how often each option was chosen: 0 or 1, or a probability.
        picked: (Q,) position of the chosen option, -1 for none; None for chance.
    """

    chosen: FloatArray
    picked: NDArray[np.int64] | None


def match(bundle: Bundle, track: str, answers: Answers, rules: str) -> Outcome:
    """The outcome of answers.

    Raises:
        BundleInvalid: the bundle has no truth for the track.
    """
    layout = lay_out(bundle, track)
    truth = lay_out_truth(bundle, track, layout)
    tally = tally_of(truth, answers.picked)
    return outcome_of(layout, truth, tally, rules, answers.notes, answers.review_only)


def tally_of(truth: TruthLayout, picked: NDArray[np.int64]) -> Tally:
    """A tally of definite picks."""
    chosen = np.zeros(truth.kind.shape)
    answered = np.flatnonzero(picked != NO_ANSWER)
    chosen[answered, picked[answered]] = 1.0
    return Tally(chosen, picked)


def outcome_of(
    layout: Layout,
    truth: TruthLayout,
    tally: Tally,
    rules: str,
    notes: list[str],
    review_only: bool = False,
) -> Outcome:
    """The outcome of a tally; of the review subset alone where nothing else was answered."""
    every = np.arange(layout.n_questions)
    right = tally.chosen[every, truth.key]
    readable = tally.chosen.sum(axis=1)
    has_trap = truth.trap >= 0
    trapped = np.where(has_trap, tally.chosen[every, truth.trap], 0.0)
    columns = np.stack(
        (
            np.ones(layout.n_questions),
            right,
            1.0 - readable,
            np.where(has_trap, readable - right, 0.0),
            trapped,
        ),
        axis=1,
    )
    members = question_slices(layout, truth)
    if review_only:
        members = {slug: held for slug, held in members.items() if slug.startswith(REVIEW)}
    asked = layout.review if review_only else np.ones(layout.n_questions, dtype=bool)
    arrays: dict[str, NDArray[Any]] = {  # Any: each of its own type
        "sums": _sums(layout, np.array(list(members.values())), columns),
        "errors": _errors(layout, truth, tally.chosen, asked),
    }
    if tally.picked is not None:
        arrays |= {
            "question": np.array([question_hash(q.id) for q in layout.questions])[asked],
            "picked": tally.picked[asked].astype(np.int8),
            "is_right": (right > 0)[asked],
            "cell": _cells(layout)[asked],
        }
    return Outcome(
        family="actionlens",
        rules=rules,
        clusters=layout.clusters,
        arrays=arrays,
        facts={
            "slices": list(members),
            "notes": notes,
            "reasons": dict.fromkeys(_TRAPPED, "no wrong answer on a question with a trap"),
        },
    )


_TRAPPED = ("trap_rate", "trap_lift")


def items_of(outcome: Outcome, slice_: str) -> Items | None:
    """The questions of a slice, in cells of video and diagnostic.

    None for chance, and for slices that outcomes do not tell apart question by
    question: all but the diagnostics and what was answered in all.
    """
    if "is_right" not in outcome.arrays:
        return None
    is_right, cell = outcome.arrays["is_right"], outcome.arrays["cell"]
    whole, prefix = (ALL, "") if ALL in outcome.facts["slices"] else (REVIEW, REVIEW_PREFIX)
    if slice_ == whole:
        return Items(is_right, cell)
    for diagnostic in DIAGNOSTICS:
        if slice_ == f"{prefix}{diagnostic.slug}":
            asked = cell[:, 1] == int(diagnostic.code[1])
            return Items(is_right[asked], cell[asked])
    return None


def question_hash(question_id: str) -> np.uint64:
    """A number by which the same question is known in two outcomes."""
    return np.uint64(int.from_bytes(hashlib.sha256(question_id.encode()).digest()[:8], "big"))


def _sums(layout: Layout, members: NDArray[np.bool_], columns: FloatArray) -> FloatArray:
    """(C, S, len(SUMS)) over the questions of each video that a slice holds.

    Args:
        members: (S, Q).
        columns: (Q, N_SUMMED) quantities of questions.
    """
    n_clusters = len(layout.clusters)
    sums = np.zeros((n_clusters, len(members), len(SUMS)))
    for number, held in enumerate(members):
        for column in range(N_SUMMED):
            sums[:, number, column] = np.bincount(
                layout.cluster[held], weights=columns[held, column], minlength=n_clusters
            )
    n_questions, n_right = sums[:, :, 0], sums[:, :, 1]
    sums[:, :, -2] = n_questions > 0
    np.divide(n_right, n_questions, out=sums[:, :, -1], where=n_questions > 0)
    return sums


def _errors(
    layout: Layout, truth: TruthLayout, chosen: FloatArray, asked: NDArray[np.bool_]
) -> FloatArray:
    """(C, len(KINDS), 2): wrong answers of each kind, and what even guessing among
    the wrong options of the same questions would give."""
    question, position = np.nonzero((truth.kind >= 0) & asked[:, None])
    kind = truth.kind[question, position]
    wrong = chosen.copy()
    wrong[np.arange(len(wrong)), truth.key] = 0.0
    even = wrong.sum(axis=1) / (layout.n_options - 1)
    place = layout.cluster[question] * len(KINDS) + kind
    size = len(layout.clusters) * len(KINDS)
    counted = [
        np.bincount(place, weights=weights, minlength=size)
        for weights in (wrong[question, position], even[question])
    ]
    return np.stack(counted, axis=-1).astype(np.float64).reshape(-1, len(KINDS), 2)


def _cells(layout: Layout) -> NDArray[np.int32]:
    """(Q, 2): video and diagnostic (1 to 5) of each question."""
    diagnostic = [int(code[1]) for code in layout.diagnostic]
    return np.stack((layout.cluster, np.array(diagnostic)), axis=1).astype(np.int32)
