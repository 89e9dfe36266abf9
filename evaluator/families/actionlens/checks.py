"""Whether a bundle can be used: truth agrees with questions, positions give nothing away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evaluator.bundle import Bundle
from evaluator.choices import LETTERS
from evaluator.errors import BundleInvalid
from evaluator.families.actionlens.diagnostics import DIAGNOSTICS
from evaluator.families.actionlens.schema import (
    MAX_OPTIONS,
    MIN_OPTIONS,
    Question,
    fault_of,
    lay_out,
    lay_out_truth,
    questions_of,
    truth_of,
)
from evaluator.families.actionlens.tracks import BOXED
from evaluator.family import FloatArray
from evaluator.reading.replies.texts import folded
from evaluator.statistics.bootstrap import weights_digest

# A position is suspicious where its share of keys is off by more than both:
# chance makes small benchmarks uneven, size makes tiny shifts significant.
MAX_POSITION_SIGMA = 4.5
MAX_POSITION_SHIFT = 0.051  # the most that the paper's diagnostics deviate (section 3.3)


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


def position_shares(
    bundle: Bundle, track: str, diagnostic: str | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How often each position holds the key, on a track or one of its diagnostics.

    Returns:
        found: (26,) keys at each letter.
        expected: (26,) the same if keys were spread evenly in each question.
        sigma: (26,) standard deviation of that.
    """
    layout = lay_out(bundle, track)
    asked = np.ones(layout.n_questions, dtype=bool)
    if diagnostic is not None:
        asked = layout.diagnostic == diagnostic
    key = lay_out_truth(bundle, track, layout).key[asked]
    n_options = layout.n_options[asked]
    found = np.bincount(key, minlength=MAX_OPTIONS).astype(np.float64)
    chance = (np.arange(MAX_OPTIONS) < n_options[:, None]) / n_options[:, None]
    variance = (chance * (1 - chance)).sum(axis=0)
    return found, chance.sum(axis=0), np.sqrt(variance)


def _check_questions(bundle: Bundle) -> Iterator[str]:
    tracks = {plan.slug for plan in bundle.benchmark.tracks}
    seen: set[tuple[str, str]] = set()
    video_of: dict[str, str] = {}
    for question in questions_of(bundle):
        name = f"question {question.id} of track {question.track}"
        if question.track not in tracks:
            yield f"{name}: benchmark.json has no such track"
        if (question.track, question.id) in seen:
            yield f"{name}: occurs twice"
        seen.add((question.track, question.id))
        if video_of.setdefault(question.id, question.video) != question.video:
            yield f"{name}: is on another video than on another track"
        yield from (f"{name}: {fault}" for fault in _faults(question))
    for track in tracks:
        if not any(asked == track for asked, _ in seen):
            yield f"track {track} has no question"
    plan = bundle.benchmark.bootstrap
    n_clusters = len(set(video_of.values()))
    if weights_digest(n_clusters, plan.draws, plan.seed) != plan.weights_sha256:
        yield f"bootstrap.weights_sha256 is not the digest for {n_clusters} clusters"


def _faults(question: Question) -> Iterator[str]:
    n_options = len(question.options)
    if not MIN_OPTIONS <= n_options <= MAX_OPTIONS:
        yield f"{n_options} options; wanted {MIN_OPTIONS}-{MAX_OPTIONS}"
    if len({folded(option) for option in question.options}) < n_options:
        yield "two options read the same"
    if question.clip[0] >= question.clip[1]:
        yield "its clip ends before it starts"
    colours = [person.colour for person in question.people]
    if len(set(colours)) < len(colours):
        yield "two people have boxes of one colour"
    if question.track in BOXED and not colours:
        yield "has nobody to draw a box around"
    if question.track not in BOXED and colours:
        yield "gives boxes away that its track does not draw"
    for person in question.people:
        for _, x1, y1, x2, y2 in person.boxes:
            if not (0 <= x1 < x2 <= 1 and 0 <= y1 < y2 <= 1):
                yield f"a box of the {person.colour} person is not within the frame"
                break


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
        fault = fault_of(question, truth)
        if fault:
            yield f"{name}: {fault}"
    for track, id_ in sorted(questions.keys() - told):
        yield f"question {id_} of track {track} has no truth"


def _check_positions(bundle: Bundle) -> Iterator[str]:
    for plan in bundle.benchmark.tracks:
        for part in (None, *(d.code for d in DIAGNOSTICS)):
            found, expected, sigma = position_shares(bundle, plan.slug, part)
            total = max(found.sum(), 1.0)
            for letter, n, wanted, spread in zip(LETTERS, found, expected, sigma, strict=True):
                off = abs(n - wanted)
                if off > MAX_POSITION_SIGMA * spread and off > MAX_POSITION_SHIFT * total:
                    yield (
                        f"track {plan.slug}{f', {part}' if part else ''}: option {letter} is right "
                        f"{n:.0f} times where even positions give {wanted:.0f}; "
                        "order options by a seeded hash"
                    )
