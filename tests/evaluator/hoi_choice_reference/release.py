"""The release's questions and the golden submissions, rebuilt as their names say."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.evaluator.hoi_choice_reference.reference import Asked, Json, class_of

SHARED = Path(__file__).parents[4] / "shared" / "data"
CROSSHOI = SHARED / "crosshoi"
ABSENT = "../shared/data is absent: the released questions and golden submissions are not ours"
PARTS = {"allscene": "all-people", "hum_box": "target-box"}
SUBMISSIONS = (
    "oracle",
    "all_choices",
    "plausible",
    "plausible_missing_files",
    "plausible_every_label_twice",
    "plausible_with_unknown_labels",
    "only_unknown_labels",
)
# What the release prints, and what we call it.
METRICS = {
    "macro_f1": "macro_f1",
    "instance_f1": "instance_f1",
    "micro_f1": "micro_f1",
    "em": "exact_match",
    "precision": "precision",
    "recall": "recall",
}

Submission = dict[str, dict[str, list[str]]]


def read(name: str) -> Any:
    """Content of a released or golden file, which has the shape that its author chose."""
    return json.loads((CROSSHOI / name).read_text())


def questions(part: str) -> dict[str, Json]:
    """Released questions by image; these files ask one question about each."""
    found: dict[str, Json] = read(f"crosshoi_bench_{part}_final.json")
    return found


def golden() -> dict[str, Mapping[str, float | None]]:
    """What the released scorer prints, by part and submission."""
    found: dict[str, Mapping[str, float | None]] = read("golden/golden_metrics.json")
    return found


def submission(part: str, name: str) -> Submission:
    """A golden submission in the release's form."""
    asked = questions(part)
    if name == "oracle":
        return {image: {"QA_0": item["gt_choices"]} for image, item in asked.items()}
    if name == "all_choices":
        return {
            image: {"QA_0": item["gt_choices"] + item["wrong_choices"]}
            for image, item in asked.items()
        }
    if name == "only_unknown_labels":
        return {image: {"QA_0": ["no such label"]} for image in asked}
    file = "plausible_missing_files" if name == "plausible_missing_files" else "plausible"
    given: Submission = read(f"golden/pred_{part}_{file}.json")
    added = {"plausible_with_unknown_labels": ["no such label", "nor this one"]}.get(name, [])
    times = 2 if name == "plausible_every_label_twice" else 1
    return {image: {"QA_0": item["QA_0"] * times + added} for image, item in given.items()}


def listed_classes() -> list[Json]:
    """HICO's 600 classes as the released scorer lists them."""
    path = SHARED / "hicodet" / "hico_det_hoi_classes.csv"
    with path.open(newline="") as file:
        return [{"name": class_of(f"{r['verb']} {r['object']}")} for r in csv.DictReader(file)]


def asked_as_released(part: str, answers: Submission) -> list[Asked]:
    """Every question of a part with a submission's answers."""
    every = []
    for image, item in questions(part).items():
        choices = list(dict.fromkeys(item["gt_choices"] + item["wrong_choices"]))
        right = {choices.index(label) for label in item["gt_choices"]}
        wrong = {choices.index(label) for label in item["wrong_choices"]}
        asked = Asked(image, choices, right, right & wrong, None, None)
        for label in answers.get(image, {}).get("QA_0", []):
            if label in choices:
                asked.named.append(choices.index(label))
            else:
                asked.n_unknown += 1
        every.append(asked)
    return every
