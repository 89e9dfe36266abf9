"""What a predictions file looks like, shown on the first questions of a track."""

from __future__ import annotations

import json

from evaluator.bundle import Bundle
from evaluator.families.hoi_choice.schema import lay_out

BOX = (48, 32, 310, 402)  # a plausible person in pixels, of no image


def example_predictions(bundle: Bundle, track: str) -> bytes:
    """A file of three items: letters, a choice's text, an abstention.

    Reads public questions only, and the answers mean nothing. It is lawful but
    for the questions that it leaves out.
    """
    questions = lay_out(bundle, track).questions[:3]
    answers: tuple[list[str], ...] = (["A", "B"], [questions[1 % len(questions)].choices[0]], [])
    lines = ",\n    ".join(
        json.dumps({"question_id": question.id, **_reply(track, answer)}, ensure_ascii=False)
        for question, answer in zip(questions, answers, strict=False)
    )
    return (
        f'{{\n  "benchmark": {json.dumps(bundle.benchmark.address)},\n'
        f'  "track": {json.dumps(track)},\n'
        f'  "predictions": [\n    {lines}\n  ]\n}}\n'
    ).encode()


def _reply(track: str, answer: list[str]) -> dict[str, object]:
    if track == "detect-then-answer":
        return {"people": [{"box": BOX, "answer": answer}] if answer else []}
    return {"answer": answer}
