"""Outcomes ranked at one address."""

from __future__ import annotations

import pytest

from evaluator.families import FAMILIES
from evaluator.scoring import match_predictions
from evaluator.standings import Standings, rank_outcomes
from infra.samples.detections import detection_bundle, detections_of, detectors
from tests.evaluator.hoi_detection.small import file_of, item, small_bundle

FAMILY = FAMILIES["hoi_detection"]
DRAWS = 200


def standings(slice_: str = "all", metric: str = "map") -> Standings:
    bundle = detection_bundle()
    outcomes = [
        match_predictions(bundle, "detect", detections_of(detector)) for detector in detectors()
    ]
    address = (FAMILY.slice(slice_), FAMILY.metric(metric))
    return rank_outcomes(bundle.benchmark, "detect", outcomes, address, draws=DRAWS)


def test_places_go_from_best_to_worst_with_ranks_that_hold_theirs() -> None:
    found = standings()
    assert [place.rank for place in found.places] == list(range(1, 9))
    names = [detectors()[place.entry].name for place in found.places]
    assert (names[0], names[-1]) == ("Egret-L", "Redstart plain")
    for place in found.places:
        assert place.value is not None and place.interval is not None
        assert place.value in place.interval
        assert place.low is not None and place.high is not None and place.rank is not None
        assert place.low <= place.rank <= place.high
    assert found.places[1].unresolved_from_next
    assert not found.places[-1].unresolved_from_next
    assert found.minimum_detectable is not None and 0 < found.minimum_detectable < 0.3


def test_the_same_answers_twice_share_a_rank() -> None:
    bundle = detection_bundle()
    first, other = (detections_of(detector) for detector in detectors()[:2])
    outcomes = [match_predictions(bundle, "detect", data) for data in (other, first, first)]
    address = (FAMILY.slice("all"), FAMILY.metric("map"))
    found = rank_outcomes(bundle.benchmark, "detect", outcomes, address, draws=DRAWS)
    assert [place.rank for place in found.places] == [1, 1, 3]
    assert found.places[0].unresolved_from_next


def test_who_has_no_value_stands_last_with_the_reason() -> None:
    bundle = small_bundle()
    outcomes = [match_predictions(bundle, "detect", file_of([item()])) for _ in range(2)]
    address = (FAMILY.slice("rare"), FAMILY.metric("map"))
    found = rank_outcomes(bundle.benchmark, "detect", outcomes, address)
    for place in found.places:
        assert (place.value, place.rank, place.low) == (None, None, None)
        assert place.reason


def test_too_few_images_give_a_rank_without_an_interval() -> None:
    bundle = small_bundle()
    nothing = file_of([item(score=0.1, human_box=(300.0, 300.0, 310.0, 310.0))])
    outcomes = [match_predictions(bundle, "detect", data) for data in (nothing, file_of([item()]))]
    address = (FAMILY.slice("all"), FAMILY.metric("map"))
    found = rank_outcomes(bundle.benchmark, "detect", outcomes, address)
    assert [(place.entry, place.rank, place.low) for place in found.places] == [
        (1, 1, None),
        (0, 2, None),
    ]
    assert all(place.reason == "fewer than 5 clusters" for place in found.places)


def test_the_version_draws_decide_unless_others_are_asked_for() -> None:
    bundle = detection_bundle()
    outcome = match_predictions(bundle, "detect", detections_of(detectors()[0]))
    address = (FAMILY.slice("all"), FAMILY.metric("map"))
    whole = rank_outcomes(bundle.benchmark, "detect", [outcome], address)
    short = rank_outcomes(bundle.benchmark, "detect", [outcome], address, draws=DRAWS)
    assert whole.places[0].interval != short.places[0].interval
    assert whole.places[0].value == pytest.approx(short.places[0].value)
