"""Rows that need no model, and the answers that need no system."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Bundle
from evaluator.families.hoi_choice.answers import Answers
from evaluator.families.hoi_choice.evidence import outcome_of
from evaluator.families.hoi_choice.schema import LETTERS, Layout, lay_out, lay_out_truth, truth_of
from evaluator.families.hoi_choice.scorer import tally_paper
from evaluator.family import Trivial
from evaluator.outcome import Outcome

N_RANDOM_FILES = 1000
WHOLE = (0, 0, 640, 480)  # the most common size of COCO's images

Picker = Callable[[Bundle, Layout], Iterator[NDArray[np.int64]]]


def _all_letters(bundle: Bundle, layout: Layout) -> Iterator[NDArray[np.int64]]:
    del bundle
    yield np.ones(layout.n_choices, dtype=np.int64)


def _no_letter(bundle: Bundle, layout: Layout) -> Iterator[NDArray[np.int64]]:
    del bundle
    yield np.zeros(layout.n_choices, dtype=np.int64)


def _random(bundle: Bundle, layout: Layout) -> Iterator[NDArray[np.int64]]:
    generator = np.random.Generator(np.random.PCG64(bundle.benchmark.bootstrap.seed))
    for _ in range(N_RANDOM_FILES):
        yield generator.integers(0, 2, size=layout.n_choices, dtype=np.int64)


def _row(slug: str, title: str, description: str, picks: Picker) -> Trivial:
    def outcomes(bundle: Bundle, track: str) -> Iterator[Outcome]:
        layout = lay_out(bundle, track)
        truth = lay_out_truth(bundle, track, layout)
        # On detect-then-answer the target counts as found: the row asks what
        # answering alone is worth.
        found = np.ones(layout.n_questions, dtype=bool)
        n_unknown = np.zeros(layout.n_questions, dtype=np.int64)
        # A row of many files is the mean of their values, which need no clusters: after
        # the first file all questions count as one cluster, which is far quicker.
        for times in picks(bundle, layout):
            tally = tally_paper(layout, truth, times, n_unknown, found)
            yield outcome_of(bundle, track, layout, truth, tally, "paper", [])
            layout = layout.as_one_cluster()

    return Trivial(slug=slug, title=title, description=description, outcomes=outcomes)


TRIVIAL = (
    _row("all-letters", "All letters", "Every choice of every question.", _all_letters),
    _row("no-letter", "No letter", "An empty answer to every question.", _no_letter),
    _row(
        "random",
        "Random",
        f"Each choice with probability 1/2: the mean of {N_RANDOM_FILES:,} files.",
        _random,
    ),
)


def perfect_predictions(bundle: Bundle, track: str) -> bytes:
    """A predictions file that is right everywhere; needs truth."""
    items: list[dict[str, object]] = []
    for truth in truth_of(bundle):
        if truth.track != track:
            continue
        answer = list(truth.right)
        if track == "detect-then-answer":
            people = [{"box": truth.person_box, "answer": answer}]
            items.append({"question_id": truth.id, "people": people})
        else:
            items.append({"question_id": truth.id, "answer": answer})
    return predictions_file(bundle, track, items)


def blind_predictions(bundle: Bundle, track: str) -> bytes:
    """The first choice of every question, said of one person who fills a common image."""
    answer = [LETTERS[0]]
    said: dict[str, object] = {"answer": answer}
    if track == "detect-then-answer":
        said = {"people": [{"box": WHOLE, "answer": answer}]}
    questions = lay_out(bundle, track).questions
    return predictions_file(
        bundle, track, [{"question_id": question.id, **said} for question in questions]
    )


def lawful_predictions(bundle: Bundle, track: str, answers: Answers) -> bytes:
    """Answers by letters as a predictions file, one item for each question."""
    layout = lay_out(bundle, track)
    items: list[dict[str, object]] = []
    for number, question in enumerate(layout.questions):
        times = answers.times[layout.offsets[number] : layout.offsets[number + 1]]
        answer = [LETTERS[pick] for pick in np.flatnonzero(times)]
        items.append({"question_id": question.id, "answer": answer})
    return predictions_file(bundle, track, items)


def predictions_file(bundle: Bundle, track: str, items: list[dict[str, object]]) -> bytes:
    """Items under the head that names benchmark and track."""
    head = {"benchmark": bundle.benchmark.address, "track": track, "predictions": items}
    return json.dumps(head, ensure_ascii=False, indent=1).encode() + b"\n"
