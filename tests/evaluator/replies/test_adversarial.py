"""Replies that tempt a reader: denied, doubted, asked, echoed, judged, of another's mind.

The promise is one-sided: where a person might doubt, no answer; a wrong letter never.
"""

from __future__ import annotations

import pytest

from evaluator.reading.replies import read_reply

ACTIONS = {"A": "watch (a person)", "B": "carry/hold (an object)", "C": "talk to", "D": "sit"}
QUANTITIES = {"A": "Only red", "B": "Only blue", "C": "Both", "D": "Neither"}
LAST_IS_NONE = {"A": "walk", "B": "run", "C": "jump", "D": "None of the above"}
YES_NO = {"A": "Yes", "B": "No"}
NINE = dict(
    zip(
        "ABCDEFGHI",
        ("sit", "stand", "walk", "run", "jump", "talk", "hold", "eat", "read"),
        strict=True,
    )
)


def read(text: str, options: dict[str, str] = ACTIONS, *, multi: bool = False) -> str:
    return "".join(read_reply(text, options, multi=multi))


@pytest.mark.parametrize(
    "text",
    [
        "Wrong answer: A",
        "The incorrect answer is A.",
        "Incorrect option: A",
        "The least likely answer is A",
        "A and B are both wrong",
        "I would choose neither A nor B.",
        "I don't think the answer is A.",
        "I do not believe that the correct answer is B.",
        "I doubt that the answer is A.",
        "There is no evidence that the answer is A.",
        "Some might say the answer is A.",
        "Many people think the answer is A, but they are mistaken.",
        "It would be wrong to say the answer is A.",
        "It is false that B is correct.",
        "Neither A nor B is correct.",
        "None of A, B, C is correct.",
        "A or B is correct",
        "Option A or option B",
        "A or maybe B",
        "The answer is A-B",
        "Is it option A?",
        "B is correct? No.",
        "The answer is A? No, wait.",
        "Options: A, B, C, D",
        "不选A",
        "答案不是A",
        "答案是A或B",
        "A选项不正确",
        "What?\nA. watch (a person)\nB. carry/hold (an object)\nC. talk to\nD. sit\nAnswer:",
        "I cannot see the video, but option A is typical.",
        "The person in shirt A talks to person B",
        "sit or talk to",
        "Answer: all of the above",
        "А",
        "Answer: Á",
    ],
)
@pytest.mark.parametrize("multi", [False, True])
def test_what_a_person_would_not_take_for_an_answer(text: str, multi: bool) -> None:
    assert read(text, multi=multi) == ""


@pytest.mark.parametrize(
    ("text", "single", "multi"),
    [
        ("A person is walking, so B", "B", "B"),
        ("The wrong option is A, correct option: B", "B", "B"),
        ("A: incorrect\nB: correct", "B", "B"),
        ("A - no\nB - yes\nC - yes\nD - no", "", "BC"),
        ("A. watch (a person): no. B. carry/hold (an object): yes.", "", ""),
        ("Both A and C are correct.", "A", "AC"),
        ("A is correct. B is incorrect. C is correct.", "C", "AC"),
        ("Answer: A, C (not D)", "A", "AC"),
        ("The answer is B rather than A", "B", "B"),
        ("B, not A", "B", "B"),
        ("B, no doubt", "B", "B"),
        ("排除A,选B", "B", "B"),
        ("I am not sure, but the answer is D.", "D", "D"),
    ],
)
def test_turns_of_a_reply_are_followed(text: str, single: str, multi: str) -> None:
    assert read(text) == single
    assert read(text, multi=True) == multi


@pytest.mark.parametrize(
    ("text", "options", "letter"),
    [
        ("Both A and B are wrong", QUANTITIES, ""),
        ("Both", QUANTITIES, "C"),
        ("Both people are watching", QUANTITIES, "C"),
        ("Neither of these can be told", QUANTITIES, ""),
        ("Only red and only blue", QUANTITIES, ""),
        ("The answer is none of the above", LAST_IS_NONE, "D"),
        ("Answer: None", LAST_IS_NONE, ""),
        ("No idea", YES_NO, ""),
        ("No, the answer is A", YES_NO, "A"),
        ("I, the assistant, cannot tell", NINE, ""),
        ("I think he is sitting", NINE, ""),
        ("I", NINE, "I"),
    ],
)
def test_options_that_are_words_of_speech(text: str, options: dict[str, str], letter: str) -> None:
    assert read(text, options) == letter


@pytest.mark.parametrize(
    "text", ["A, " * 40_000, "A and " * 30_000, "no " * 60_000, "so it is " * 20_000]
)
def test_long_lists_take_linear_time(text: str) -> None:
    assert set(read(text, multi=True)) <= set(ACTIONS)
