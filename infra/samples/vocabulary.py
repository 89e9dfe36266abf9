"""Interaction classes of the sample: ours, with a long tail of training counts."""

from __future__ import annotations

from functools import cache

from evaluator.bundle import LabelClass
from evaluator.families.hoi_choice.labels import class_name, frequency_groups
from infra.samples.chance import shuffled

VERBS = {
    "wheelbarrow": ("push", "pull", "load", "tip over", "repair"),
    "ladder": ("climb", "carry", "lean on", "fold", "hold"),
    "guitar": ("play", "tune", "carry", "hold", "put down"),
    "kettle": ("fill", "pour from", "hold", "clean", "lift"),
    "shovel": ("dig with", "carry", "lean on", "hold", "swing"),
    "rope": ("pull", "coil", "climb", "tie", "jump over"),
    "camera": ("aim", "hold", "adjust", "inspect", "hand over"),
    "broom": ("sweep with", "lean on", "hold", "carry", "swing"),
    "drum": ("beat", "carry", "tune", "sit on", "hold"),
    "canoe": ("paddle", "carry", "sit in", "launch", "repair"),
    "hammock": ("lie in", "hang", "swing", "get out of", "fold"),
    "telescope": ("look through", "aim", "carry", "adjust", "clean"),
    "bucket": ("carry", "fill", "empty", "hold", "kick"),
    "trolley": ("push", "pull", "load", "lean on", "let go of"),
    "lantern": ("light", "hang", "hold", "carry", "put out"),
    "basket": ("weave", "carry", "fill", "hold", "set down"),
}
# What a still image cannot decide.
TIME_SENSITIVE = frozenset(
    {"tip over", "put down", "lift", "swing", "hand over", "launch", "get out of", "let go of"}
    | {"put out", "set down"}
)
UNSEEN_BIN = "bin-07"  # classes of this bin are never right: a slice with nothing to count
_MOST_FREQUENT = 4000.0
_TAIL_EXPONENT = 1.5


def text_of(verb: str, thing: str) -> str:
    """A choice as it is printed."""
    return f"{verb} {thing}"


@cache
def label_classes() -> tuple[LabelClass, ...]:
    """The class list of the sample, by name."""
    names = sorted(class_name(text_of(v, thing)) for thing, verbs in VERBS.items() for v in verbs)
    rank = {name: place for place, name in enumerate(shuffled(names, "train"), start=1)}
    instances = [round(_MOST_FREQUENT / rank[name] ** _TAIL_EXPONENT) for name in names]
    sensitive = {
        class_name(text_of(v, thing))
        for thing, verbs in VERBS.items()
        for v in verbs
        if v in TIME_SENSITIVE
    }
    return tuple(
        LabelClass(
            name=name,
            train_instances=count,
            groups=groups + (("time-sensitive",) if name in sensitive else ()),
        )
        for name, count, groups in zip(names, instances, frequency_groups(instances), strict=True)
    )


@cache
def unseen_classes() -> frozenset[str]:
    """Classes that nobody does in any scene."""
    return frozenset(entry.name for entry in label_classes() if UNSEEN_BIN in entry.groups)
