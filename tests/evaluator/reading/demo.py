"""The two small benchmarks that the corpus of malformed files is written for."""

from __future__ import annotations

from typing import Any

import numpy as np

from evaluator.bundle import Benchmark, BootstrapPlan
from evaluator.errors import Problems, quote
from evaluator.reading.detections import Detections, Vocabulary, read_detections
from evaluator.reading.fields import box_of, list_of, no_other_fields, objects_of, text_of
from evaluator.reading.kinds import shown
from evaluator.reading.strict import parse

QUESTIONS = ("q1", "q2", "q3", "q4")
OPTIONS = ("A", "B", "C", "D")
SIZE = (640.0, 480.0)

BENCHMARK = Benchmark(
    name="demo-det",
    title="",
    family="hoi_detection",
    version="1",
    tracks=(),
    rules="official",
    cluster="image",
    bootstrap=BootstrapPlan(draws=1, seed=1),
)
IMAGES = Vocabulary(
    images={1: 0, 2: 1, "one.jpg": 0, "two.jpg": 1},
    classes=[(f"verb {n % 6}", f"object {n // 6}") for n in range(600)],
    sizes=np.array([SIZE, SIZE]),
    most_per_image=5,
)


def read_answers(data: bytes) -> dict[str, list[str]]:
    """Answers by question: a schema such as a family writes it."""
    parsed = parse(data)
    problems = Problems(locate=parsed.where)
    items, at = (parsed.value, "") if parsed.lines else _document(parsed.value, problems)
    answers: dict[str, list[str]] = {}
    for place, item in objects_of(items, at, problems, "an object with question_id and answer"):
        no_other_fields(item, ("question_id", "answer", "box"), place, problems)
        question = text_of(item, "question_id", place, problems)
        if question is not None and question not in QUESTIONS:
            problems.add("UNKNOWN_ID", f"{place}/question_id", quote(question), "a question")
        elif question in answers:
            problems.add("DUPLICATE_ID", f"{place}/question_id", quote(question), "each once")
        answer = _answer(item, place, problems)
        if "box" in item:
            box_of(item, "box", place, problems, SIZE)
        if question in QUESTIONS and question not in answers:
            answers[str(question)] = answer
    missing = [question for question in QUESTIONS if question not in answers]
    if missing and not problems:
        found = f"{len(missing)} of {len(QUESTIONS)} unanswered, first {missing[0]}"
        problems.add("INCOMPLETE", at or "file", found, "an answer to each question")
    problems.raise_if_any()
    return answers


def _document(document: Any, problems: Problems) -> tuple[list[Any], str]:
    if not isinstance(document, dict):
        problems.add("TOP_LEVEL", "", shown(document), "an object")
        problems.raise_if_any()
    no_other_fields(document, ("benchmark", "predictions"), "", problems)
    name = text_of(document, "benchmark", "", problems)
    if name is not None and name != "demo-qa-v1":
        problems.add("BENCHMARK", "/benchmark", quote(name), '"demo-qa-v1"')
    items = list_of(document, "predictions", "", problems)
    if items is None:
        problems.raise_if_any()
    return items or [], "/predictions"


def _answer(item: dict[str, Any], place: str, problems: Problems) -> list[str]:
    answer = list_of(item, "answer", place, problems, most=len(OPTIONS))
    for number, option in enumerate(answer or []):
        where = f"{place}/answer/{number}"
        if not isinstance(option, str):
            problems.add("TYPE", where, shown(option), "a letter")
        elif option not in OPTIONS:
            problems.add("VALUE", where, shown(option), ", ".join(OPTIONS))
    if answer and len({shown(option) for option in answer}) < len(answer):
        problems.add("DUPLICATE_VALUE", f"{place}/answer", shown(answer), "each option once")
    return answer or []


def read_pairs(data: bytes) -> Detections:
    """Detections; the files of the corpus do not say how they count."""
    return read_detections(
        data, IMAGES, benchmark=BENCHMARK, track="default", box_base=0, class_ids="hoi0"
    )


def read_hico(data: bytes) -> Detections:
    """Detections on images named as HICO-DET names its test images."""
    images: dict[str | int, int] = {f"HICO_test2015_{n + 1:08d}.jpg": n for n in range(9658)}
    vocabulary = Vocabulary(images, IMAGES.classes)
    return read_detections(
        data, vocabulary, benchmark=BENCHMARK, track="default", box_base=1, class_ids="hoi0"
    )


SCHEMAS = {"qa": read_answers, "det": read_pairs, "hico": read_hico}
