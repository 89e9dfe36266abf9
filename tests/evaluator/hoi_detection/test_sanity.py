"""What is said beside a score when a file is not what its author thinks it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from evaluator.families.hoi_detection import FAMILY
from evaluator.families.hoi_detection.schema import TRACK
from evaluator.scoring import match_predictions
from infra.samples.detections import detection_bundle
from tests.evaluator.hoi_detection.small import IMAGES, file_of, item, small_bundle


@cache
def document() -> str:
    """The right file of the sample, with scores of its own for each detection."""
    content = json.loads(FAMILY.perfect(detection_bundle(), TRACK))
    for place, entry in enumerate(content["predictions"]):
        entry["score"] = 1 - place / 1_000
    return json.dumps(content)


def notes_after(change: Callable[[dict[str, Any]], object], **head: object) -> str:
    content = json.loads(document())
    for entry in content["predictions"]:
        change(entry)
    data = json.dumps({**content, **head}).encode()
    notes: list[str] = match_predictions(detection_bundle(), TRACK, data).facts["notes"]
    return "\n".join(notes)


def shifted(entry: dict[str, Any], shift: int) -> None:
    for box in ("human_box", "object_box"):
        entry[box] = [corner + shift for corner in entry[box]]


def test_a_right_file_is_not_suspected() -> None:
    notes = notes_after(lambda entry: None)
    assert "boxes of 100% of the detections meet an annotated pair" in notes
    assert "check" not in notes
    assert "6 of 80 classes are never predicted" in notes


@pytest.mark.parametrize(("shift", "way"), [(-1, "low"), (1, "high")])
def test_boxes_of_the_other_base_are_suspected(shift: int, way: str) -> None:
    assert f"boxes look one pixel too {way}: check box_base" in notes_after(
        lambda entry: shifted(entry, shift)
    )


def test_a_declared_base_is_believed() -> None:
    assert "check" not in notes_after(lambda entry: shifted(entry, -1), box_base=0)


@pytest.mark.parametrize(("shift", "way"), [(-1, "low"), (1, "high")])
def test_class_ids_off_by_one_are_suspected(shift: int, way: str) -> None:
    notes = notes_after(lambda entry: entry.update(hoi_id=(entry["hoi_id"] + shift) % 80))
    assert f"class ids look one too {way}: check class_ids" in notes


def test_boxes_as_x_y_width_height_are_suspected() -> None:
    def as_sizes(entry: dict[str, Any]) -> None:
        for box in ("human_box", "object_box"):
            x1, y1, x2, y2 = entry[box]
            entry[box] = [x1 / 100, y1 / 100, x2 / 100, y2 / 100]

    assert "boxes hardly meet the truth" in notes_after(as_sizes)


def test_equal_scores_are_told() -> None:
    assert "all scores are equal" in notes_after(lambda entry: entry.update(score=1))


def test_detections_that_no_rule_counts_are_told() -> None:
    data = file_of([item(IMAGES[2])])
    outcome = match_predictions(small_bundle(), TRACK, data, "qpic")
    assert outcome.facts["notes"] == ["no detection counts"]
