"""Predictions files of hoi_detection: `evaluator.reading.detections` with this family's words.

Reads public images only. Boxes may stand outside the image, as detectors put
them, and an image may have any number of detections, or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from evaluator.bundle import Bundle
from evaluator.errors import PredictionsInvalid, Problem
from evaluator.families.hoi_detection.matching import Pairs
from evaluator.families.hoi_detection.schema import Image, images_of
from evaluator.families.hoi_detection.scorer import Detections
from evaluator.reading.detections import Vocabulary, read_detections

PPDM_MARK = b'"hoi_prediction"'
_NUMBER = re.compile(r"(?<![0-9])[0-9]{1,15}\Z")


def read_predictions(bundle: Bundle, track: str, data: bytes, rules: str) -> Detections:
    """The detections in a predictions file; the same under all rules.

    Raises:
        PredictionsInvalid: all problems of the file.
    """
    del rules
    try:
        read = read_detections(data, vocabulary(bundle), benchmark=bundle.benchmark, track=track)
    except PredictionsInvalid as error:
        n_classes = len(bundle.benchmark.classes)
        problems = [_with_hint(problem, n_classes) for problem in error.problems]
        if is_ppdm(data):
            problems[0] = replace(problems[0], hint="`plumbline convert` reads this layout.")
        raise PredictionsInvalid(problems, error.n_problems) from None
    columns = read.columns
    return Detections(
        Pairs(columns.image, columns.label, columns.human, columns.object),
        columns.score,
        read.box_base,
    )


def is_ppdm(data: bytes) -> bool:
    """Whether a file looks like the layout of PPDM and QPIC."""
    return PPDM_MARK in data


def vocabulary(bundle: Bundle) -> Vocabulary:
    """What a predictions file may speak of."""
    return Vocabulary(
        images=image_names(images_of(bundle)),
        classes=[(entry.verb, entry.object) for entry in bundle.benchmark.classes],
    )


def image_names(images: Iterable[Image]) -> dict[str | int, int]:
    """Index of each image by its id, its file name, and the number its file name ends in.

    A number that several images share names none of them.
    """
    names: dict[str | int, int] = {}
    files: dict[str, int] = {}
    numbers: dict[int, set[int]] = {}
    for index, image in enumerate(images):
        names[image.id] = index
        files[image.image] = index
        if found := _NUMBER.search(PurePosixPath(image.image).stem):
            numbers.setdefault(int(found[0]), set()).add(index)
    for file, index in files.items():
        names.setdefault(file, index)
    names.update({number: min(same) for number, same in numbers.items() if len(same) == 1})
    return names


def _with_hint(problem: Problem, n_classes: int) -> Problem:
    """The problem, with what to do where it is a numbering that others use."""
    field = problem.where.rpartition("/")[2]
    hint = ""
    if problem.code == "UNKNOWN_ID" and field == "hoi_id":
        if problem.found == str(n_classes):
            hint = 'A file that counts classes from 1 declares "class_ids": "matlab1".'
        elif problem.found == "0":
            hint = 'A file that counts classes from 0 declares "class_ids": "hoi0".'
    elif problem.code == "TYPE" and field in ("verb", "object") and problem.found.isdigit():
        hint = "Give the name: numbers differ between HICO, COCO's 80 and COCO's 91 objects."
    return replace(problem, hint=hint) if hint else problem
