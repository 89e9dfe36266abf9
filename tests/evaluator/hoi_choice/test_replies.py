"""Raw replies and harness logs in hoi_choice: several letters, one reader, never a guess."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluator.errors import PredictionsInvalid
from evaluator.families.hoi_choice.answers import Answers
from evaluator.families.hoi_choice.predictions import read_predictions
from evaluator.families.hoi_choice.prompts import DETECT, ask, ask_about
from evaluator.families.hoi_choice.schema import questions_of
from evaluator.scoring import score_predictions
from tests.evaluator.hoi_choice.small import bundle, predictions, question, truth

CHOICES = ["ride bicycle", "hold bicycle", "wash bicycle", "walk bicycle"]
BOX = [10, 10, 50, 50]


def small(track: str = "all-people") -> Any:
    hidden = {"person_box": BOX} if track == "detect-then-answer" else {}
    given = {"person_box": BOX} if track == "target-box" else {}
    return bundle(
        [question(f"i{n}-q0", CHOICES, track, **given) for n in range(3)],
        [truth(f"i{n}-q0", ["A", "C"], track, **hidden) for n in range(3)],
    )


def log(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def sample(n: int, reply: object, **more: Any) -> dict[str, Any]:
    metric = {"question_id": f"i{n}-q0", "score": 0.0}
    return {"doc_id": n, "filtered_resps": reply, "doc_hash": "x", "f1": metric, **more}


def picks(answers: Answers) -> list[list[int]]:
    return [row.nonzero()[0].tolist() for row in answers.times.reshape(3, 4)]


def problems_of(data: bytes, track: str = "all-people") -> list[tuple[str, str]]:
    with pytest.raises(PredictionsInvalid) as refused:
        read_predictions(small(track), track, data, "paper")
    return [(problem.code, problem.where) for problem in refused.value.problems]


def test_replies_are_read_as_sets_of_letters_and_the_reader_is_named() -> None:
    said = ["A, C", "I see ride bicycle", None]
    items = [{"question_id": f"i{n}-q0", "reply": reply} for n, reply in enumerate(said)]
    data = predictions(items)
    answers = read_predictions(small(), "all-people", data, "paper")
    assert picks(answers) == [[0, 2], [0], []]
    assert "3 raw replies, read by reader 1" in answers.notes
    card = score_predictions(small(), "all-people", data, draws=0)
    assert card.score("all", "exact_match").value == pytest.approx(1 / 3)
    assert "3 raw replies, read by reader 1" in card.notes


def test_people_may_answer_in_words() -> None:
    people = [{"box": BOX, "reply": "A,C"}, {"box": [60, 60, 90, 90], "answer": ["B"]}]
    items = [{"question_id": f"i{n}-q0", "people": people} for n in range(3)]
    data = predictions(items, "detect-then-answer")
    card = score_predictions(small("detect-then-answer"), "detect-then-answer", data, draws=0)
    assert card.score("all", "exact_match").value == 1.0
    assert "3 raw replies, read by reader 1" in card.notes


def test_faults_of_replies_have_their_places() -> None:
    items = [
        {"question_id": "i0-q0", "reply": 3},
        {"question_id": "i1-q0", "reply": "A", "answer": ["A"]},
        {"question_id": "i2-q0", "answer": []},
    ]
    found = problems_of(predictions(items))
    assert ("TYPE", "/predictions/0/reply") in found
    assert ("VALUE", "/predictions/1") in found
    people = [{"box": BOX, "reply": "A", "answer": []}, {"box": BOX, "reply": ["A"]}, {"box": BOX}]
    items = [{"question_id": f"i{n}-q0", "people": people} for n in range(3)]
    found = problems_of(predictions(items, "detect-then-answer"), "detect-then-answer")
    assert found[:3] == [
        ("VALUE", "/predictions/0/people/0"),
        ("TYPE", "/predictions/0/people/1/reply"),
        ("MISSING_FIELD", "/predictions/0/people/2/answer"),
    ]


def test_a_log_is_read_in_every_shape_of_its_replies() -> None:
    rows = [sample(0, "C", resps="<think>B</think>A, C"), sample(1, ["A"]), sample(2, [["B, D"]])]
    answers = read_predictions(small(), "all-people", log(*rows), "paper")
    assert picks(answers) == [[0, 2], [0], [1, 3]]
    assert "read from lmms-eval samples (f1), 3 rows" in answers.notes


def test_the_exact_prompt_joins_where_no_id_does() -> None:
    asked = questions_of(small())
    one = bundle([question("only-q0", CHOICES)], [truth("only-q0", ["A"])])
    row = {"doc_id": 0, "filtered_resps": "B", "input": ask(asked[0], "all-people")}
    assert read_predictions(one, "all-people", log(row), "paper").times.tolist() == [0, 1, 0, 0]
    assert problems_of(log(row))[0] == ("VALUE", "line 1")  # three questions share it


def test_letters_of_shuffled_options_are_refused() -> None:
    shuffled = "Which?\nA. hold bicycle\nB. ride bicycle\nC. wash bicycle\nD. walk bicycle"
    rows = [sample(n, "A", input=shuffled if n == 1 else "Which?") for n in range(3)]
    assert problems_of(log(*rows)) == [("VALUE", "line 2")]


def test_a_row_for_each_filter_or_several_replies_are_refused() -> None:
    rows = [sample(0, "A"), sample(0, "B"), sample(1, ["A", "B"]), sample(2, ["A", "A"])]
    assert problems_of(log(*rows)) == [("DUPLICATE_ID", "line 2"), ("COUNT", "line 3")]


def test_a_log_has_no_boxes() -> None:
    rows = log(*(sample(n, "A") for n in range(3)))
    assert problems_of(rows, "detect-then-answer")[0] == ("VALUE", "file")


@pytest.mark.parametrize(
    "data",
    [
        b'"split","Overall"\n"none","0.5"\n',
        b"index\tquestion\tanswer\n0\tWhich?\tA\n",
        b"index\tquestion\tprediction\thit\n0\tWhich?\tA\t1\n",
        b'[{"index": 0, "question": "Which?", "prediction": "A", "hit": 1, "log": "x"}]',
        b'{"short": {"overall": "0.5"}, "overall": {"overall": "0.5"}}',
        b'{"results": {"x": {"acc,none": 0.5}}, "configs": {}}',
    ],
)
def test_derived_files_are_refused_by_name(data: bytes) -> None:
    assert problems_of(data) == [("DERIVED", "file")]


@pytest.mark.parametrize(
    ("data", "code", "where"),
    [
        (b"index\tprediction\n0\n", "LENGTH", "line 2"),
        (b"index\tprediction\n", "EMPTY", "file"),
        (b"index\tindex\tprediction\n0\t0\tA\n", "DUPLICATE_KEY", "line 1"),
        (b'index\tprediction\n0\t"A"x\n', "SYNTAX", "line 2"),
    ],
)
def test_broken_tables_say_where(data: bytes, code: str, where: str) -> None:
    assert (code, where) in problems_of(data)


def test_prompts_name_the_box_and_ask_for_letters() -> None:
    asked = questions_of(small("target-box"))[0]
    prompt = ask(asked, "target-box")
    assert "[10, 10, 50, 50]" in prompt
    assert "\nA. ride bicycle\nB. hold bicycle\n" in prompt
    assert ask(asked, "detect-then-answer") == DETECT
    assert ask_about(asked, (1.5, 2, 3, 4)).startswith(prompt[:20])
    assert "[1.5, 2, 3, 4]" in ask_about(asked, (1.5, 2, 3, 4))
