"""The ways of asking: one track each.

Source: ActionLens, sections 4.2 to 4.4, appendices E, F, I, J, N, O.
"""

from __future__ import annotations

from evaluator.family import Track

RANKING = "tracked-boxes"
FRAME_BUDGETS = (1, 4, 8, 16, 64)  # beside the 32 of the ranking track (section 4.3)

TRACKS = (
    Track(
        "tracked-boxes",
        "Tracked boxes",
        "The ranking track: boxes drawn on the clip, 32 frames, a direct answer.",
    ),
    Track(
        "static-coordinates",
        "Static coordinates",
        "The bare clip; people are named by the coordinates of their box at the midpoint.",
    ),
    Track(
        "relational-reference",
        "Relational reference",
        "The bare clip; people are named by their place from left to right at the midpoint.",
    ),
    Track("no-video", "No video", "Question and options alone."),
    *(
        Track(
            f"frames-{n}",
            f"{n} frame" if n == 1 else f"{n} frames",
            f"As the ranking track, with {n} uniformly sampled frame{'s' if n > 1 else ''}.",
        )
        for n in FRAME_BUDGETS
    ),
    Track(
        "step-by-step",
        "Step by step",
        "As the ranking track, the model thinking step by step before it answers.",
    ),
    Track(
        "plan-and-solve",
        "Plan and solve",
        "As the ranking track, the model making a plan and carrying it out first.",
    ),
    Track(
        "colours-swapped",
        "Colours swapped",
        "Actor disambiguation with red and blue exchanged; the same person is asked about.",
    ),
)

BARE = ("static-coordinates", "relational-reference", "no-video")  # no box is drawn
BOXED = tuple(track.slug for track in TRACKS if track.slug not in BARE)
