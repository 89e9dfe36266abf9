"""The evaluator against the slow reference: every metric, rule, slice and interval."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from evaluator.bundle import Bundle, read_bundle
from evaluator.families.hoi_choice import scorer
from evaluator.scorecard import Score, Scorecard
from evaluator.scoring import score_predictions
from infra.samples.files import write_samples
from tests.evaluator.hoi_choice_reference.benchmarks import Case, cases
from tests.evaluator.hoi_choice_reference.reference import Asked, Json, ask, evaluate
from tests.evaluator.hoi_choice_reference.resampling import drawn_values, interval, resamples

# Ratios of integer counts: equal to the last bit. The others add up fractions.
COUNT_METRICS = frozenset(
    {"micro_f1", "exact_match", "precision", "recall"}
    | {"abstention_rate", "misattribution", "detection_rate"}
)
RULES = ("paper", "released")
MANY = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def same(metric: str, found: float | None, wanted: float | None) -> bool:
    if found is None or wanted is None:
        return found is wanted
    if metric in COUNT_METRICS:
        return found == wanted
    return math.isclose(found, wanted, rel_tol=0.0, abs_tol=1e-12)


def check_values(card: Scorecard, asked: list[Asked], classes: list[Json], track: str) -> None:
    """Every score of a card is the reference's, and no address is missing."""
    wanted = evaluate(asked, classes, track, card.rules)
    assert {(score.slice, score.metric) for score in card.scores} == set(wanted)
    for score in card.scores:
        value = wanted[score.slice, score.metric]
        assert same(score.metric, score.value, value), f"{score}, reference {value}"


def bounds_of(score: Score) -> tuple[float, float] | None:
    return (score.interval.low, score.interval.high) if score.interval else None


def check_intervals(
    card: Scorecard,
    asked: list[Asked],
    classes: list[Json],
    track: str,
    images: list[str],
) -> int:
    """Every interval of a card is the spelt-out loop's; how many there were."""
    draws = resamples(images, card.draws, card.seed)
    values = drawn_values(asked, classes, track, card.rules, draws)
    n_intervals = 0
    for score in card.scores:
        if score.value is None:
            assert score.interval is None
            assert score.reason
            continue
        assert score.n_clusters is not None
        drawn = values[score.slice, score.metric]
        wanted = interval(score.metric, score.value, drawn, score.n_clusters)
        found = bounds_of(score)
        if found is None or wanted is None:
            assert found is wanted, f"{score}, reference {wanted}"
            assert score.interval_reason
            continue
        n_intervals += 1
        assert found[0] <= score.value <= found[1]
        if score.metric in COUNT_METRICS and score.value not in (0.0, 1.0):
            assert found == wanted, f"{score}, reference {wanted}"  # bit for bit
        else:
            assert found == pytest.approx(wanted, abs=1e-12), f"{score}, reference {wanted}"
    return n_intervals


@MANY
@given(case=cases(), rules=st.sampled_from(RULES))
def test_values_equal_the_reference(case: Case, rules: str) -> None:
    card = score_predictions(case.bundle, case.track, case.data, rules=rules, draws=0)
    asked = ask(case.questions, case.truth, case.items, case.track, rules)
    check_values(card, asked, case.classes, case.track)


@settings(MANY, max_examples=25)
@given(case=cases(draws=60), rules=st.sampled_from(RULES))
def test_intervals_equal_the_spelt_out_loop(case: Case, rules: str) -> None:
    card = score_predictions(case.bundle, case.track, case.data, rules=rules)
    asked = ask(case.questions, case.truth, case.items, case.track, rules)
    images = [question["image"] for question in case.questions]
    check_intervals(card, asked, case.classes, case.track, images)


@MANY
@given(case=cases(), seed=st.randoms(use_true_random=False))
def test_order_of_items_and_questions_is_irrelevant(case: Case, seed: object) -> None:
    shuffled = list(case.items)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    first = score_predictions(case.bundle, case.track, case.data, draws=0)
    second = score_predictions(case.bundle, case.track, replace(case, items=shuffled).data, draws=0)
    assert first.scores == second.scores


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    write_samples(folder)
    return folder


def lines_of(data: bytes | None) -> list[Json]:
    assert data is not None
    return [json.loads(line) for line in data.splitlines()]


def items_of(path: Path) -> list[Json]:
    if path.suffix == ".jsonl":
        return lines_of(path.read_bytes())
    items: list[Json] = json.loads(path.read_bytes())["predictions"]
    return items


def asked_in_sample(
    bundle: Bundle, path: Path, track: str, rules: str
) -> tuple[list[Asked], list[Json]]:
    asked = ask(lines_of(bundle.questions), lines_of(bundle.truth), items_of(path), track, rules)
    head = json.loads((path.parents[2] / "sample-hoi" / "benchmark.json").read_bytes())
    return asked, head["classes"]


@pytest.mark.parametrize("track", ["all-people", "target-box", "detect-then-answer"])
def test_sample_systems_equal_the_reference(sample: Path, track: str) -> None:
    bundle = read_bundle(sample / "sample-hoi")
    for path in sorted((sample / "predictions" / track).iterdir())[::4]:
        card = score_predictions(bundle, track, path.read_bytes(), draws=0)
        asked, classes = asked_in_sample(bundle, path, track, "paper")
        check_values(card, asked, classes, track)


def test_sample_intervals_equal_the_spelt_out_loop(sample: Path) -> None:
    bundle = read_bundle(sample / "sample-hoi")
    track = "detect-then-answer"
    path = sample / "predictions" / track / "bittern-9b.json"
    card = score_predictions(bundle, track, path.read_bytes(), draws=100)
    asked, classes = asked_in_sample(bundle, path, track, "paper")
    images = [line["image"] for line in lines_of(bundle.questions)]
    assert check_intervals(card, asked, classes, track, images) > 50


# A test that cannot fail says nothing: planted faults, each of which must be seen.


def _answers_as_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scorer._TALLIES, "paper", scorer.tally_released)


def _one_half_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorer, "MIN_TARGET_OVERLAP", math.nextafter(0.5, 1.0))


def _six_best_interactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorer, "TOP_INTERACTIONS", 6)


@pytest.mark.parametrize(
    "plant", [_answers_as_lists, _one_half_is_not_enough, _six_best_interactions]
)
def test_a_planted_fault_is_seen(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)

    @settings(MANY, max_examples=500, database=None, phases=[Phase.generate])
    @given(case=cases())
    def compare(case: Case) -> None:
        card = score_predictions(case.bundle, case.track, case.data, draws=0)
        asked = ask(case.questions, case.truth, case.items, case.track, "paper")
        check_values(card, asked, case.classes, case.track)

    with pytest.raises((AssertionError, BaseExceptionGroup)):
        compare()
