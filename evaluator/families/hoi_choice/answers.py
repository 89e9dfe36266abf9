"""Answers of one submission, after reading and before they meet truth."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evaluator.families.hoi_choice.schema import Layout
from evaluator.family import FloatArray
from evaluator.reading.replies import READER_VERSION


@dataclass(frozen=True, slots=True)
class People:
    """The people a method found in one image, and what it says of each.

    Attributes:
        boxes: (P, 4).
        picks: for each person the indices of the chosen choices, within the question, repeats kept.
    """

    boxes: FloatArray
    picks: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Interactions:
    """A HOI method's detections for one image, in file order.

    Attributes:
        boxes: (D, 4) person boxes, NaN where none was given.
        names: normalised class of each detection.
        scores: (D,).
    """

    boxes: FloatArray
    names: tuple[str, ...]
    scores: FloatArray


@dataclass(slots=True)
class Answers:
    """What a predictions file says, question by question.

    Attributes:
        times: (N,) how often each choice was named outright.
        n_unknown: (Q,) answers that are no choice of the question (`released` only).
        people, interactions: by question index, for the forms that carry boxes.
        notes: what a reader of the score should know about the file.
    """

    times: NDArray[np.int64]
    n_unknown: NDArray[np.int64]
    people: dict[int, People] = field(default_factory=dict)
    interactions: dict[int, Interactions] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def empty(cls, layout: Layout) -> Answers:
        return cls(
            times=np.zeros(layout.n_choices, dtype=np.int64),
            n_unknown=np.zeros(layout.n_questions, dtype=np.int64),
        )


def notes_of(layout: Layout, answers: Answers, n_replies: int) -> list[str]:
    """What a reader of the score should know about a file."""
    notes = []
    answered = layout.per_question(answers.times > 0) > 0
    answered[[n for n, p in answers.people.items() if any(p.picks)]] = True
    answered[[n for n, d in answers.interactions.items() if d.names]] = True
    n_silent = int(layout.n_questions - answered.sum())
    if n_silent:
        notes.append(f"{n_silent} of {layout.n_questions} questions left unanswered")
    n_unknown = int(answers.n_unknown.sum())
    if n_unknown:
        notes.append(f"{n_unknown} labels are no choice of their question: ignored")
    if n_replies:
        notes.append(f"{n_replies} raw replies, read by reader {READER_VERSION}")
    return notes
