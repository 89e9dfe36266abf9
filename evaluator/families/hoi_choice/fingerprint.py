"""The answers of a submission in short, to find two that are alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Bundle
from evaluator.families.hoi_choice.answers import Answers
from evaluator.families.hoi_choice.schema import lay_out, lay_out_truth
from evaluator.families.hoi_choice.scorer import resolve


def fingerprint(bundle: Bundle, track: str, answers: Answers, rules: str) -> NDArray[np.uint64]:
    """(Q,) the set of choices that counts for each question, as bits.

    Boxes have met the hidden target before: people and interactions beside it, which change
    no score, change nothing here. No choice and every choice tell nothing: 0.

    Raises:
        BundleInvalid: the bundle has no truth for the track.
    """
    layout = lay_out(bundle, track)
    if answers.people or answers.interactions or track == "detect-then-answer":
        truth = lay_out_truth(bundle, track, layout)
        times, _ = resolve(layout, truth, answers, track, rules)
    else:
        times = answers.times
    position = np.arange(layout.n_choices) - layout.offsets[layout.question]
    # At most 26 choices: the sums are exact.
    chosen = layout.per_question(np.where(times > 0, np.exp2(position), 0.0)).astype(np.uint64)
    every = layout.per_question(np.exp2(position)).astype(np.uint64)
    chosen[chosen == every] = 0
    return chosen
