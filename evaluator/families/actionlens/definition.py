"""The family as one value."""

from __future__ import annotations

from evaluator.bundle import Bundle
from evaluator.families.actionlens.analyses import (
    agreement,
    errors_by_kind,
    questions_by_cluster,
)
from evaluator.families.actionlens.audit import audit_track
from evaluator.families.actionlens.checks import check_bundle
from evaluator.families.actionlens.evidence import match
from evaluator.families.actionlens.example import example_predictions
from evaluator.families.actionlens.fingerprint import fingerprint
from evaluator.families.actionlens.metrics import METRICS, weigh
from evaluator.families.actionlens.predictions import read_leniently, read_predictions
from evaluator.families.actionlens.prompts import questions_asked
from evaluator.families.actionlens.slices import SLICES
from evaluator.families.actionlens.tracks import TRACKS
from evaluator.families.actionlens.trivial import (
    TRIVIAL,
    blind_predictions,
    lawful_predictions,
    perfect_predictions,
)
from evaluator.family import Facet, Family

FACETS = (
    Facet(
        "access",
        "Access",
        (("open", "Open weights"), ("closed", "Closed"), ("human", "People")),
        "Whether the weights can be had, or people answered.",
    ),
    Facet(
        "size",
        "Size",
        (("large", "27 B or more"), ("mid-size", "7-9 B"), ("small", "4 B or less")),
        "Size of the model, as the paper groups them.",
    ),
    Facet("frames", "Frames", (), "Frames that the system was given, where not 32."),
)


def convert(bundle: Bundle, track: str, data: bytes) -> tuple[bytes, list[str]]:
    """The answers of a file as letters, raw replies read; notes say what was read.

    Questions that a harness's log leaves out are without an answer, and counted.

    Raises:
        PredictionsInvalid: the file is none of this family's.
    """
    answers = read_leniently(bundle, track, data)
    return lawful_predictions(bundle, track, answers.picked), answers.notes


FAMILY = Family(
    slug="actionlens",
    title="Person-bound actions in video",
    description="Who does what, and when? One of the lettered options is right.",
    tracks=TRACKS,
    metrics=METRICS,
    slices=SLICES,
    facets=FACETS,
    trivial=TRIVIAL,
    rules=("paper", "first-letter"),
    primary_metric="question_micro",
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
    errors_by_kind=errors_by_kind,
    agreement=agreement,
)
