"""What a predictions file may look like, and what its author is told otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluator.bundle import Bundle
from evaluator.errors import PredictionsInvalid
from evaluator.families.hoi_choice.definition import FAMILY
from evaluator.scoring import match_predictions, score_predictions, validate_predictions
from tests.evaluator.hoi_choice import small
from tests.evaluator.hoi_choice.small import answer, predictions, question, truth

CHOICES = ["ride bicycle", "hold bicycle", "feed horse", "wash horse"]


@pytest.fixture
def pair() -> Bundle:
    return small.bundle(
        [question("i1-q0", CHOICES), question("i2-q0", CHOICES)],
        [truth("i1-q0", ["A"]), truth("i2-q0", ["C"])],
    )


def problems(bundle: Bundle, data: bytes, track: str = "all-people") -> list[tuple[str, str]]:
    with pytest.raises(PredictionsInvalid) as caught:
        validate_predictions(bundle, track, data)
    return [(problem.code, problem.where) for problem in caught.value.problems]


def test_json_lines_of_the_same_items_are_the_same_file(pair: Bundle) -> None:
    items = [answer("i1-q0", "A"), answer("i2-q0")]
    lines = "\n".join(json.dumps(item) for item in items).encode()
    assert match_predictions(pair, "all-people", lines).digest() == (
        match_predictions(pair, "all-people", predictions(items)).digest()
    )


def test_the_release_form_is_recognised_by_content(pair: Bundle) -> None:
    data = json.dumps({"i1.jpg": {"QA_0": ["ride bicycle"]}, "i2.jpg": {"QA_0": []}}).encode()
    card = score_predictions(pair, "all-people", data, draws=0)
    assert card.score("all", "recall").value == pytest.approx(1 / 2)


def test_released_rules_accept_what_the_released_scorer_accepts(pair: Bundle) -> None:
    data = json.dumps({"i1.jpg": {"QA_0": ["ride bicycle", "fly kite"]}}).encode()
    assert problems(pair, data) == [("VALUE", "/i1.jpg/QA_0/1"), ("INCOMPLETE", "file")]
    card = score_predictions(pair, "all-people", data, rules="released", draws=0)
    assert card.score("all", "precision").value == 1.0
    assert any("1 labels" in note for note in card.notes)


def test_all_problems_come_at_once(pair: Bundle) -> None:
    data = predictions(
        [
            {"question_id": "i1-q0", "answer": ["E", "A", 3]},
            {"question_id": "nobody", "answer": []},
            {"question_id": "i1-q0", "answer": "A"},
            {"answer": []},
            {"question_id": "i2-q0"},
            17,
        ]
    )
    assert problems(pair, data) == [
        ("VALUE", "/predictions/0/answer/0"),
        ("TYPE", "/predictions/0/answer/2"),
        ("UNKNOWN_ID", "/predictions/1/question_id"),
        ("DUPLICATE_ID", "/predictions/2/question_id"),
        ("MISSING_FIELD", "/predictions/3/question_id"),
        ("MISSING_FIELD", "/predictions/4/answer"),
        ("TYPE", "/predictions/5"),
    ]


@pytest.mark.parametrize(
    "fault", [{"answers": ["A"]}, {"answer": ["A"], "people": []}, {"interactions": 3}, {}]
)
def test_a_question_with_a_faulty_answer_is_not_missing_as_well(
    pair: Bundle, fault: dict[str, Any]
) -> None:
    faulty = {"question_id": "i1-q0", **fault}
    found = problems(pair, predictions([faulty, answer("i2-q0", "C")]))
    assert found and "INCOMPLETE" not in {code for code, _ in found}
    found = problems(pair, predictions([faulty]))
    assert ("INCOMPLETE", "/predictions") in found
    found = problems(pair, predictions([faulty, answer("i1-q0", "A"), answer("i2-q0", "C")]))
    assert ("DUPLICATE_ID", "/predictions/1/question_id") in found


def test_a_missing_answer_is_counted_and_named(pair: Bundle) -> None:
    with pytest.raises(PredictionsInvalid) as caught:
        validate_predictions(pair, "all-people", predictions([answer("i1-q0", "A")]))
    problem = caught.value.problems[0]
    assert "1 of 2" in problem.found
    assert "i2-q0" in problem.found


@pytest.mark.parametrize("label", ["a", "Ａ", "А", "A ", "E", "", "the bicycle"])
def test_a_near_letter_is_no_letter(pair: Bundle, label: str) -> None:
    data = predictions([answer("i1-q0", label), answer("i2-q0")])
    assert problems(pair, data) == [("VALUE", "/predictions/0/answer/0")]


def test_the_wrong_benchmark_or_track_is_said(pair: Bundle) -> None:
    items = [answer("i1-q0", "A"), answer("i2-q0")]
    other = json.dumps({"benchmark": "other@1", "track": "target-box", "predictions": items})
    assert problems(pair, other.encode()) == [("BENCHMARK", "/benchmark"), ("BENCHMARK", "/track")]


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"answer": ["A"]}, ("VALUE", "/predictions/0/answer")),
        ({"people": {}}, ("TYPE", "/predictions/0/people")),
        (
            {"people": [{"box": [5, 5, 1, 9], "answer": []}]},
            ("BOX_ORDER", "/predictions/0/people/0/box"),
        ),
        ({"people": [{"box": [1, 2, 3], "answer": []}]}, ("LENGTH", "/predictions/0/people/0/box")),
        ({"people": [{"answer": []}]}, ("MISSING_FIELD", "/predictions/0/people/0/box")),
        ({"people": [], "interactions": []}, ("VALUE", "/predictions/0")),
        (
            {"interactions": [{"box": [0, 0, 1, 1], "hoi": "fly", "score": 1}]},
            ("UNKNOWN_ID", "/predictions/0/interactions/0/hoi"),
        ),
        (
            {"interactions": [{"box": [0, 0, 1, 1], "hoi": "ride bicycle"}]},
            ("MISSING_FIELD", "/predictions/0/interactions/0/score"),
        ),
        (
            {"people": [], "confidence": 1},
            ("UNKNOWN_FIELD", "/predictions/0/confidence"),
        ),
    ],
)
def test_faults_of_people_and_interactions(item: dict[str, Any], problem: tuple[str, str]) -> None:
    track = "detect-then-answer"
    bundle = small.bundle(
        [question("i1-q0", CHOICES, track)],
        [truth("i1-q0", ["A"], track, person_box=[0, 0, 9, 9])],
    )
    data = predictions([{"question_id": "i1-q0", **item}], track)
    assert problem in problems(bundle, data, track)


def test_an_empty_answer_is_an_abstention_everywhere() -> None:
    track = "detect-then-answer"
    bundle = small.bundle(
        [question("i1-q0", CHOICES, track)],
        [truth("i1-q0", ["A"], track, person_box=[0, 0, 9, 9])],
    )
    for item in ({"answer": []}, {"people": []}, {"interactions": []}):
        data = predictions([{"question_id": "i1-q0", **item}], track)
        card = score_predictions(bundle, track, data, draws=0)
        assert card.score("all", "abstention_rate").value == 1.0
        assert card.score("all", "detection_rate").value == 0.0


def test_messages_are_short_and_printable(pair: Bundle) -> None:
    nasty = "\u202e" + "x" * 10_000 + "\x1b[31m"
    data = predictions([answer("i1-q0", "A"), answer("i2-q0", "x" * 10_000)])
    with pytest.raises(PredictionsInvalid) as caught:
        validate_predictions(pair, "all-people", data)
    assert all(len(str(problem)) < 500 for problem in caught.value.problems)
    from evaluator.errors import quote

    assert quote(nasty).isprintable()


def test_conversion_makes_a_lawful_file_and_says_what_it_did(pair: Bundle) -> None:
    foreign = json.dumps({"i1.jpg": {"QA_0": ["ride bicycle"] * 2 + ["fly kite"]}}).encode()
    lawful, notes = FAMILY.convert(pair, "all-people", foreign)
    card = score_predictions(pair, "all-people", lawful, draws=0)
    assert card.score("all", "precision").value == 1.0
    assert any("1 of 2 questions" in note for note in notes)
