"""Whether a bundle can be used: truth agrees with questions, positions give nothing away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evaluator.bundle import Bundle
from evaluator.errors import BundleInvalid
from evaluator.families.hoi_choice.labels import class_name
from evaluator.families.hoi_choice.schema import (
    LETTERS,
    MAX_CHOICES,
    MIN_CHOICES,
    lay_out,
    lay_out_truth,
    questions_of,
    truth_of,
)
from evaluator.family import FloatArray
from evaluator.statistics.bootstrap import weights_digest

# A position is suspicious where its share of right choices is off by more than
# both: chance makes small benchmarks uneven, size makes tiny shifts significant.
MAX_POSITION_SIGMA = 4.5
MAX_POSITION_SHIFT = 0.05

TRACKS_WITH_TARGET = ("target-box", "target-pair")


def check_bundle(bundle: Bundle) -> list[str]:
    """What is wrong with a bundle, in words; empty if it can be opened."""
    try:
        problems = list(_check_questions(bundle))
        if problems or bundle.truth is None:
            return problems
        problems += _check_truth(bundle)
        return problems or list(_check_positions(bundle))
    except BundleInvalid as error:
        return [str(error)]


def position_shares(bundle: Bundle, track: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How often each position holds a right choice.

    Returns:
        found: (26,) right choices at each letter.
        expected: (26,) the same if right choices were spread evenly in each question.
        sigma: (26,) standard deviation of that.
    """
    layout = lay_out(bundle, track)
    truth = lay_out_truth(bundle, track, layout)
    n_choices = np.diff(layout.offsets)
    share = layout.per_question(truth.right) / n_choices
    position = np.arange(layout.n_choices) - layout.offsets[layout.question]
    chance = share[layout.question]
    found, expected, variance = (
        np.bincount(position, weights=weights, minlength=MAX_CHOICES).astype(np.float64)
        for weights in (truth.right.astype(float), chance, chance * (1 - chance))
    )
    return found, expected, np.sqrt(variance)


def _check_questions(bundle: Bundle) -> Iterator[str]:
    tracks = {plan.slug for plan in bundle.benchmark.tracks}
    seen: set[tuple[str, str]] = set()
    clusters = set()
    for question in questions_of(bundle):
        name = f"question {question.id} of track {question.track}"
        clusters.add(question.image)
        if question.track not in tracks:
            yield f"{name}: benchmark.json has no such track"
        if (question.track, question.id) in seen:
            yield f"{name}: occurs twice"
        seen.add((question.track, question.id))
        if not MIN_CHOICES <= len(question.choices) <= MAX_CHOICES:
            yield f"{name}: {len(question.choices)} choices; wanted {MIN_CHOICES}-{MAX_CHOICES}"
        if len({class_name(choice) for choice in question.choices}) < len(question.choices):
            yield f"{name}: two choices name the same class"
        if question.track in TRACKS_WITH_TARGET and question.person_box is None:
            yield f"{name}: has no person_box"
        if question.track == "detect-then-answer" and question.person_box is not None:
            yield f"{name}: gives the hidden person_box away"
    for track in tracks:
        if not any(question_track == track for question_track, _ in seen):
            yield f"track {track} has no question"
    plan = bundle.benchmark.bootstrap
    if weights_digest(len(clusters), plan.draws, plan.seed) != plan.weights_sha256:
        yield f"bootstrap.weights_sha256 is not the digest for {len(clusters)} clusters"


def _check_truth(bundle: Bundle) -> Iterator[str]:
    questions = {(q.track, q.id): q for q in questions_of(bundle)}
    told = set()
    for truth in truth_of(bundle):
        name = f"truth of {truth.id}, track {truth.track}"
        question = questions.get((truth.track, truth.id))
        if question is None:
            yield f"{name}: there is no such question"
            continue
        if (truth.track, truth.id) in told:
            yield f"{name}: occurs twice"
        told.add((truth.track, truth.id))
        letters = LETTERS[: len(question.choices)]
        for letter in (*truth.right, *truth.also_wrong):
            if len(letter) != 1 or letter not in letters:
                yield f"{name}: names a letter that the question does not have"
        if truth.track == "detect-then-answer" and truth.person_box is None:
            yield f"{name}: has no person_box"
    for track, id_ in sorted(questions.keys() - told):
        yield f"question {id_} of track {track} has no truth"


def _check_positions(bundle: Bundle) -> Iterator[str]:
    for plan in bundle.benchmark.tracks:
        found, expected, sigma = position_shares(bundle, plan.slug)
        total = max(found.sum(), 1.0)
        for letter, n, wanted, spread in zip(LETTERS, found, expected, sigma, strict=True):
            off = abs(n - wanted)
            if off > MAX_POSITION_SIGMA * spread and off > MAX_POSITION_SHIFT * total:
                yield (
                    f"track {plan.slug}: choice {letter} is right {n:.0f} times where even "
                    f"positions give {wanted:.0f}; order choices by a seeded hash"
                )
