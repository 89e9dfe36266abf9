"""How a question is put to a model.

Source: ActionLens, appendices B.2 and N. The reasoning prompts are ours: the
paper names the methods that inspired its own and prints no wording.
"""

from __future__ import annotations

from evaluator.families.actionlens.schema import Question

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


def ask(question: Question) -> str:
    """The prompt: question, lettered options, how to answer."""
    options = (
        f"{letter}. {option}"
        for letter, option in zip(question.letters, question.options, strict=True)
    )
    ending = _ENDINGS.get(question.track, _DIRECT)
    return "\n".join((question.text, *options, ending))


def max_tokens(track: str) -> int:
    """How long a reply may be."""
    return MAX_TOKENS.get(track, MAX_TOKENS_DIRECT)
