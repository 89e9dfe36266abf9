"""Values of whole files: groups, objects, known objects, and what cannot be said."""

from __future__ import annotations

import pytest

from evaluator.bundle import Bundle
from evaluator.families.hoi_detection import FAMILY
from evaluator.families.hoi_detection.class_list import grouped_classes
from evaluator.families.hoi_detection.schema import TRACK
from evaluator.scorecard import Scorecard
from evaluator.scoring import score_predictions
from tests.evaluator.hoi_detection.small import CLASSES, IMAGES, file_of, item, small_bundle

# hold cup is object-rare (9 of 100), wash cup not; ride bicycle is 29 %, no_interaction 71 %.
COUNTS = (9, 91, 29, 71)


def counted_bundle() -> Bundle:
    rows = [(verb, thing, n) for (verb, thing), n in zip(CLASSES, COUNTS, strict=True)]
    return small_bundle(tuple(grouped_classes(rows)))


def card(data: bytes, rules: str = "official", bundle: Bundle | None = None) -> Scorecard:
    return score_predictions(bundle or counted_bundle(), TRACK, data, rules=rules, draws=0)


def test_groups_follow_training_counts() -> None:
    groups = [entry.groups for entry in counted_bundle().benchmark.classes]
    assert groups == [
        ("rare", "object-rare"),
        ("non-rare", "object-non-rare"),
        ("non-rare", "object-rare"),
        ("non-rare", "object-non-rare"),
    ]


def test_a_share_of_exactly_three_tenths_is_not_rare() -> None:
    entries = grouped_classes([("a", "x", 3), ("b", "x", 7), ("c", "y", 0)])
    assert [entry.groups[1] for entry in entries] == ["object-non-rare"] * 2 + ["object-rare"]


def test_values_by_hand() -> None:
    # hold cup: false positive on the empty image first: 1/2. wash cup: 1. ride bicycle: none, 0.
    data = file_of([item(IMAGES[2], 0, 0.9), item(IMAGES[0], 0, 0.8), item(IMAGES[0], 1, 0.7)])
    found = card(data)
    assert found.score("all", "map").value == pytest.approx((0.5 + 1 + 0) / 3)
    assert found.score("rare", "map").value == pytest.approx(0.5)
    assert found.score("non-rare", "map").value == pytest.approx(0.5)
    # The empty image is not known to show a cup.
    assert found.score("all", "map_known_object").value == pytest.approx((1 + 1 + 0) / 3)
    # Object-rare: cup 1/2, bicycle 0. Other: cup 1; no bicycle class with truth is left.
    assert found.score("all", "or_map").value == pytest.approx(0.25)
    assert found.score("all", "onr_map").value == pytest.approx(1.0)
    assert found.score("all", "ave_map").value == pytest.approx(0.625)
    assert found.score("all", "max_recall").value == pytest.approx(2 / 3)
    assert card(data, "zero").score("all", "onr_map").value == pytest.approx(0.5)
    assert card(data, "qpic").score("all", "map").value == pytest.approx(2 / 3)


@pytest.mark.parametrize("rules", FAMILY.rules)
def test_without_training_counts_splits_have_no_value_but_a_reason(rules: str) -> None:
    found = card(file_of([item()]), rules, small_bundle())
    lacking = [
        s
        for s in found.scores
        if s.slice != "all" or s.metric.split("_")[0] in ("or", "onr", "ave")
    ]
    assert len(lacking) == 9
    for score in lacking:
        assert (score.value, score.reason) == (None, "the class list gives no training counts")


def test_what_an_image_shows_can_be_told_beyond_its_pairs() -> None:
    bundle = counted_bundle()
    assert bundle.truth is not None
    lines = bundle.truth.splitlines()
    lines[2] = lines[2][:-1] + b', "objects": ["cup"]}'
    shown = Bundle(
        benchmark=bundle.benchmark, questions=bundle.questions, truth=b"\n".join(lines) + b"\n"
    )
    data = file_of([item(IMAGES[2], 0, 0.9), item(IMAGES[0], 0, 0.8), item(IMAGES[0], 1, 0.7)])
    assert card(data, bundle=shown).score("all", "map_known_object").value == pytest.approx(0.5)
