"""Matching and metrics of hoi_choice on cases worked by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evaluator.bundle import Bundle
from evaluator.scoring import compare_outcomes, match_predictions, score_predictions
from tests.evaluator.hoi_choice import small
from tests.evaluator.hoi_choice.small import answer, predictions, question, truth

RIDE, HOLD, FEED, WASH = "ride bicycle", "hold bicycle", "feed horse", "wash horse"


def value(bundle: Bundle, data: bytes, metric: str, **how: str) -> float | None:
    track = how.get("track", "all-people")
    card = score_predictions(bundle, track, data, rules=how.get("rules"), draws=0)
    return card.score(how.get("slice", "all"), metric).value


@pytest.fixture
def three() -> Bundle:
    """Three questions: right {A, B}, {C} and nothing."""
    return small.bundle(
        [
            question("i1-q0", [RIDE, HOLD, FEED, WASH]),
            question("i2-q0", [RIDE, HOLD, FEED, WASH]),
            question("i3-q0", [RIDE, HOLD, FEED, WASH]),
        ],
        [truth("i1-q0", ["A", "B"]), truth("i2-q0", ["C"]), truth("i3-q0", [])],
    )


def test_every_metric_of_a_case_worked_by_hand(three: Bundle) -> None:
    data = predictions([answer("i1-q0", "A", "C"), answer("i2-q0", "C"), answer("i3-q0")])
    # F1 per question: 2*1/(2+2) = 1/2; 1; 1 (nothing asked, nothing said).
    assert value(three, data, "instance_f1") == pytest.approx((0.5 + 1 + 1) / 3)
    # Pooled: 2 hits, 3 picks, 3 right.
    assert value(three, data, "micro_f1") == pytest.approx(4 / 6)
    assert value(three, data, "precision") == pytest.approx(2 / 3)
    assert value(three, data, "recall") == pytest.approx(2 / 3)
    # Classes right somewhere: ride (F1 1), hold (0), feed (2*1/(2+1)).
    assert value(three, data, "macro_f1") == pytest.approx((1 + 0 + 2 / 3) / 3)
    assert value(three, data, "exact_match") == pytest.approx(2 / 3)
    assert value(three, data, "precision_per_question") == pytest.approx((0.5 + 1) / 2)
    assert value(three, data, "recall_per_question") == pytest.approx((0.5 + 1) / 2)
    assert value(three, data, "abstention_rate") == pytest.approx(1 / 3)


def test_a_wrong_pick_of_a_never_right_class_does_not_enter_the_macro_average(
    three: Bundle,
) -> None:
    without = predictions([answer("i1-q0", "A"), answer("i2-q0"), answer("i3-q0")])
    with_wash = predictions([answer("i1-q0", "A"), answer("i2-q0"), answer("i3-q0", "D")])
    assert value(three, without, "macro_f1") == value(three, with_wash, "macro_f1")


def test_texts_and_letters_are_the_same_answer(three: Bundle) -> None:
    letters = predictions([answer("i1-q0", "A", "B"), answer("i2-q0"), answer("i3-q0")])
    texts = predictions(
        [answer("i1-q0", "Ride a/an bicycle", HOLD), answer("i2-q0"), answer("i3-q0")]
    )
    assert match_predictions(three, "all-people", letters).digest() == (
        match_predictions(three, "all-people", texts).digest()
    )


def test_a_repeated_label_changes_nothing_under_paper(three: Bundle) -> None:
    once = predictions([answer("i1-q0", "A"), answer("i2-q0", "C"), answer("i3-q0")])
    twice = predictions([answer("i1-q0", "A", "A", RIDE), answer("i2-q0", "C"), answer("i3-q0")])
    for metric in ("macro_f1", "instance_f1", "micro_f1", "exact_match", "precision"):
        assert value(three, once, metric) == value(three, twice, metric)


def test_order_of_questions_is_irrelevant(three: Bundle) -> None:
    items = [answer("i1-q0", "A"), answer("i2-q0", "C"), answer("i3-q0", "D")]
    forward, backward = predictions(items), predictions(items[::-1])
    assert match_predictions(three, "all-people", forward).digest() == (
        match_predictions(three, "all-people", backward).digest()
    )


def test_nothing_picked_has_no_precision(three: Bundle) -> None:
    data = predictions([answer("i1-q0"), answer("i2-q0"), answer("i3-q0")])
    card = score_predictions(three, "all-people", data, draws=0)
    assert card.score("all", "precision").value is None
    assert card.score("all", "precision").reason
    assert card.score("all", "micro_f1").value == 0.0


# --- detect-then-answer -------------------------------------------------------------------

DETECT = "detect-then-answer"


@pytest.fixture
def target() -> Bundle:
    """One image whose hidden target is the box (0, 0, 10, 10)."""
    return small.bundle(
        [question("i1-q0", [RIDE, HOLD, FEED, WASH], track=DETECT)],
        [truth("i1-q0", ["A"], track=DETECT, person_box=[0, 0, 10, 10])],
    )


def people(*found: tuple[list[float], list[str]]) -> bytes:
    item = {
        "question_id": "i1-q0",
        "people": [{"box": box, "answer": labels} for box, labels in found],
    }
    return predictions([item], track=DETECT)


def test_the_largest_overlap_answers_for_the_target(target: Bundle) -> None:
    data = people(([0, 0, 10, 6], ["B"]), ([0, 0, 10, 9], ["A"]))
    assert value(target, data, "exact_match", track=DETECT) == 1.0


def test_released_rules_take_the_first_fit(target: Bundle) -> None:
    data = people(([0, 0, 10, 6], ["B"]), ([0, 0, 10, 9], ["A"]))
    assert value(target, data, "exact_match", track=DETECT, rules="released") == 0.0


def test_overlap_of_exactly_one_half_counts_under_paper_alone(target: Bundle) -> None:
    data = people(([0, 0, 10, 5], ["A"]))
    assert value(target, data, "detection_rate", track=DETECT) == 1.0
    assert value(target, data, "detection_rate", track=DETECT, rules="released") == 0.0


def test_a_missed_target_is_an_empty_answer(target: Bundle) -> None:
    data = people(([20, 20, 30, 30], ["A"]))
    assert value(target, data, "instance_f1", track=DETECT) == 0.0
    assert value(target, data, "detection_rate", track=DETECT) == 0.0
    assert value(target, data, "abstention_rate", track=DETECT) == 1.0


def interactions(*rows: tuple[str, float], box: list[float] | None = None) -> bytes:
    given = [{"hoi": hoi, "score": score, "box": box or [0, 0, 10, 10]} for hoi, score in rows]
    return predictions([{"question_id": "i1-q0", "interactions": given}], track=DETECT)


def test_the_five_best_classes_answer_for_a_hoi_method(target: Bundle) -> None:
    others = ["hold horse", "run horse", "race horse", "kiss horse", "jump horse"]
    sixth = interactions(*((hoi, 0.9) for hoi in others), (RIDE, 0.1))
    assert value(target, sixth, "recall", track=DETECT) == 0.0
    fifth = interactions(*((hoi, 0.9) for hoi in others[:4]), (RIDE, 0.1))
    assert value(target, fifth, "recall", track=DETECT) == 1.0


def test_a_repeated_class_takes_one_of_the_five_places(target: Bundle) -> None:
    others = ["hold horse"] * 6 + ["run horse", "race horse", "kiss horse"]
    data = interactions(*((hoi, 0.9) for hoi in others), (RIDE, 0.1))
    assert value(target, data, "recall", track=DETECT) == 1.0


def test_file_order_decides_equal_scores(target: Bundle) -> None:
    others = ["hold horse", "run horse", "race horse", "kiss horse"]
    first = interactions((RIDE, 0.5), *((hoi, 0.5) for hoi in [*others, "jump horse"]))
    last = interactions(*((hoi, 0.5) for hoi in [*others, "jump horse"]), (RIDE, 0.5))
    assert value(target, first, "recall", track=DETECT) == 1.0
    assert value(target, last, "recall", track=DETECT) == 0.0


def test_pairs_away_from_the_target_do_not_answer_for_it(target: Bundle) -> None:
    data = interactions((RIDE, 0.9), box=[50, 50, 60, 60])
    assert value(target, data, "detection_rate", track=DETECT) == 0.0


# --- misattribution and scenes ------------------------------------------------------------


def test_misattribution_counts_wrong_picks_that_are_true_of_somebody_else() -> None:
    track = "target-box"
    bundle = small.bundle(
        [
            question(f"i{n}-q0", [RIDE, HOLD, FEED, WASH], track, person_box=[0, 0, 9, 9])
            for n in (1, 2, 3)
        ],
        [
            truth("i1-q0", ["A"], track, others=[HOLD], scene="different-hoi"),
            truth("i2-q0", ["A"], track, others=[], scene="one-person"),
            truth("i3-q0", ["A"], track),
        ],
    )
    data = predictions(
        [answer("i1-q0", "B", "C"), answer("i2-q0", "B"), answer("i3-q0", "D")], track
    )
    # Three wrong picks where the others are known; one of them is true of somebody else.
    assert value(bundle, data, "misattribution", track=track) == pytest.approx(1 / 3)
    assert value(
        bundle, data, "misattribution", track=track, slice="different-hoi"
    ) == pytest.approx(1 / 2)


def test_unknown_others_are_given_as_the_reason_for_no_misattribution() -> None:
    track = "target-box"
    bundle = small.bundle(
        [question("i1-q0", [RIDE, HOLD], track, person_box=[0, 0, 9, 9])],
        [truth("i1-q0", ["A"], track)],
    )
    card = score_predictions(bundle, track, predictions([answer("i1-q0", "B")], track), draws=0)
    assert card.score("all", "misattribution").value is None
    assert "annotated" in (card.score("all", "misattribution").reason or "")


def test_label_groups_restrict_labels_and_choose_questions() -> None:
    choices = ["zip suitcase", "hold suitcase", "drag suitcase", "carry suitcase"]
    bundle = small.bundle(
        [question("i1-q0", choices), question("i2-q0", choices)],
        [truth("i1-q0", ["A", "B"]), truth("i2-q0", ["D"])],
    )
    data = predictions([answer("i1-q0", "A", "D"), answer("i2-q0", "A")])
    # zip and drag are time-sensitive: pooled over both questions 1 hit of 2 picks, 1 right.
    assert value(bundle, data, "precision", slice="time-sensitive") == pytest.approx(1 / 2)
    assert value(bundle, data, "recall", slice="time-sensitive") == 1.0
    # Question-level metrics take whole questions with a right choice in the group: i1 alone.
    assert value(bundle, data, "instance_f1", slice="time-sensitive") == pytest.approx(1 / 2)


# --- outcomes -----------------------------------------------------------------------------


def test_an_outcome_survives_its_bytes(three: Bundle) -> None:
    from evaluator.outcome import Outcome

    data = predictions([answer("i1-q0", "A"), answer("i2-q0", "C"), answer("i3-q0")])
    outcome = match_predictions(three, "all-people", data)
    again = Outcome.from_bytes(outcome.to_bytes())
    assert again.digest() == outcome.digest()
    assert compare_outcomes(three.benchmark, ("all-people",) * 2, (outcome, again))[0].value == 0.0


@pytest.fixture
def many() -> Bundle:
    questions = [question(f"i{n:02d}-q0", [RIDE, HOLD, FEED, WASH]) for n in range(40)]
    truths = [
        truth(q["id"], ["ABCD"[n % 4], "ABCD"[(n // 4) % 4]]) for n, q in enumerate(questions)
    ]
    return small.bundle(questions, truths, draws=500)


@pytest.mark.parametrize("pick", [lambda n: "ABCD"[n % 3], lambda n: "AB"[n % 2]])
def test_every_interval_contains_its_value(many: Bundle, pick: Callable[[int], str]) -> None:
    data = predictions([answer(f"i{n:02d}-q0", pick(n)) for n in range(40)])
    card = score_predictions(many, "all-people", data)
    checked = 0
    for score in card.scores:
        if score.value is not None and score.interval is not None:
            checked += 1
            assert score.value in score.interval, (score.slice, score.metric)
        else:
            assert score.reason or score.interval_reason
    assert checked >= 8
