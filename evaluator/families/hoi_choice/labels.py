"""From the words of a choice to its class, and the groups that classes form."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluator.bundle import LabelClass
from evaluator.hico import RARE_BELOW, HicoClass, hico_by_verb_and_object, hico_classes

N_HEAD = 20  # first and last classes by training instances (CrossHOI-Bench, section 2.2)
N_BINS = 20  # of the recall curve (CrossHOI-Bench, figure 3): 30 of 600 classes each

_ARTICLE = re.compile(r"\ba/an\b")
_NO_INTERACTION = re.compile(r"\bno interaction with\b")


def class_name(choice: str) -> str:
    """The normalised class of a choice's text.

    Lower case; space and underscore alike; `a/an` dropped;
    `no_interaction with` is `no_interaction` (STATISTICS, section 3).
    """
    words = _ARTICLE.sub(" ", choice.lower().replace("_", " "))
    return " ".join(_NO_INTERACTION.sub("no interaction", words).split())


def is_release_spelling(choice: str) -> bool:
    """Whether the released scorer looks a choice up under its class's name.

    It is strict about case and turns blanks into underscores one by one, so
    `cut_ with a/an knife` is looked up as `cut__with`, not found, and left out
    of its average over classes.
    """
    verb, article, thing = choice.partition(" a/an ")
    if "no_interaction" in verb:
        verb = "no_interaction"
    looked_up = f"{verb} {thing}" if article else choice
    return looked_up.replace("_", " ") == class_name(choice)


def hico_names() -> dict[str, HicoClass]:
    """HICO's classes by normalised name."""
    return {class_name(f"{c.verb} {c.object}"): c for c in hico_by_verb_and_object().values()}


def frequency_groups(train_instances: Sequence[int]) -> list[tuple[str, ...]]:
    """Groups of each class by how often training shows it: rare or non-rare, bin, head or tail.

    Args:
        train_instances: by ascending class id; ties in the order by frequency
            are broken by id, which moves classes between neighbouring bins.
    """
    n = len(train_instances)
    order = sorted(range(n), key=lambda number: (-train_instances[number], number))
    groups: list[tuple[str, ...]] = [()] * n
    for rank, number in enumerate(order):
        names = ["rare" if train_instances[number] < RARE_BELOW else "non-rare"]
        if rank < N_HEAD:
            names.append("head")
        if rank >= n - N_HEAD:
            names.append("tail")
        names.append(f"bin-{1 + rank * N_BINS // n:02d}")
        groups[number] = tuple(names)
    return groups


def class_list(names: Sequence[str], unlisted: frozenset[str] = frozenset()) -> list[LabelClass]:
    """Class entries for normalised names, with HICO's ids, counts and groups where one fits.

    Args:
        unlisted: names that the released scorer's class list does not hold.
    """
    known = hico_names()
    groups = frequency_groups([c.train_instances for c in hico_classes()])
    entries = []
    for name in names:
        hico = known.get(name)
        if hico is None:
            entries.append(LabelClass(name=name, listed=name not in unlisted))
            continue
        sensitive = ("time-sensitive",) if hico.is_time_sensitive else ()
        entries.append(
            LabelClass(
                name=name,
                id=hico.id,
                train_instances=hico.train_instances,
                groups=groups[hico.id] + sensitive,
                listed=name not in unlisted,
            )
        )
    return entries
