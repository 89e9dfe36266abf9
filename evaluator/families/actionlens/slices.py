"""Which answers count: diagnostics, their parts, and the review subset on its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluator.families.actionlens.diagnostics import DIAGNOSTICS, GAZES, TRANSITIONS
from evaluator.families.actionlens.schema import Layout, TruthLayout
from evaluator.family import Slice

ALL = "all"
REVIEW = "review-subset"
REVIEW_PREFIX = f"{REVIEW}-"

_CROWDS = (
    ("2-people", "two people", 2, 2),
    ("3-people", "three people", 3, 3),
    ("4-people", "four people", 4, 4),
    ("5-people-or-more", "five people or more", 5, 10**6),
)
_CROWDED = tuple(d for d in DIAGNOSTICS if d.code in ("D2", "D4"))

DIAGNOSTIC_SLICES = tuple(d.slug for d in DIAGNOSTICS)
REVIEW_SLICES = tuple(f"{REVIEW_PREFIX}{slug}" for slug in DIAGNOSTIC_SLICES)
# A trap is the other person's action: only D2 has one.
TRAP_SLICES = tuple(
    f"{prefix}{d.slug}{suffix}"
    for d in DIAGNOSTICS
    if d.code == "D2"
    for prefix, suffixes in (
        ("", ("", *(f"-{slug}" for slug, *_ in _CROWDS))),
        (REVIEW_PREFIX, ("",)),
    )
    for suffix in suffixes
)

SLICES = (
    Slice(ALL, "Full set", "Every question of the track."),
    *(Slice(d.slug, d.title, d.description) for d in DIAGNOSTICS),
    Slice(
        REVIEW,
        "Review subset",
        "The questions that people reviewed and answered; never mixed with the full set.",
    ),
    *(
        Slice(f"{REVIEW_PREFIX}{d.slug}", f"Review subset, {d.title}", d.description)
        for d in DIAGNOSTICS
    ),
    *(
        Slice(f"transition-{slug}", f"D1, {title.lower()}", f"Changes of type {title.lower()}.")
        for slug, title in TRANSITIONS
    ),
    *(
        Slice(
            f"{d.slug}-{slug}",
            f"{d.code}, {words}",
            f"{d.title} where {words} are annotated in the scene.",
        )
        for d in _CROWDED
        for slug, words, _, _ in _CROWDS
    ),
    *(
        Slice(
            f"gaze-{slug}",
            f"D5, {title.lower()}",
            f"Gaze detection where the right answer is: {title.lower()}.",
        )
        for slug, title in GAZES
    ),
)


def question_slices(layout: Layout, truth: TruthLayout) -> dict[str, NDArray[np.bool_]]:
    """The slices that hold a question, each (Q,), in display order."""
    members = {ALL: np.ones(layout.n_questions, dtype=bool), REVIEW: layout.review}
    for diagnostic in DIAGNOSTICS:
        asked = layout.diagnostic == diagnostic.code
        members[diagnostic.slug] = asked
        members[f"{REVIEW_PREFIX}{diagnostic.slug}"] = asked & layout.review
        if diagnostic in _CROWDED:
            for slug, _, least, most in _CROWDS:
                crowd = (truth.n_people >= least) & (truth.n_people <= most)
                members[f"{diagnostic.slug}-{slug}"] = asked & crowd
    members |= {f"transition-{slug}": truth.transition == slug for slug, _ in TRANSITIONS}
    members |= {f"gaze-{slug}": truth.gaze == slug for slug, _ in GAZES}
    return {s.slug: members[s.slug] for s in SLICES if members[s.slug].any()}
