"""The promises of every family, on the sample bundle that each must bring."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from evaluator.bundle import Bundle
from evaluator.errors import PredictionsInvalid
from evaluator.families import FAMILIES
from evaluator.likeness import Fingerprint, likeness_of
from evaluator.scorecard import Scorecard
from evaluator.scoring import (
    match_predictions,
    score_outcome,
    score_predictions,
    validate_predictions,
)
from infra.samples.clip_files import clip_bundle
from infra.samples.detections import detection_bundle
from infra.samples.files import bundle as sample_hoi
from infra.samples.scenes import questions

# slug -> a bundle with truth on which the family can be tried: a new family adds a line.
SAMPLES: dict[str, Callable[[], Bundle]] = {
    "hoi_choice": lambda: sample_hoi(questions()),
    "hoi_detection": detection_bundle,
    "actionlens": clip_bundle,
}
DRAWS = 200

CASES = [
    pytest.param(slug, track.slug, id=f"{slug}-{track.slug}")
    for slug, make in SAMPLES.items()
    for track in make().benchmark.tracks
]


@cache
def sample(slug: str) -> Bundle:
    return SAMPLES[slug]()


@cache
def perfect(slug: str, track: str) -> bytes:
    return FAMILIES[slug].perfect(sample(slug), track)


@cache
def perfect_card(slug: str, track: str) -> Scorecard:
    return score_predictions(sample(slug), track, perfect(slug, track), draws=DRAWS)


def without_ties(data: bytes) -> bytes:
    """The file with all its scores different, where its answers carry scores.

    Only among equal scores may the order of a file matter.
    """
    document = json.loads(data)
    items = document["predictions"]
    for place, item in enumerate(items):
        if "score" in item:
            item["score"] = 1.0 - place / (len(items) + 1)
    return json.dumps(document).encode()


def reordered(data: bytes, seed: int) -> bytes:
    document = json.loads(data)
    random.Random(seed).shuffle(document["predictions"])
    return json.dumps(document).encode()


def without_first(data: bytes) -> bytes:
    document = json.loads(data)
    del document["predictions"][0]
    return json.dumps(document).encode()


def test_every_family_brings_a_sample() -> None:
    assert set(SAMPLES) == set(FAMILIES)


@pytest.mark.parametrize("slug", FAMILIES)
def test_names_are_unique_and_lead_somewhere(slug: str) -> None:
    family = FAMILIES[slug]
    for things in (family.tracks, family.metrics, family.slices, family.facets, family.trivial):
        slugs = [thing.slug for thing in things]
        assert len(slugs) == len(set(slugs))
        assert all(slugs)
    metrics = {metric.slug for metric in family.metrics}
    tracks = {track.slug for track in family.tracks}
    assert family.primary_metric in metrics
    assert family.rules
    for slice_ in family.slices:
        assert set(slice_.metrics or ()) <= metrics
        assert set(slice_.tracks or ()) <= tracks
    for metric in family.metrics:
        assert set(metric.tracks or ()) <= tracks
        assert set(metric.rules or ()) <= set(family.rules)


@pytest.mark.parametrize("slug", FAMILIES)
def test_its_sample_bundle_is_sound(slug: str) -> None:
    assert FAMILIES[slug].check(sample(slug)) == []


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_perfect_answers_score_one(slug: str, track: str) -> None:
    card = perfect_card(slug, track)
    family = FAMILIES[slug]
    assert card.score("all", family.primary_metric).value == 1.0
    for score in card.scores:
        if family.metric(score.metric).headline and score.value is not None:
            assert score.value == 1.0, (score.slice, score.metric)


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_values_and_bounds_lie_where_they_may(slug: str, track: str) -> None:
    for card in (perfect_card(slug, track), *senseless_cards(slug, track)):
        for score in card.scores:
            if score.value is None:
                assert score.reason and score.interval is None, (score.slice, score.metric)
                continue
            scale = FAMILIES[slug].metric(score.metric).scale
            assert 0.0 <= score.value <= scale
            if score.interval is None:
                assert score.interval_reason, (score.slice, score.metric)
            else:
                assert 0.0 <= score.interval.low <= score.interval.high <= scale


def senseless_cards(slug: str, track: str) -> list[Scorecard]:
    """What needs no model: the trivial rows, or the example of a family that has none."""
    whole, family = sample(slug), FAMILIES[slug]
    outcomes = [next(iter(row.outcomes(whole, track))) for row in family.trivial]
    if not family.trivial:
        outcomes.append(match_predictions(whole, track, family.example(whole, track)))
    return [score_outcome(whole.benchmark, track, outcome, draws=DRAWS) for outcome in outcomes]


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_what_needs_no_model_is_beaten_by_perfect_answers(slug: str, track: str) -> None:
    primary = FAMILIES[slug].primary_metric
    cards = senseless_cards(slug, track)
    assert cards
    for card in cards:
        value = card.score("all", primary).value
        assert value is not None and value < 1.0


@pytest.mark.parametrize("slug", [slug for slug in FAMILIES if not FAMILIES[slug].trivial])
def test_without_trivial_rows_nothing_comes_of_nothing(slug: str) -> None:
    for track in sample(slug).benchmark.tracks:
        for card in senseless_cards(slug, track.slug):
            value = card.score("all", FAMILIES[slug].primary_metric).value
            assert value is not None and value < 0.01


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_the_order_of_answers_is_irrelevant_to_the_last_bit(slug: str, track: str) -> None:
    data = without_ties(perfect(slug, track))
    first = match_predictions(sample(slug), track, data).to_bytes()
    for seed in (1, 2):
        assert match_predictions(sample(slug), track, reordered(data, seed)).to_bytes() == first


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_the_same_file_gives_the_same_numbers(slug: str, track: str) -> None:
    again = score_predictions(sample(slug), track, perfect(slug, track), draws=DRAWS)
    assert again == perfect_card(slug, track)


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_weights_of_one_give_the_value(slug: str, track: str) -> None:
    family = FAMILIES[slug]
    outcome = match_predictions(sample(slug), track, perfect(slug, track))
    weighed = family.weigh(outcome, np.ones((1, outcome.n_clusters), dtype=np.int16))
    twice = family.weigh(outcome, np.full((1, outcome.n_clusters), 2, dtype=np.int16))
    values = {(s.slice, s.metric): s.value for s in perfect_card(slug, track).scores}
    for slice_, metric in family.addresses(outcome, track):
        (value,) = metric.compute(weighed, slice_.slug)
        (doubled,) = metric.compute(twice, slice_.slug)
        expected = values[slice_.slug, metric.slug]
        assert np.isnan(value) if expected is None else value == expected
        np.testing.assert_allclose(doubled, value, rtol=1e-12)


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_an_outcome_survives_being_written_down(slug: str, track: str) -> None:
    outcome = match_predictions(sample(slug), track, perfect(slug, track))
    again = type(outcome).from_bytes(outcome.to_bytes())
    assert again.to_bytes() == outcome.to_bytes()


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_missing_answers_are_told_or_cost(slug: str, track: str) -> None:
    shorter = without_first(perfect(slug, track))
    if sample(slug).benchmark.track(track).partial:
        card = score_predictions(sample(slug), track, shorter, draws=0)
        value = card.score("all", FAMILIES[slug].primary_metric).value
        assert value is not None and value < 1.0
        return
    with pytest.raises(PredictionsInvalid) as caught:
        validate_predictions(sample(slug), track, shorter)
    assert "INCOMPLETE" in {problem.code for problem in caught.value.problems}


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_validation_needs_no_truth_and_its_problems_hold_none(slug: str, track: str) -> None:
    whole = sample(slug)
    public = Bundle(benchmark=whole.benchmark, questions=whole.questions, truth=None)
    validate_predictions(public, track, perfect(slug, track))
    for broken in (b"", b"[]", b"{", b"null", b'{"predictions": {}}', b"\xff\xfe"):
        with pytest.raises(PredictionsInvalid) as caught:
            validate_predictions(public, track, broken)
        assert all(problem.code for problem in caught.value.problems)


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_a_file_made_without_a_look_is_complete_small_and_scored(slug: str, track: str) -> None:
    whole, family = sample(slug), FAMILIES[slug]
    public = Bundle(benchmark=whole.benchmark, questions=whole.questions, truth=None)
    blind = family.blind(public, track)
    assert blind == family.blind(whole, track)
    assert len(blind) < 200 * len(whole.questions.splitlines()) + 1000
    validate_predictions(public, track, blind)
    card = score_predictions(whole, track, blind, draws=0)
    value = card.score("all", family.primary_metric).value
    assert value is not None and value < 1.0


def fingerprint_of(slug: str, track: str, data: bytes) -> Fingerprint:
    whole = sample(slug)
    predictions = validate_predictions(whole, track, data)
    return FAMILIES[slug].fingerprint(whole, track, predictions, whole.benchmark.rules)


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_answers_in_short_follow_the_questions_and_not_the_file(slug: str, track: str) -> None:
    data = without_ties(perfect(slug, track))
    told = fingerprint_of(slug, track, data)
    asked = [json.loads(line)["track"] for line in sample(slug).questions.splitlines()]
    assert told.shape == (asked.count(track),)
    assert likeness_of(told, told).is_near
    for seed in (1, 2):
        assert np.array_equal(fingerprint_of(slug, track, reordered(data, seed)), told)
    document = json.loads(data)
    lines = "\n".join(json.dumps(item, indent=None) for item in document["predictions"])
    if document.keys() <= {"benchmark", "track", "predictions"}:
        assert np.array_equal(fingerprint_of(slug, track, lines.encode()), told)


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_answers_that_know_nothing_are_not_like_the_right_ones(slug: str, track: str) -> None:
    right = fingerprint_of(slug, track, perfect(slug, track))
    blind = fingerprint_of(slug, track, FAMILIES[slug].blind(sample(slug), track))
    assert not likeness_of(right, blind).is_near


@pytest.mark.parametrize(("slug", "track"), CASES)
def test_the_example_is_lawful_but_for_what_it_leaves_out(slug: str, track: str) -> None:
    whole = sample(slug)
    public = Bundle(benchmark=whole.benchmark, questions=whole.questions, truth=None)
    try:
        validate_predictions(public, track, FAMILIES[slug].example(public, track))
    except PredictionsInvalid as error:
        assert {problem.code for problem in error.problems} == {"INCOMPLETE"}
        assert not whole.benchmark.track(track).partial
