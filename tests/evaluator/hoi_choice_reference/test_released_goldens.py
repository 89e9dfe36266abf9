"""Rules `released` give what the released scorer prints: the slow reference and the evaluator."""

from __future__ import annotations

import json

import pytest

from evaluator.bundle import Bundle
from evaluator.families.hoi_choice.crosshoi import import_crosshoi
from evaluator.scoring import score_predictions
from tests.evaluator.hoi_choice_reference import release
from tests.evaluator.hoi_choice_reference.reference import evaluate

pytestmark = pytest.mark.skipif(not release.CROSSHOI.exists(), reason=release.ABSENT)

CASES = [(part, name) for part in release.PARTS for name in release.SUBMISSIONS]


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return import_crosshoi(release.CROSSHOI, "hicodet")[0]


def printed(part: str, name: str) -> dict[str, float | None]:
    golden = release.golden()[f"{part}/{name}"]
    return {ours: golden[theirs] for theirs, ours in release.METRICS.items()}


@pytest.mark.parametrize(("part", "name"), CASES)
def test_reference_prints_what_the_released_scorer_prints(part: str, name: str) -> None:
    asked = release.asked_as_released(part, release.submission(part, name))
    values = evaluate(asked, release.listed_classes(), release.PARTS[part], "released")
    for metric, value in printed(part, name).items():
        assert values["all", metric] == pytest.approx(value, abs=1e-12), metric


@pytest.mark.parametrize(("part", "name"), CASES)
def test_evaluator_prints_what_the_released_scorer_prints(
    bundle: Bundle, part: str, name: str
) -> None:
    data = json.dumps(release.submission(part, name)).encode()
    card = score_predictions(bundle, release.PARTS[part], data, rules="released", draws=0)
    for metric, value in printed(part, name).items():
        assert card.score("all", metric).value == pytest.approx(value, abs=1e-9), metric


def test_every_golden_submission_is_covered() -> None:
    assert {f"{part}/{name}" for part, name in CASES} == set(release.golden())


@pytest.mark.parametrize("part", release.PARTS)
def test_under_paper_rules_a_repeated_label_changes_nothing(bundle: Bundle, part: str) -> None:
    cards = []
    for name in ("plausible", "plausible_every_label_twice"):
        data = json.dumps(release.submission(part, name)).encode()
        cards.append(score_predictions(bundle, release.PARTS[part], data, draws=0))
    assert cards[0].scores == cards[1].scores
