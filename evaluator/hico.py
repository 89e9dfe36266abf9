"""HICO's 600 interaction classes: facts that two families share.

Verb, object, instances in the training and test split of HICO-DET, and the 68
classes that a still image cannot decide (CrossHOI-Bench, table 5). Ids are
0-based in HICO's alphabetical order. Sources: HICO-DET (CC0), counts as in
github.com/fredzzhang/hicodet and github.com/daoyuan98/ODM.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

RARE_BELOW = 10  # training instances of a class; strictly fewer


@dataclass(frozen=True, slots=True)
class HicoClass:
    """One of the 600 classes; counts are annotated instances."""

    id: int
    verb: str
    object: str
    train_instances: int
    test_instances: int
    is_time_sensitive: bool

    @property
    def is_rare(self) -> bool:
        return self.train_instances < RARE_BELOW


@cache
def hico_classes() -> tuple[HicoClass, ...]:
    """The 600 classes by id."""
    text = resources.files("evaluator").joinpath("hico_classes.csv").read_text("utf-8")
    return tuple(
        HicoClass(
            id=number,
            verb=row["verb"],
            object=row["object"],
            train_instances=int(row["train_instances"]),
            test_instances=int(row["test_instances"]),
            is_time_sensitive=row["time_sensitive"] == "1",
        )
        for number, row in enumerate(csv.DictReader(text.splitlines()))
    )


@cache
def hico_by_verb_and_object() -> Mapping[tuple[str, str], HicoClass]:
    """Classes by (verb, object), spelt with underscores."""
    return {(c.verb, c.object): c for c in hico_classes()}
