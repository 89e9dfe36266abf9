"""Small benchmarks with predictions, made by hypothesis: every oddity in a few questions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import msgspec
from hypothesis import strategies as st

from evaluator.bundle import Benchmark, BootstrapPlan, Bundle, LabelClass, TrackPlan, json_lines
from tests.evaluator.hoi_choice_reference.reference import LETTERS, Json

NAMES = tuple(
    f"{verb} {thing}" for thing in ("kite", "cup", "rope") for verb in ("hold", "lift", "tie")
)
GROUPS = ("rare", "non-rare", "head", "tail", "time-sensitive", "bin-01", "bin-02", "bin-20")
TRACKS = ("all-people", "target-box", "detect-then-answer", "target-pair")
SCENES = (None, "one-person", "same-hoi", "different-hoi")
TARGET = (100.0, 100.0, 200.0, 300.0)
FORMS = {
    "all-people": ["answer", "interactions"],
    "detect-then-answer": ["people", "interactions"],
}
# Overlaps with the target: all of it, exactly one half, one half of another kind, less, none.
BOXES = (
    TARGET,
    (100.0, 100.0, 200.0, 200.0),
    (100.0, 100.0, 300.0, 300.0),
    (110.0, 100.0, 200.0, 300.0),
    (150.0, 100.0, 250.0, 300.0),
    (400.0, 100.0, 500.0, 300.0),
)


@dataclass(frozen=True)
class Case:
    """A benchmark of one track and a predictions file, in our types and as plain JSON."""

    track: str
    bundle: Bundle
    questions: list[Json]
    truth: list[Json]
    classes: list[Json]
    items: list[Json]

    @property
    def data(self) -> bytes:
        head = {"benchmark": "small@1", "track": self.track, "predictions": self.items}
        return json.dumps(head).encode()


def spelt(name: str) -> st.SearchStrategy[str]:
    """A choice's text as releases spell it."""
    verb, thing = name.split()
    return st.sampled_from([name, f"{verb} a/an {thing}", f"{verb.upper()}_{thing}"])


@st.composite
def question_lines(draw: st.DrawFn, track: str, number: int) -> tuple[Json, Json]:
    """A question and its truth."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True))
    choices = [draw(spelt(name)) for name in names]
    letters = st.sampled_from(LETTERS[: len(choices)])
    right = sorted(draw(st.sets(letters, max_size=3)))
    also_wrong = [letter for letter in right if draw(st.integers(0, 5)) == 0]
    image = f"img-{draw(st.integers(1, 8))}.jpg"
    others = draw(st.none() | st.lists(st.sampled_from(NAMES), max_size=3, unique=True))
    question: Json = {"track": track, "id": f"q{number}", "image": image, "choices": choices}
    truth: Json = {"track": track, "id": f"q{number}", "right": right, "also_wrong": also_wrong}
    scene = draw(st.sampled_from(SCENES))
    if scene is not None:
        truth["scene"] = scene
    if others is not None and track != "all-people":
        truth["others"] = others
    if track in ("target-box", "target-pair"):
        question["person_box"] = TARGET
    if track == "target-pair":
        question["object_box"] = BOXES[-1]
    if track == "detect-then-answer":
        truth["person_box"] = TARGET
    return question, truth


@st.composite
def answer_items(draw: st.DrawFn, question: Json) -> Json:
    """An item of a predictions file in one of the forms that the track takes."""
    track, choices = question["track"], question["choices"]
    labels = st.sampled_from([*LETTERS[: len(choices)], *choices])
    answers = st.lists(labels, max_size=4)
    form = draw(st.sampled_from(FORMS.get(track, ["answer"])))
    item: Json = {"question_id": question["id"]}
    if form == "answer" or draw(st.integers(0, 9)) == 0:
        item["answer"] = draw(answers) if form == "answer" else []
    elif form == "people":
        person = {"box": st.sampled_from(BOXES), "answer": answers}
        item["people"] = draw(st.lists(st.fixed_dictionaries(person), max_size=3))
    else:
        detection = {
            "box": st.sampled_from(BOXES),
            "hoi": st.sampled_from(NAMES),
            "score": st.sampled_from([0.1, 0.5, 0.5, 0.9]),
        }
        item["interactions"] = draw(st.lists(st.fixed_dictionaries(detection), max_size=9))
    return item


@st.composite
def cases(draw: st.DrawFn, draws: int = 40) -> Case:
    """A benchmark of 1 to 14 questions on up to 8 images, and answers to all of them."""
    track = draw(st.sampled_from(TRACKS))
    lines = [draw(question_lines(track, n)) for n in range(draw(st.integers(1, 14)))]
    questions, truth = [q for q, _ in lines], [t for _, t in lines]
    classes = [
        LabelClass(
            name=name,
            groups=tuple(sorted(draw(st.sets(st.sampled_from(GROUPS), max_size=3)))),
            listed=draw(st.integers(0, 5)) > 0,
        )
        for name in NAMES
    ]
    benchmark = Benchmark(
        name="small",
        title="Small",
        family="hoi_choice",
        version="1",
        tracks=(TrackPlan(slug=track, title=track, answers="public"),),
        rules="paper",
        cluster="image",
        bootstrap=BootstrapPlan(draws=draws, seed=draw(st.integers(0, 2**32))),
        classes=tuple(classes),
    )
    bundle = Bundle(benchmark=benchmark, questions=json_lines(questions), truth=json_lines(truth))
    items = [draw(answer_items(question)) for question in questions]
    plain: list[dict[str, Any]] = msgspec.to_builtins(classes)
    return Case(track, bundle, questions, truth, plain, items)
