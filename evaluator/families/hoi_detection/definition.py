"""The family as one value."""

from __future__ import annotations

from evaluator.bundle import Bundle
from evaluator.families.hoi_detection.audit import audit_track
from evaluator.families.hoi_detection.checks import check_bundle, perfect_predictions
from evaluator.families.hoi_detection.example import blind_predictions, example_predictions
from evaluator.families.hoi_detection.fingerprint import fingerprint
from evaluator.families.hoi_detection.metrics import METRICS, SLICES, weigh
from evaluator.families.hoi_detection.ppdm import from_ppdm
from evaluator.families.hoi_detection.predictions import is_ppdm, read_predictions
from evaluator.families.hoi_detection.rules import RULES
from evaluator.families.hoi_detection.schema import TRACK
from evaluator.families.hoi_detection.scorer import match
from evaluator.family import Facet, Family, Track

TRACKS = (
    Track(
        TRACK,
        "Detection",
        "Find every person who interacts, the object, and how: boxes, class and score.",
    ),
)

FACETS = (
    Facet(
        "detector",
        "Detector",
        (
            ("pre-trained", "Pre-trained"),
            ("fine-tuned", "Fine-tuned"),
            ("oracle", "Oracle boxes"),
        ),
        "Whether the object detector saw this benchmark's training boxes, or its test boxes.",
        required=True,
    ),
    Facet("backbone", "Backbone", (), "Of the detector or the whole, such as ResNet-50."),
)


def convert(bundle: Bundle, track: str, data: bytes) -> tuple[bytes, list[str]]:
    """A lawful predictions file from the layout of PPDM and QPIC; lawful files pass through.

    Raises:
        PredictionsInvalid: all problems of the file.
    """
    if is_ppdm(data):
        return from_ppdm(bundle, track, data)
    read_predictions(bundle, track, data, bundle.benchmark.rules)
    return data, ["the file is lawful as it is"]


FAMILY = Family(
    slug="hoi_detection",
    title="HOI detection",
    description="Who does what with which object, where? Ranked pairs of boxes with a class.",
    tracks=TRACKS,
    metrics=METRICS,
    slices=SLICES,
    facets=FACETS,
    trivial=(),
    rules=tuple(RULES),
    primary_metric="map",
    draws=1_000,
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
)
