"""The family as one value."""

from __future__ import annotations

from evaluator.bundle import Bundle
from evaluator.errors import PredictionsInvalid, Problem
from evaluator.families.hoi_choice.audit import audit_track
from evaluator.families.hoi_choice.checks import check_bundle
from evaluator.families.hoi_choice.example import example_predictions
from evaluator.families.hoi_choice.fingerprint import fingerprint
from evaluator.families.hoi_choice.metrics import METRICS, questions_by_cluster, weigh
from evaluator.families.hoi_choice.predictions import read_predictions
from evaluator.families.hoi_choice.prompts import questions_asked
from evaluator.families.hoi_choice.scorer import match
from evaluator.families.hoi_choice.slices import SLICES
from evaluator.families.hoi_choice.trivial import (
    TRIVIAL,
    blind_predictions,
    lawful_predictions,
    perfect_predictions,
)
from evaluator.family import Facet, Family, Track

TRACKS = (
    Track(
        "all-people",
        "All people (Setting 1)",
        "What do the people in the image do? The answer holds for everybody in it.",
    ),
    Track(
        "target-box",
        "Target box (Setting 2)",
        "What does the person in the given box do?",
    ),
    Track(
        "detect-then-answer",
        "Detect, then answer (Setting 3)",
        "Find the people, then say what each does; the one at the hidden target box counts.",
    ),
    Track(
        "target-pair",
        "Target pair",
        "What does the person in the given box do with the object in the given box?",
    ),
)

FACETS = (
    Facet(
        "kind",
        "Kind",
        (
            ("hoi-specific", "HOI-specific method"),
            ("vlm-zero-shot", "VLM, zero-shot"),
            ("fine-tuned", "Fine-tuned"),
        ),
        "Whether the system was made for HOI, is a general model as it comes, or was fine-tuned.",
    ),
    Facet(
        "boxes",
        "Boxes",
        (("own", "Own"), ("given", "Given"), ("off-the-shelf", "Off-the-shelf detector")),
        "Where the person boxes come from.",
    ),
    Facet(
        "size", "Size", (("small", "Small"), ("large", "Large")), "Small: below 10 B parameters."
    ),
    Facet("trained-on", "Trained on", (), "Data of the fine-tuning, in a few words."),
)


def convert(bundle: Bundle, track: str, data: bytes) -> tuple[bytes, list[str]]:
    """A lawful predictions file from the release's form or any lenient one.

    Missing questions become abstentions, labels that are no choice are left
    out, repeats collapse; the notes say how many.

    Raises:
        PredictionsInvalid: the file cannot be read, or the track asks for boxes.
    """
    if track == "detect-then-answer":
        problem = Problem(
            "VALUE",
            "file",
            "answers without boxes",
            "people with boxes, which no conversion can add",
            'Give each question a list "people" of {"box": [...], "answer": [...]}.',
        )
        raise PredictionsInvalid([problem])
    answers = read_predictions(bundle, track, data, "released")
    return lawful_predictions(bundle, track, answers), answers.notes


FAMILY = Family(
    slug="hoi_choice",
    title="HOI, multiple choice",
    description="Which of the lettered interactions hold? One, several or none may be right.",
    tracks=TRACKS,
    metrics=METRICS,
    slices=SLICES,
    facets=FACETS,
    trivial=TRIVIAL,
    rules=("paper", "released"),
    primary_metric="macro_f1",
    draws=10_000,
    read_predictions=read_predictions,
    match=match,
    weigh=weigh,
    check=check_bundle,
    perfect=perfect_predictions,
    convert=convert,
    example=example_predictions,
    blind=blind_predictions,
    fingerprint=fingerprint,
    audit=audit_track,
    asked=questions_asked,
    questions_by_cluster=questions_by_cluster,
)
