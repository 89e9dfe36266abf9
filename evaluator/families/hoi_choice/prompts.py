"""How a question is put to a model.

Source: the paper's appendix D.1, in our own words. On `detect-then-answer` a
model is asked twice: where everybody is, then about each person it found.
"""

from __future__ import annotations

from evaluator.asking import Asked
from evaluator.bundle import Bundle
from evaluator.families.hoi_choice.schema import Box, Question, lay_out

ENDING = (
    "Several may hold. Answer with the letters alone, separated by commas (for example: A,C); "
    "no brackets, no other words."
)
DETECT = (
    "Find every person in the image. Answer with JSON alone, one box for each person, corners in "
    "pixels from the left and the top edge: "
    '{"boxes": [[x1, y1, x2, y2], [x1, y1, x2, y2]]}'
)
MAX_TOKENS = 64
MAX_TOKENS_DETECT = 1024


def ask(question: Question, track: str) -> str:
    """The prompt of a question; of `detect-then-answer` the first of two."""
    return DETECT if track == "detect-then-answer" else asked(question, track).prompt


def ask_about(question: Question, box: Box) -> str:
    """The second prompt of `detect-then-answer`: about one of the people that were found."""
    return _asked(question, _target(box)).prompt


def asked(question: Question, track: str) -> Asked:
    """The question in words, its options and how to answer."""
    if track == "all-people":
        return _asked(question, "Which of these interactions take place in the image?")
    if track == "target-pair" and question.person_box and question.object_box:
        return _asked(
            question,
            f"In the image, one person stands in the box {_corners(question.person_box)} and one "
            f"object in the box {_corners(question.object_box)} (x1, y1, x2, y2 in pixels). Which "
            "of these interactions hold between that person and that object?",
        )
    box = question.person_box
    return _asked(question, _target(box) if box else DETECT)


def questions_asked(bundle: Bundle, track: str) -> tuple[Asked, ...]:
    """Every question of a track as a model is asked it, in the order of the layout."""
    return tuple(asked(question, track) for question in lay_out(bundle, track).questions)


def _asked(question: Question, text: str) -> Asked:
    return Asked(
        id=question.id,
        text=text,
        options=question.choices,
        ending=ENDING,
        media=question.image,
        file=question.image,
        is_multi=True,
        max_tokens=MAX_TOKENS,
    )


def _target(box: Box) -> str:
    return (
        f"In the image, one person stands in the box {_corners(box)} (x1, y1, x2, y2 in pixels). "
        "Which of these interactions hold between that person and any object in the image?"
    )


def _corners(box: Box) -> str:
    return "[" + ", ".join(f"{corner:g}" for corner in box) + "]"
