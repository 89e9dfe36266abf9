"""Which answers count: slices by question, by scene, and by class group."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import LabelClass
from evaluator.families.hoi_choice.labels import N_BINS
from evaluator.families.hoi_choice.schema import TruthLayout
from evaluator.family import Slice

_BINS = tuple(
    Slice(
        slug=f"bin-{number:02d}",
        title=f"Frequency bin {number}",
        description=(
            f"Classes of bin {number} of {N_BINS} by training instances, most frequent first; "
            "recall pooled in the bin."
        ),
        metrics=("recall",),
    )
    for number in range(1, N_BINS + 1)
)

SLICES = (
    Slice("all", "All", "Every question of the track."),
    Slice("one-person", "One person", "Images with one annotated person."),
    Slice("several-people", "Several people", "Images with two or more annotated people."),
    Slice("same-hoi", "Same HOI", "Several people, all with the same set of interactions."),
    Slice("different-hoi", "Different HOIs", "Several people whose interactions differ."),
    Slice(
        "detected",
        "Target found",
        "Questions whose target person the system found: the score given detection.",
        tracks=("detect-then-answer",),
    ),
    Slice(
        "time-sensitive",
        "Time-sensitive",
        "The classes that a still image often cannot tell apart (68 of HICO's 600).",
    ),
    Slice("rare", "Rare", "Classes with fewer than 10 training instances."),
    Slice("non-rare", "Non-rare", "Classes with 10 or more training instances."),
    Slice("head", "Head 20", "The 20 classes with most training instances."),
    Slice("tail", "Tail 20", "The 20 classes with fewest training instances."),
    *_BINS,
)

_GROUPS = tuple(
    slice_.slug
    for slice_ in SLICES
    if slice_.slug in ("time-sensitive", "rare", "non-rare", "head", "tail") or slice_ in _BINS
)


def question_slices(
    track: str, truth: TruthLayout, found: NDArray[np.bool_]
) -> dict[str, NDArray[np.bool_]]:
    """Slices that choose whole questions, each (Q,); scenes only where truth knows them."""
    slices = {"all": np.ones(found.size, dtype=bool)}
    if (truth.scene != "").any():
        one, same, different = (
            truth.scene == scene for scene in ("one-person", "same-hoi", "different-hoi")
        )
        slices["one-person"] = one
        slices["several-people"] = same | different
        slices["same-hoi"] = same
        slices["different-hoi"] = different
    if track == "detect-then-answer":
        slices["detected"] = found
    return slices


@lru_cache(maxsize=4)
def label_groups(classes: tuple[LabelClass, ...]) -> dict[str, NDArray[np.bool_]]:
    """Slices that choose classes, each (K,); only groups that the class list names."""
    groups = {slug: np.array([slug in entry.groups for entry in classes]) for slug in _GROUPS}
    return {slug: members for slug, members in groups.items() if members.any()}
