"""A HOI method's detections in a predictions file."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from evaluator.errors import Problems, quote
from evaluator.families.hoi_choice.answers import Interactions
from evaluator.families.hoi_choice.labels import class_name
from evaluator.reading.fields import box_of, no_other_fields, number_of, objects_of, text_of


def read_interactions(
    items: list[Any],
    at: str,
    problems: Problems,
    known: Collection[str],
    *,
    needs_box: bool,
    is_lenient: bool,
) -> Interactions:
    """The detections for one image; what is amiss goes into `problems`.

    Args:
        known: normalised names of HOI classes.
        is_lenient: other names are left out in silence.
    """
    boxes, names, scores = [], [], []
    for where, detection in objects_of(items, at, problems, "an object with hoi and score"):
        no_other_fields(detection, ("box", "hoi", "score"), where, problems)
        hoi = text_of(detection, "hoi", where, problems)
        score = number_of(detection, "score", where, problems)
        box = (
            box_of(detection, "box", where, problems)
            if needs_box or "box" in detection
            else (np.nan,) * 4
        )
        if hoi is None or score is None or box is None:
            continue
        if class_name(hoi) not in known:
            if not is_lenient:
                wanted = "an HOI class such as ride bicycle"
                problems.add("UNKNOWN_ID", f"{where}/hoi", quote(hoi), wanted)
            continue
        boxes.append(box)
        names.append(class_name(hoi))
        scores.append(score)
    return Interactions(
        np.array(boxes).reshape(-1, 4), tuple(names), np.array(scores, dtype=np.float64)
    )
