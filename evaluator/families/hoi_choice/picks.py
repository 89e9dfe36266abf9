"""Which choice of a question a label names."""

from __future__ import annotations

from evaluator.families.hoi_choice.labels import class_name
from evaluator.families.hoi_choice.schema import LETTERS


def choice_named(label: str, choices: tuple[str, ...], *, exact: bool) -> int | None:
    """Index of the choice that a letter or a text names; None if it names none or several.

    Args:
        exact: texts only, compared as the released scorer compares them.
    """
    if exact:
        return choices.index(label) if label in choices else None
    if len(label) == 1 and label in LETTERS[: len(choices)]:
        return LETTERS.index(label)
    if label in choices:
        return choices.index(label)
    name = class_name(label)
    same = [number for number, choice in enumerate(choices) if class_name(choice) == name]
    return same[0] if len(same) == 1 else None
