"""Class lists with the groups that training counts decide: rare, and rare for their object."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from evaluator.bundle import LabelClass
from evaluator.errors import BundleInvalid
from evaluator.hico import RARE_BELOW, hico_classes

OBJECT_RARE_BELOW = 0.3  # share of the object's training pairs; strictly below


def grouped_classes(counted: Sequence[tuple[str, str, int]]) -> list[LabelClass]:
    """Classes from (verb, object, training instances), ids in that order.

    An object's count is over all its classes, `no_interaction` included.
    """
    of_object: Counter[str] = Counter()
    for _, thing, n in counted:
        of_object[thing] += n
    return [
        LabelClass(
            name=f"{verb} {thing}",
            id=number,
            verb=verb,
            object=thing,
            train_instances=n,
            groups=(
                "rare" if n < RARE_BELOW else "non-rare",
                "object-rare"
                if n / max(of_object[thing], 1) < OBJECT_RARE_BELOW
                else "object-non-rare",
            ),
        )
        for number, (verb, thing, n) in enumerate(counted)
    ]


def hico_det_classes() -> list[LabelClass]:
    """HICO's 600 classes."""
    return grouped_classes([(c.verb, c.object, c.train_instances) for c in hico_classes()])


def hoi_coco_classes(path: Path) -> list[LabelClass]:
    """HOI-COCO's classes, sorted by verb and object; without groups, for want of counts.

    Raises:
        BundleInvalid: the CSV lacks a column.
    """
    try:
        rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
        pairs = sorted({(row["verb"], row["object"].replace(" ", "_")) for row in rows})
    except (OSError, UnicodeDecodeError, KeyError) as error:
        raise BundleInvalid(
            f"{path} is no class list with columns object, verb: {error}"
        ) from error
    return [
        LabelClass(name=f"{verb} {thing}", id=number, verb=verb, object=thing)
        for number, (verb, thing) in enumerate(pairs)
    ]
