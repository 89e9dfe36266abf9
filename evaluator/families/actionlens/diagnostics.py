"""The five diagnostics: what each asks, and what its options can be.

Source: ActionLens (arXiv:2609.34547), sections 3.2 and 3.4, appendix D.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Code = Literal["D1", "D2", "D3", "D4", "D5"]
Colour = Literal["red", "blue"]
Transition = Literal[
    "posture",
    "object-interaction",
    "locomotion",
    "person-interaction",
    "daily-activity",
    "observation",
]
Gaze = Literal["only-red", "only-blue", "both", "neither"]

CORRECT = "correct"
TRAP = "trap"
TRAP_CHANCE = 1 / 3  # among three distractors (appendix H)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One diagnostic.

    Attributes:
        kinds: what a wrong option can be, (slug, title). Where the key has no
            kind of its own, it is `correct`.
        key_has_kind: the key's kind is one of `kinds` too: it says who watches.
    """

    code: Code
    slug: str
    title: str
    description: str
    kinds: tuple[tuple[str, str], ...]
    key_has_kind: bool = False

    @property
    def kind_slugs(self) -> tuple[str, ...]:
        return tuple(slug for slug, _ in self.kinds)


DIAGNOSTICS = (
    Diagnostic(
        "D1",
        "transition-sensitivity",
        "D1 Transition sensitivity",
        "From which action to which does the person in the box change?",
        (
            ("reversal", "The change, backwards"),
            ("static-before", "Only the action before"),
            ("static-after", "Only the action after"),
        ),
    ),
    Diagnostic(
        "D2",
        "actor-disambiguation",
        "D2 Actor disambiguation",
        "What does the person in one box do, where the other person does something else?",
        (
            (TRAP, "The other highlighted person's action"),
            ("scene", "An action of somebody else in the scene"),
            ("absent", "An action of nobody in the scene"),
        ),
    ),
    Diagnostic(
        "D3",
        "concurrent-binding",
        "D3 Concurrent binding",
        "Which two actions does the person in the box perform at the same time?",
        (
            ("one-changed", "One of the two actions changed"),
            ("both-changed", "Both actions changed"),
        ),
    ),
    Diagnostic(
        "D4",
        "interaction-reasoning",
        "D4 Interaction reasoning",
        "Who talks and who listens, and what does each do meanwhile?",
        (
            ("role-swap", "Talker and listener exchanged"),
            ("co-action-swap", "Their other actions exchanged"),
            ("scene-alternative", "Other actions of the scene"),
        ),
    ),
    Diagnostic(
        "D5",
        "gaze-detection",
        "D5 Gaze detection",
        "Which of the two highlighted people watches someone?",
        (
            ("only-red", "Only the person in the red box"),
            ("only-blue", "Only the person in the blue box"),
            ("both", "Both"),
            ("neither", "Neither"),
        ),
        key_has_kind=True,
    ),
)
BY_CODE = {diagnostic.code: diagnostic for diagnostic in DIAGNOSTICS}

# Kinds of all diagnostics in a row: the axis of tables of errors.
KINDS = tuple((d.code, kind) for d in DIAGNOSTICS for kind in d.kind_slugs)
KIND_NUMBER = {pair: number for number, pair in enumerate(KINDS)}

TRANSITIONS: tuple[tuple[Transition, str], ...] = (
    ("posture", "Posture"),
    ("object-interaction", "Object interaction"),
    ("locomotion", "Locomotion"),
    ("person-interaction", "Person interaction"),
    ("daily-activity", "Daily activity"),
    ("observation", "Observation"),
)
GAZES: tuple[tuple[Gaze, str], ...] = (
    ("only-red", "Only red watches"),
    ("only-blue", "Only blue watches"),
    ("both", "Both watch"),
    ("neither", "Neither watches"),
)
