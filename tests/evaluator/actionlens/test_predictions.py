"""What a predictions file may look like, and what its author is told otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluator.bundle import Bundle
from evaluator.errors import PredictionsInvalid
from evaluator.families.actionlens import FAMILY
from evaluator.scoring import match_predictions, score_predictions, validate_predictions
from tests.evaluator.actionlens import small
from tests.evaluator.actionlens.small import TRACK, item, predictions


@pytest.fixture
def pair() -> Bundle:
    return small.bundle(
        [item("q1", "D2", "u", review=True), item("q2", "D4", "v", n_options=3, n_people=2)]
    )


def problems(bundle: Bundle, data: bytes, rules: str = "paper") -> list[tuple[str, str]]:
    with pytest.raises(PredictionsInvalid) as caught:
        validate_predictions(bundle, TRACK, data, rules)
    return [(problem.code, problem.where) for problem in caught.value.problems]


@pytest.mark.parametrize("answer", ["B", ["B"], "sitting", "Sitting.", ["  sitting "]])
def test_letters_and_texts_say_the_same(pair: Bundle, answer: Any) -> None:
    found = match_predictions(pair, TRACK, predictions({"q1": answer, "q2": []}))
    wanted = match_predictions(pair, TRACK, predictions({"q1": "B", "q2": []}))
    assert found.digest() == wanted.digest()


@pytest.mark.parametrize("answer", ["b", "Ｂ", "В", "B ", "E", "", "the sitting one", "A or B"])
def test_a_near_letter_is_no_letter(pair: Bundle, answer: str) -> None:
    data = predictions({"q1": answer, "q2": []})
    assert problems(pair, data) == [("VALUE", "/predictions/0/answer")]


def test_only_letters_of_the_question_exist(pair: Bundle) -> None:
    assert problems(pair, predictions({"q1": "D", "q2": "D"})) == [
        ("VALUE", "/predictions/1/answer")
    ]


def test_json_lines_of_the_same_items_are_the_same_file(pair: Bundle) -> None:
    data = predictions({"q1": "A", "q2": "C"})
    lines = "\n".join(json.dumps(entry) for entry in json.loads(data)["predictions"]).encode()
    assert match_predictions(pair, TRACK, lines).digest() == (
        match_predictions(pair, TRACK, data).digest()
    )


def test_all_problems_come_at_once(pair: Bundle) -> None:
    items = [
        {"question_id": "q1", "answer": ["A", "B"]},
        {"question_id": "nobody", "answer": "A"},
        {"question_id": "q1", "answer": "A"},
        {"answer": "A"},
        {"question_id": "q2"},
        {"question_id": "q2", "answer": "A", "reply": "A"},
        17,
        {"question_id": "q2", "reply": 3, "score": 1},
    ]
    data = json.dumps({"benchmark": "small@1", "track": TRACK, "predictions": items}).encode()
    assert problems(pair, data) == [
        ("COUNT", "/predictions/0/answer"),
        ("UNKNOWN_ID", "/predictions/1/question_id"),
        ("DUPLICATE_ID", "/predictions/2/question_id"),
        ("MISSING_FIELD", "/predictions/3/question_id"),
        ("MISSING_FIELD", "/predictions/4/answer"),
        ("VALUE", "/predictions/5"),
        ("TYPE", "/predictions/6"),
        ("UNKNOWN_FIELD", "/predictions/7/score"),
        ("TYPE", "/predictions/7/reply"),
    ]


def test_an_incomplete_file_is_refused_and_says_what_is_missing(pair: Bundle) -> None:
    with pytest.raises(PredictionsInvalid) as caught:
        validate_predictions(pair, TRACK, predictions({"q2": "A"}))
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("INCOMPLETE", "/predictions")
    assert "1 of 2" in problem.found and "q1" in problem.found
    assert "review subset" in problem.wanted


def test_replies_are_read_by_the_one_reader_or_by_the_named_one(pair: Bundle) -> None:
    replies = {"q1": "**Because** it rests, the answer is A.", "q2": "[LMMS_EVAL_REQUEST_FAILED]"}
    data = predictions(replies, "reply")
    ours = match_predictions(pair, TRACK, data)
    theirs = match_predictions(pair, TRACK, data, rules="first-letter")
    assert ours.arrays["picked"].tolist() == [0, -1]
    assert theirs.arrays["picked"].tolist() == [1, 0]  # the B of Because, the A of EVAL
    assert any("reader first-letter" in note for note in theirs.facts["notes"])
    card = score_predictions(pair, TRACK, data, draws=0)
    assert any("2 raw replies" in note for note in card.notes)
    assert any("1 of 2 questions without" in note for note in card.notes)


def test_conversion_turns_replies_into_letters(pair: Bundle) -> None:
    data = predictions({"q1": "I think it is (B) sitting", "q2": "dunno"}, "reply")
    converted, notes = FAMILY.convert(pair, TRACK, data)
    assert [entry["answer"] for entry in json.loads(converted)["predictions"]] == ["B", []]
    assert any("raw replies" in note for note in notes)


def test_the_example_is_lawful_but_for_what_it_leaves_out(pair: Bundle) -> None:
    public = Bundle(benchmark=pair.benchmark, questions=pair.questions, truth=None)
    validate_predictions(public, TRACK, FAMILY.example(public, TRACK))
