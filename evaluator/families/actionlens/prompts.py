"""How a question is put to a model.

Source: ActionLens, appendices B.2 and N. The reasoning prompts are ours: the
paper names the methods that inspired its own and prints no wording.
"""

from __future__ import annotations

from evaluator.asking import Asked
from evaluator.bundle import Bundle
from evaluator.families.actionlens.schema import Question, lay_out

_DIRECT = "Answer with the option letter only."
_ENDINGS = {
    "step-by-step": (
        "Let's think step by step. End with a line 'Answer: ' and the letter of one option."
    ),
    "plan-and-solve": (
        "First make a plan for finding the answer, then carry it out step by step. "
        "End with a line 'Answer: ' and the letter of one option."
    ),
}
MAX_TOKENS = {"step-by-step": 512, "plan-and-solve": 512}
MAX_TOKENS_DIRECT = 16


def ask(question: Question, track: str) -> str:
    """The prompt: question, lettered options, how to answer."""
    return asked(question, track).prompt


def asked(question: Question, track: str) -> Asked:
    """The question in words, its options and how to answer."""
    return Asked(
        id=question.id,
        text=question.text,
        options=question.options,
        ending=_ENDINGS.get(track, _DIRECT),
        media=question.video,
        file="" if track == "no-video" else f"{question.id}.mp4",
        group=question.diagnostic,
        max_tokens=MAX_TOKENS.get(track, MAX_TOKENS_DIRECT),
    )


def questions_asked(bundle: Bundle, track: str) -> tuple[Asked, ...]:
    """Every question of a track as a model is asked it, in the order of the layout."""
    return tuple(asked(question, track) for question in lay_out(bundle, track).questions)
