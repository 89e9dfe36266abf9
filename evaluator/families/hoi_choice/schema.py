"""Questions and truth of hoi_choice, and their layout as arrays."""

from __future__ import annotations

import string
from dataclasses import dataclass, replace
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Bundle, typed_lines
from evaluator.errors import BundleInvalid
from evaluator.families.hoi_choice.labels import class_name
from evaluator.family import FloatArray

LETTERS = string.ascii_uppercase
MIN_CHOICES, MAX_CHOICES = 2, len(LETTERS)

Box = tuple[float, float, float, float]
Scene = Literal["one-person", "same-hoi", "different-hoi"]


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of `questions.jsonl`; boxes where the track gives them away."""

    track: str
    id: str
    image: str
    choices: tuple[str, ...]
    person_box: Box | None = None
    object_box: Box | None = None


class Truth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of `truth.jsonl`.

    Attributes:
        right: letters; seldom none, then "no choice" is the right answer.
        also_wrong: letters that the source lists as right and as wrong.
        others: normalised classes true of other annotated people of the image;
            None where the image annotations are not at hand.
        person_box: the hidden target of `detect-then-answer`.
        scene: how many people the image annotations show, and whether they do
            the same; None where they are not at hand.
    """

    track: str
    id: str
    right: tuple[str, ...]
    also_wrong: tuple[str, ...] = ()
    others: tuple[str, ...] | None = None
    person_box: Box | None = None
    scene: Scene | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The questions of one track as arrays; Q questions by id, N choices in a row.

    Attributes:
        offsets: (Q + 1,), question q holds choices offsets[q]:offsets[q + 1].
        question: (N,) index of the question of each choice.
        label: (N,) index of each choice's class in `classes`.
        cluster: (Q,) index of each question's image in `clusters`.
        clusters: images of all tracks of the version, in code point order.
    """

    questions: tuple[Question, ...]
    index: dict[str, int]
    offsets: NDArray[np.int64]
    question: NDArray[np.int64]
    label: NDArray[np.int64]
    classes: tuple[str, ...]
    cluster: NDArray[np.int64]
    clusters: tuple[str, ...]

    @property
    def n_questions(self) -> int:
        return len(self.questions)

    @property
    def n_choices(self) -> int:
        return int(self.offsets[-1])

    def as_one_cluster(self) -> Layout:
        """The same questions, all in one cluster."""
        return replace(self, cluster=np.zeros_like(self.cluster), clusters=("all",))

    def per_question(self, choices: NDArray[np.float64] | NDArray[np.bool_]) -> FloatArray:
        """Sums of an (N,) array over the choices of each question, (Q,)."""
        sums = np.bincount(self.question, weights=choices, minlength=self.n_questions)
        return sums.astype(np.float64)


@dataclass(frozen=True, slots=True)
class TruthLayout:
    """Truth on a layout.

    Attributes:
        right, also_wrong: (N,).
        of_others: (N,) the choice's class is true of somebody else in the image.
        knows_others: (Q,) whether the image annotations were at hand.
        scene: (Q,) of Scene or "".
        target: (Q, 4) hidden boxes, NaN where none.
    """

    right: NDArray[np.bool_]
    also_wrong: NDArray[np.bool_]
    of_others: NDArray[np.bool_]
    knows_others: NDArray[np.bool_]
    scene: NDArray[np.str_]
    target: FloatArray


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
        BundleInvalid: the bundle has no question for that track, or a choice's
            class is not in the class list.
    """
    every = questions_of(bundle)
    asked = tuple(sorted((q for q in every if q.track == track), key=lambda q: q.id))
    if not asked:
        known = ", ".join(plan.slug for plan in bundle.benchmark.tracks)
        raise BundleInvalid(f"no questions for track {track!r}; the bundle has {known}")
    clusters = tuple(sorted({q.image for q in every}))
    place = {image: number for number, image in enumerate(clusters)}
    classes = tuple(entry.name for entry in bundle.benchmark.classes)
    number_of = {name: number for number, name in enumerate(classes)}
    sizes = np.array([len(q.choices) for q in asked])
    try:
        label = np.array([number_of[class_name(c)] for q in asked for c in q.choices])
    except KeyError as missing:
        raise BundleInvalid(f"class {missing} of a choice is not in the class list") from None
    return Layout(
        questions=asked,
        index={q.id: number for number, q in enumerate(asked)},
        offsets=np.concatenate([[0], np.cumsum(sizes)]),
        question=np.repeat(np.arange(len(asked)), sizes),
        label=label,
        classes=classes,
        cluster=np.array([place[q.image] for q in asked]),
        clusters=clusters,
    )


def lay_out_truth(bundle: Bundle, track: str, layout: Layout) -> TruthLayout:
    """Truth of `track` on its layout.

    Raises:
        BundleInvalid: a question has no truth.
    """
    truths = {truth.id: truth for truth in truth_of(bundle) if truth.track == track}
    right = np.zeros(layout.n_choices, dtype=bool)
    also_wrong = np.zeros(layout.n_choices, dtype=bool)
    of_others = np.zeros(layout.n_choices, dtype=bool)
    knows_others = np.zeros(layout.n_questions, dtype=bool)
    scene = np.zeros(layout.n_questions, dtype="U16")
    target = np.full((layout.n_questions, 4), np.nan)
    for number, question in enumerate(layout.questions):
        truth = truths.get(question.id)
        if truth is None:
            raise BundleInvalid(f"question {question.id} of track {track} has no truth")
        start, stop = layout.offsets[number], layout.offsets[number + 1]
        right[start + _positions(truth.right, stop - start)] = True
        also_wrong[start + _positions(truth.also_wrong, stop - start)] = True
        if truth.others is not None:
            knows_others[number] = True
            names = [layout.classes[label] for label in layout.label[start:stop]]
            of_others[start:stop] = [name in truth.others for name in names]
        scene[number] = truth.scene or ""
        if truth.person_box is not None:
            target[number] = truth.person_box
    return TruthLayout(right, also_wrong, of_others, knows_others, scene, target)


def _positions(letters: tuple[str, ...], n_choices: int) -> NDArray[np.int64]:
    positions = np.array([LETTERS.find(letter) for letter in letters], dtype=np.int64)
    if ((positions < 0) | (positions >= n_choices)).any():
        raise BundleInvalid("truth names a letter that its question does not have")
    return positions
