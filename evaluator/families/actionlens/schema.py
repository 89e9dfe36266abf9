"""Questions and truth of actionlens, and their layout as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Bundle, typed_lines
from evaluator.choices import LETTERS
from evaluator.errors import BundleInvalid
from evaluator.families.actionlens.diagnostics import (
    BY_CODE,
    KIND_NUMBER,
    TRAP,
    Code,
    Colour,
    Gaze,
    Transition,
)

MIN_OPTIONS, MAX_OPTIONS = 2, len(LETTERS)

TrackedBox = tuple[float, float, float, float, float]  # second, x1, y1, x2, y2


class Person(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A highlighted person: colour of the box, and the box at each annotated second.

    Boxes are `[second, x1, y1, x2, y2]`, corners in fractions of width and height.
    """

    colour: Colour
    boxes: tuple[TrackedBox, ...]


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of `questions.jsonl`.

    Attributes:
        clip: start and end in seconds of the video.
        text: the question as this track words it; people are called by their box,
            their coordinates or their place.
        people: whom to draw a box around; empty on tracks without drawn boxes.
        review: the question belongs to the human-review subset.
    """

    track: str
    id: str
    diagnostic: Code
    video: str
    clip: tuple[float, float]
    text: str
    options: tuple[str, ...]
    people: tuple[Person, ...] = ()
    review: bool = False

    @property
    def letters(self) -> str:
        return LETTERS[: len(self.options)]


class Truth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of `truth.jsonl`.

    Attributes:
        right: the key, a letter.
        kinds: what each option is, in the order of the options; empty where the
            source does not say.
        transition: type of the change (D1).
        n_people: annotated people in the scene.
        gaze: who watches (D5).
    """

    track: str
    id: str
    right: str
    kinds: tuple[str, ...] = ()
    transition: Transition | None = None
    n_people: int | None = None
    gaze: Gaze | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The questions of one track as arrays; Q questions by id.

    Attributes:
        n_options: (Q,).
        diagnostic: (Q,) codes.
        review: (Q,) in the review subset.
        cluster: (Q,) index of each question's video in `clusters`.
        clusters: videos of all tracks of the version, in code point order.
    """

    questions: tuple[Question, ...]
    index: dict[str, int]
    n_options: NDArray[np.int64]
    diagnostic: NDArray[np.str_]
    review: NDArray[np.bool_]
    cluster: NDArray[np.int64]
    clusters: tuple[str, ...]

    @property
    def n_questions(self) -> int:
        return len(self.questions)


@dataclass(frozen=True, slots=True)
class TruthLayout:
    """Truth on a layout; P is the largest number of options.

    Attributes:
        key: (Q,) position of the right option.
        kind: (Q, P) index into `KINDS` of each wrong option, -1 where it has none.
        trap: (Q,) position of the trap, -1 where there is none.
        transition, gaze: (Q,) slug or "".
        n_people: (Q,), 0 where not known.
    """

    key: NDArray[np.int64]
    kind: NDArray[np.int64]
    trap: NDArray[np.int64]
    transition: NDArray[np.str_]
    gaze: NDArray[np.str_]
    n_people: NDArray[np.int64]


def questions_of(bundle: Bundle) -> tuple[Question, ...]:
    """All questions of a bundle, every track.

    Raises:
        BundleInvalid: a line is not a question.
    """
    return typed_lines(bundle.questions, Question, "questions.jsonl")


def truth_of(bundle: Bundle) -> tuple[Truth, ...]:
    """All truth of a bundle, every track.

    Raises:
        BundleInvalid: there is none, or a line is not truth.
    """
    if bundle.truth is None:
        raise BundleInvalid("the bundle has no truth.jsonl")
    return typed_lines(bundle.truth, Truth, "truth.jsonl")


def lay_out(bundle: Bundle, track: str) -> Layout:
    """The questions of `track` as arrays.

    Raises:
        BundleInvalid: the bundle has no question for that track.
    """
    every = questions_of(bundle)
    asked = tuple(sorted((q for q in every if q.track == track), key=lambda q: q.id))
    if not asked:
        known = ", ".join(plan.slug for plan in bundle.benchmark.tracks)
        raise BundleInvalid(f"no questions for track {track!r}; the bundle has {known}")
    clusters = tuple(sorted({q.video for q in every}))
    place = {video: number for number, video in enumerate(clusters)}
    return Layout(
        questions=asked,
        index={q.id: number for number, q in enumerate(asked)},
        n_options=np.array([len(q.options) for q in asked]),
        diagnostic=np.array([q.diagnostic for q in asked]),
        review=np.array([q.review for q in asked]),
        cluster=np.array([place[q.video] for q in asked]),
        clusters=clusters,
    )


def lay_out_truth(bundle: Bundle, track: str, layout: Layout) -> TruthLayout:
    """Truth of `track` on its layout.

    Raises:
        BundleInvalid: a question has no truth, or names a letter or kind that does not exist.
    """
    truths = {truth.id: truth for truth in truth_of(bundle) if truth.track == track}
    n = layout.n_questions
    key = np.zeros(n, dtype=np.int64)
    kind = np.full((n, int(layout.n_options.max())), -1, dtype=np.int64)
    trap = np.full(n, -1, dtype=np.int64)
    ordered = []
    for number, question in enumerate(layout.questions):
        truth = truths.get(question.id)
        if truth is None:
            raise BundleInvalid(f"question {question.id} of track {track} has no truth")
        fault = fault_of(question, truth)
        if fault:
            raise BundleInvalid(f"truth of {truth.id}, track {track}: {fault}")
        ordered.append(truth)
        key[number] = LETTERS.index(truth.right)
        for position, slug in enumerate(truth.kinds):
            if position != key[number]:
                kind[number, position] = KIND_NUMBER[question.diagnostic, slug]
                if slug == TRAP:
                    trap[number] = position
    return TruthLayout(
        key=key,
        kind=kind,
        trap=trap,
        transition=np.array([truth.transition or "" for truth in ordered]),
        gaze=np.array([truth.gaze or "" for truth in ordered]),
        n_people=np.array([truth.n_people or 0 for truth in ordered]),
    )


def fault_of(question: Question, truth: Truth) -> str:
    """Why truth cannot be of this question; empty if it can."""
    if len(truth.right) != 1 or truth.right not in question.letters:
        return "names a letter that the question does not have"
    if not truth.kinds:
        return ""
    if len(truth.kinds) != len(question.options):
        return f"{len(truth.kinds)} kinds for {len(question.options)} options"
    diagnostic = BY_CODE[question.diagnostic]
    for letter, kind in zip(question.letters, truth.kinds, strict=True):
        has_kind = letter != truth.right or diagnostic.key_has_kind
        wanted = diagnostic.kind_slugs if has_kind else ("correct",)
        if kind not in wanted:
            return f"option {letter} is of kind {kind!r}; {question.diagnostic} knows {wanted}"
    if truth.kinds.count(TRAP) > 1:
        return "has more than one trap"
    return ""
