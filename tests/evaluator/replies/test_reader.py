"""Replies read into letters: published shapes, rules, and what must never be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.reading.replies import first_letter, read_reply

SHAPES = Path(__file__).parents[3] / "../shared/data/answers/answer_shapes.json"
OPTIONS = {"A": "watch (a person)", "B": "carry/hold (an object)", "C": "talk to", "D": "sit"}


def single(text: str | None, options: dict[str, str] = OPTIONS) -> str | None:
    letters = read_reply(text, options, multi=False)
    return letters[0] if letters else None


def multi(text: str | None, options: dict[str, str] = OPTIONS) -> str:
    return "".join(read_reply(text, options, multi=True))


@pytest.mark.skipif(not SHAPES.exists(), reason="../shared/data/answers is absent")
def test_the_published_shapes_are_read_as_a_person_reads_them() -> None:
    for shape in json.loads(SHAPES.read_bytes()):
        options = shape["options"]
        assert single(shape["text"], options) == shape["single_expected"], shape["id"]
        assert list(multi(shape["text"], options)) == shape["multi_expected"], shape["id"]


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The best option is A. sit down. So option C. talk and D. run are out.", "A"),
        ("Option A is incorrect.", None),
        ("Option A is wrong, so it must be option C.", "C"),
        ("Let's rule out option A. Option B fits.", "B"),
        ("If the answer is A, he would stand.", None),
        ("The answer is not A but C.", "C"),
        ("The answer is not A.", None),
        ("The answer is A or B.", None),
        ("A or B", None),
        ("The answer is a dog.", None),
        ("I think he is sitting on it", None),
        ("A person is walking here", None),
        ("Answer: E", None),
        ("А", None),  # Cyrillic
        ("BAD", None),
        ("\\boxed{B}", "B"),
        ("<answer>none</answer>", None),
        ("Answer: B\nAnswer: none of the above", None),
        ('{"answer": null}', None),
        ('{"answer": "carry/hold (an object)"}', "B"),
        ("<think>B</think>", None),
        ("<think>A</think> <think>B", None),
        ("<|channel|>analysis<|message|>B?<|channel|>final<|message|>C", "C"),
        ("C is correct. B is incorrect.", "C"),
        ("A. watch (a person)\nB. carry/hold (an object)\nC. talk to\nD. sit", None),
        ("He is not watching: he will sit", "D"),
        ("Ⓑ", "B"),
        ("正确答案是：C", "C"),
        ("API error: B", None),
        ("[LMMS_EVAL_REQUEST_FAILED after 5 retries] D", None),
    ],
)
def test_single(text: str, letter: str | None) -> None:
    assert single(text) == letter


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("A, C", "AC"),
        ("C, A", "AC"),
        ("A. watch (a person)\nC. talk to", "AC"),
        ("- A\n- D", "AD"),
        ("Answer: A, B, and D.", "ABD"),
        ("watch, talk to", "AC"),
        ("A, E", "A"),
        ("None of them", ""),
        ("", ""),
    ],
)
def test_multi(text: str, letters: str) -> None:
    assert multi(text) == letters


@pytest.mark.parametrize("reply", [None, 3, True, ["A"], {"answer": "A"}])
def test_what_is_no_text_is_no_answer(reply: object) -> None:
    assert read_reply(reply, OPTIONS, multi=True) == ()


def test_the_reader_is_never_quadratic() -> None:
    for text in ("(" * 50_000, "the answer is " * 20_000, "<think>" * 20_000, "\\boxed{" * 20_000):
        assert read_reply(text, OPTIONS, multi=False) == ()


def test_the_compatibility_reader_takes_the_first_letter_it_sees() -> None:
    assert first_letter("The Answer: B", OPTIONS, multi=False) == ("A",)
