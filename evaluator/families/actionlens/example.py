"""What a predictions file looks like, shown on the first questions of a track."""

from __future__ import annotations

import json

from evaluator.bundle import Bundle
from evaluator.families.actionlens.schema import Question, lay_out


def example_predictions(bundle: Bundle, track: str) -> bytes:
    """A file of four items: a letter, an option's text, a raw reply, no answer.

    Reads public questions only, and the answers mean nothing. It is lawful but
    for the questions that it leaves out.
    """
    questions = lay_out(bundle, track).questions[:4]
    lines = ",\n    ".join(
        json.dumps({"question_id": question.id, **said}, ensure_ascii=False)
        for question, said in zip(questions, _forms(questions), strict=False)
    )
    return (
        f'{{\n  "benchmark": {json.dumps(bundle.benchmark.address)},\n'
        f'  "track": {json.dumps(track)},\n'
        f'  "predictions": [\n    {lines}\n  ]\n}}\n'
    ).encode()


def _forms(questions: tuple[Question, ...]) -> tuple[dict[str, object], ...]:
    text = questions[1 % len(questions)].options[0]
    return ({"answer": "A"}, {"answer": text}, {"reply": "The answer is B."}, {"answer": []})
