"""Answers meet truth: the one place where the rules of matching live."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluator.boxes import overlap
from evaluator.bundle import Bundle
from evaluator.families.hoi_choice.answers import Answers, Interactions, People
from evaluator.families.hoi_choice.evidence import Tally, outcome_of
from evaluator.families.hoi_choice.schema import Layout, TruthLayout, lay_out, lay_out_truth
from evaluator.family import FloatArray
from evaluator.outcome import Outcome

MIN_TARGET_OVERLAP = 0.5  # Setting 3: at or above (CrossHOI-Bench, section 2.3)
RELEASED_TARGET_OVERLAP = 0.5  # the released script: strictly above, first in file order
TOP_INTERACTIONS = 5  # HOI methods (CrossHOI-Bench, section 3.1)


def match(bundle: Bundle, track: str, answers: Answers, rules: str) -> Outcome:
    """The outcome of answers under a named rule set.

    Raises:
        BundleInvalid: the bundle has no truth for the track.
    """
    layout = lay_out(bundle, track)
    truth = lay_out_truth(bundle, track, layout)
    times, found = resolve(layout, truth, answers, track, rules)
    tally = _TALLIES[rules](layout, truth, times, answers.n_unknown, found)
    return outcome_of(bundle, track, layout, truth, tally, rules, answers.notes)


def resolve(
    layout: Layout, truth: TruthLayout, answers: Answers, track: str, rules: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Which choices were named, (N,), once boxes have met the hidden target; found, (Q,)."""
    times = answers.times.copy()
    found = np.ones(layout.n_questions, dtype=bool)
    if track == "detect-then-answer":
        found[:] = [
            number not in answers.people and number not in answers.interactions
            for number in range(layout.n_questions)
        ]
        found &= layout.per_question(times.astype(float)) > 0
    for number, people in answers.people.items():
        person = _target_person(people, truth.target[number], rules)
        found[number] = person is not None
        if person is not None:
            np.add.at(times, layout.offsets[number] + np.array(people.picks[person], dtype=int), 1)
    for number, detected in answers.interactions.items():
        target = truth.target[number] if track == "detect-then-answer" else None
        names, found[number] = _best_interactions(detected, target)
        start, stop = layout.offsets[number], layout.offsets[number + 1]
        times[start:stop] = [layout.classes[label] in names for label in layout.label[start:stop]]
    return times, found


def tally_paper(
    layout: Layout,
    truth: TruthLayout,
    times: NDArray[np.int64],
    n_unknown: NDArray[np.int64],
    found: NDArray[np.bool_],
) -> Tally:
    """Answers as sets (STATISTICS, section 3): a repeated label changes nothing."""
    del n_unknown  # none under these rules: a label that is no choice is refused
    picked = times > 0
    hits = picked & truth.right
    n_hit, n_picked, n_right = (
        layout.per_question(choices) for choices in (hits, picked, truth.right)
    )
    both_empty = (n_picked + n_right) == 0
    f1 = np.divide(2 * n_hit, n_picked + n_right, out=np.ones_like(n_hit), where=~both_empty)
    exact = (n_hit == n_picked) & (n_hit == n_right)
    return Tally(hits.astype(np.int64), picked.astype(np.int64), exact, f1, found)


def tally_released(
    layout: Layout,
    truth: TruthLayout,
    times: NDArray[np.int64],
    n_unknown: NDArray[np.int64],
    found: NDArray[np.bool_],
) -> Tally:
    """The released scorer, quirks included.

    Repeated labels count again: the first use of a right label is a hit, a
    further one is wrong where the label also stands among the wrong choices,
    else it is ignored; it still spoils an exact match. Unknown labels are
    ignored, but an answer of nothing else is not an abstention. An abstention
    where no choice is right has F1 1 and no exact match.
    """
    wrong = ~truth.right | truth.also_wrong
    hits = np.where(truth.right, np.minimum(times, 1), 0)
    picks = hits + np.where(wrong, times - hits, 0)
    n_hit, n_picked, n_right, n_named, n_distinct_hit = (
        layout.per_question(choices.astype(float))
        for choices in (hits, picks, truth.right, times, hits > 0)
    )
    precision = np.divide(n_hit, n_picked, out=np.zeros_like(n_hit), where=n_picked > 0)
    recall = np.divide(n_hit, n_right, out=np.zeros_like(n_hit), where=n_right > 0)
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(n_hit), where=total > 0)
    f1[(n_named + n_unknown == 0) & (n_right == 0)] = 1.0
    n_distinct = layout.per_question((times > 0).astype(float))
    exact = (n_named > 0) & (n_named == n_right) & (n_distinct_hit == n_right)
    exact &= n_distinct == n_distinct_hit
    return Tally(hits, picks, exact, f1, found)


_TALLIES = {"paper": tally_paper, "released": tally_released}


def _target_person(people: People, target: FloatArray, rules: str) -> int | None:
    """The person whose answer counts: largest overlap, or the release's first fit."""
    if not len(people.picks) or np.isnan(target).any():
        return None
    shared = overlap(people.boxes, target[None])[:, 0]
    if rules == "released":
        fits = np.flatnonzero(shared > RELEASED_TARGET_OVERLAP)
        return int(fits[0]) if fits.size else None
    best = int(shared.argmax())
    return best if shared[best] >= MIN_TARGET_OVERLAP else None


def _best_interactions(
    detected: Interactions, target: FloatArray | None
) -> tuple[frozenset[str], bool]:
    """Names of the five best classes, and whether the target was found.

    Classes keep their best score; order is by score, file order on ties.
    """
    usable = np.ones(len(detected.names), dtype=bool)
    if target is not None:
        usable = overlap(detected.boxes, target[None])[:, 0] >= MIN_TARGET_OVERLAP
    best: list[str] = []
    for row in np.argsort(-detected.scores, kind="stable"):
        name = detected.names[row]
        if usable[row] and name not in best:
            best.append(name)
            if len(best) == TOP_INTERACTIONS:
                break
    return frozenset(best), bool(usable.any()) or target is None
