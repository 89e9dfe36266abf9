"""Rows that need no model, and the answers that need no system."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Bundle
from evaluator.choices import LETTERS
from evaluator.families.actionlens.evidence import Tally, outcome_of, tally_of
from evaluator.families.actionlens.predictions import NO_ANSWER
from evaluator.families.actionlens.schema import (
    Layout,
    TruthLayout,
    lay_out,
    lay_out_truth,
    truth_of,
)
from evaluator.family import FloatArray, Trivial
from evaluator.outcome import Outcome

Picker = Callable[[Layout, TruthLayout], Tally]


def chance(layout: Layout) -> FloatArray:
    """(Q, P): each option of a question with the same probability."""
    position = np.arange(int(layout.n_options.max()))
    even: FloatArray = (position < layout.n_options[:, None]) / layout.n_options[:, None]
    return even


def _even(layout: Layout, truth: TruthLayout) -> Tally:
    del truth
    return Tally(chance(layout), None)


def _always_a(layout: Layout, truth: TruthLayout) -> Tally:
    return tally_of(truth, np.zeros(layout.n_questions, dtype=np.int64))


def _most_frequent(layout: Layout, truth: TruthLayout) -> Tally:
    letter = int(np.bincount(truth.key).argmax())
    has_letter = layout.n_options > letter
    return tally_of(truth, np.where(has_letter, letter, NO_ANSWER))


def _row(slug: str, title: str, description: str, pick: Picker) -> Trivial:
    def outcomes(bundle: Bundle, track: str) -> Iterator[Outcome]:
        layout = lay_out(bundle, track)
        truth = lay_out_truth(bundle, track, layout)
        yield outcome_of(layout, truth, pick(layout, truth), "paper", [])

    return Trivial(slug=slug, title=title, description=description, outcomes=outcomes)


TRIVIAL = (
    _row("always-a", "Always A", "The first option of every question.", _always_a),
    _row(
        "chance",
        "Chance",
        "What even guessing gives on average: one over the options of each question.",
        _even,
    ),
    _row(
        "most-frequent-letter",
        "Most frequent letter",
        "The letter that is right most often on the track, everywhere; earlier on a tie.",
        _most_frequent,
    ),
)


def perfect_predictions(bundle: Bundle, track: str) -> bytes:
    """A predictions file that is right everywhere; needs truth."""
    items: list[dict[str, object]] = [
        {"question_id": truth.id, "answer": truth.right}
        for truth in truth_of(bundle)
        if truth.track == track
    ]
    return predictions_file(bundle, track, items)


def blind_predictions(bundle: Bundle, track: str) -> bytes:
    """The first option of every question."""
    n_questions = lay_out(bundle, track).n_questions
    return lawful_predictions(bundle, track, np.zeros(n_questions, dtype=np.int64))


def lawful_predictions(bundle: Bundle, track: str, picked: NDArray[np.int64]) -> bytes:
    """Picks as a predictions file, one item for each question."""
    items: list[dict[str, object]] = [
        {"question_id": question.id, "answer": [] if pick == NO_ANSWER else LETTERS[pick]}
        for question, pick in zip(lay_out(bundle, track).questions, picked, strict=True)
    ]
    return predictions_file(bundle, track, items)


def predictions_file(bundle: Bundle, track: str, items: list[dict[str, object]]) -> bytes:
    """Items under the head that names benchmark and track."""
    head = {"benchmark": bundle.benchmark.address, "track": track, "predictions": items}
    return json.dumps(head, ensure_ascii=False, indent=1).encode() + b"\n"
