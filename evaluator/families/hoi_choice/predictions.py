"""Predictions files of hoi_choice: every lawful form, and all problems of the others.

Reads public questions only. Forms: our JSON (or JSON Lines of the same items)
with letters, choice texts, people with boxes, or a HOI method's interactions;
and the release's `{image: {"QA_0": [label, ...]}}`.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from evaluator.bundle import Bundle
from evaluator.errors import Problems, quote
from evaluator.families.hoi_choice.answers import Answers, Interactions, People
from evaluator.families.hoi_choice.labels import class_name, hico_names
from evaluator.families.hoi_choice.schema import LETTERS, Layout, lay_out
from evaluator.reading.fields import (
    box_of,
    check_header,
    no_other_fields,
    number_of,
    objects_of,
    text_of,
)
from evaluator.reading.limits import MAX_COUNTED
from evaluator.reading.strict import Parsed, parse

MAX_PEOPLE = 100  # boxes for one image
MAX_INTERACTIONS = 2000  # detections for one image
MAX_PICKS = 100  # answers to one question, repeats included

_RELEASE_QUESTION = re.compile(r"QA_(\d+)\Z")
_RELEASE_EXTRA = re.compile(r"QA_\d+_reasoning\Z")
_FORMS = {
    "all-people": ("answer", "interactions"),
    "target-box": ("answer",),
    "target-pair": ("answer",),
    "detect-then-answer": ("people", "interactions"),
}


def read_predictions(bundle: Bundle, track: str, data: bytes, rules: str) -> Answers:
    """The answers in a predictions file.

    Args:
        rules: under `released`, unknown labels and missing questions are
            accepted as the released scorer accepts them.

    Raises:
        PredictionsInvalid: all problems of the file.
    """
    layout = lay_out(bundle, track)
    reader = _Reader(layout, track, lenient=rules == "released")
    parsed = parse(data)
    reader.problems.locate = parsed.where
    if _is_release_form(parsed):
        seen = reader.read_release(parsed.value)
        place = ""
    else:
        items, place = check_header(parsed, bundle.benchmark, track, reader.problems)
        seen = reader.read_items(items, place)
    if not reader.lenient and not bundle.benchmark.track(track).partial:
        reader.check_complete(seen, place)
    reader.problems.raise_if_any()
    reader.take_notes()
    return reader.answers


def release_question_id(image: str, number: int) -> str:
    """The question id of a release's image and `QA_<number>`."""
    return f"{PurePosixPath(image).stem}-q{number}"


def _is_release_form(parsed: Parsed) -> bool:
    value = parsed.value
    return (
        parsed.lines is None
        and isinstance(value, dict)
        and "predictions" not in value
        and any(
            isinstance(v, dict) and any(map(_RELEASE_QUESTION.match, v)) for v in value.values()
        )
    )


class _Reader:
    """Reads items into answers and collects problems on the way."""

    def __init__(self, layout: Layout, track: str, *, lenient: bool) -> None:
        self.layout = layout
        self.track = track
        self.lenient = lenient
        self.exact_labels = False  # as the released scorer compares them
        self.answers = Answers.empty(layout)
        self.problems = Problems()
        self._known = set(layout.classes) | hico_names().keys()

    def read_items(self, items: list[Any], place: str) -> set[int]:
        """Our form: a list of items; returns the questions that were named, well or not."""
        seen: set[int] = set()
        wanted = "an object with question_id and answer"
        for at, item in objects_of(items, place, self.problems, wanted):
            number = self._question(item, at, seen)
            form = self._form(item, at)
            if number is None:
                continue
            # A misspelt field is one problem, not also a missing answer.
            seen.add(number)
            if form is not None:
                getattr(self, f"_read_{form}")(number, item[form], f"{at}/{form}")
        return seen

    def read_release(self, files: dict[str, Any]) -> set[int]:
        """The release's form: labels by image and `QA_<number>`."""
        self.exact_labels = self.lenient
        seen: set[int] = set()
        images = {question.image for question in self.layout.questions}
        for image, answers in files.items():
            at = f"/{_escape(image)}"
            if self.problems.n_problems >= MAX_COUNTED:
                break
            if image not in images:
                self._unknown(at, image, "an image of the benchmark")
                continue
            if not isinstance(answers, dict):
                self.problems.add("TYPE", at, quote(answers), 'an object such as {"QA_0": [...]}')
                continue
            for key, labels in answers.items():
                if _RELEASE_EXTRA.match(key):
                    continue
                match = _RELEASE_QUESTION.match(key)
                number = match and self.layout.index.get(release_question_id(image, int(match[1])))
                if number is None:
                    self._unknown(f"{at}/{_escape(key)}", key, "a question of this image")
                    continue
                seen.add(number)
                self._read_answer(number, labels, f"{at}/{_escape(key)}")
        return seen

    def check_complete(self, seen: set[int], place: str) -> None:
        """Every question wants an answer, an empty one for an abstention."""
        n_missing = self.layout.n_questions - len(seen)
        if n_missing:
            first = [q.id for n, q in enumerate(self.layout.questions) if n not in seen][:5]
            self.problems.add(
                "INCOMPLETE",
                place or "file",
                f"no answer to {n_missing} of {self.layout.n_questions} questions: "
                + ", ".join(first)
                + (", …" if n_missing > len(first) else ""),
                "one item for each question",
                'Give "answer": [] where the system abstains.',
            )

    def take_notes(self) -> None:
        """What a reader of the score should know about the file."""
        answers, layout = self.answers, self.layout
        answered = layout.per_question(answers.times > 0) > 0
        answered[[n for n, p in answers.people.items() if any(p.picks)]] = True
        answered[[n for n, d in answers.interactions.items() if d.names]] = True
        n_silent = int(layout.n_questions - answered.sum())
        if n_silent:
            answers.notes.append(f"{n_silent} of {layout.n_questions} questions left unanswered")
        n_unknown = int(answers.n_unknown.sum())
        if n_unknown:
            answers.notes.append(f"{n_unknown} labels are no choice of their question: ignored")

    def _question(self, item: dict[str, Any], at: str, seen: set[int]) -> int | None:
        name = text_of(item, "question_id", at, self.problems)
        if name is None:
            return None
        number = self.layout.index.get(name)
        if number is None:
            self._unknown(f"{at}/question_id", name, f"a question of track {self.track}")
        elif number in seen:
            self.problems.add(
                "DUPLICATE_ID", f"{at}/question_id", quote(name), "each question once"
            )
            return None
        return number

    def _form(self, item: dict[str, Any], at: str) -> str | None:
        wanted = _FORMS[self.track]
        given = [key for key in ("answer", "people", "interactions") if key in item]
        known = ("question_id", "answer", "people", "interactions")
        no_other_fields(item, known, at, self.problems)
        if not given:
            self.problems.add("MISSING_FIELD", f"{at}/{wanted[0]}", "nothing", " or ".join(wanted))
            return None
        if len(given) > 1:
            self.problems.add("VALUE", at, " and ".join(given), "one of them")
            return None
        form = given[0]
        is_abstention = form == "answer" and item["answer"] == []
        if form not in wanted and not is_abstention and not (self.lenient and form == "answer"):
            self.problems.add(
                "VALUE", f"{at}/{form}", quote(form), " or ".join(wanted), self._why()
            )
            return None
        return form

    def _why(self) -> str:
        if self.track == "detect-then-answer":
            return "This track asks the system to find the people itself."
        return f"Track {self.track} takes no detections."

    def _read_answer(self, number: int, value: Any, at: str) -> None:
        start = self.layout.offsets[number]
        for pick in self._picks(number, value, at):
            self.answers.times[start + pick] += 1

    def _read_people(self, number: int, value: Any, at: str) -> None:
        if not self._is_list(value, at, "a list of people", MAX_PEOPLE):
            return
        boxes, picks = [], []
        wanted = "an object with box and answer"
        for where, person in objects_of(value, at, self.problems, wanted):
            box = box_of(person, "box", where, self.problems)
            if "answer" not in person:
                self.problems.add("MISSING_FIELD", f"{where}/answer", "nothing", "a list")
                continue
            chosen = self._picks(number, person["answer"], f"{where}/answer")
            no_other_fields(person, ("box", "answer"), where, self.problems)
            if box is not None:
                boxes.append(box)
                picks.append(tuple(chosen))
        self.answers.people[number] = People(np.array(boxes).reshape(-1, 4), tuple(picks))

    def _read_interactions(self, number: int, value: Any, at: str) -> None:
        if not self._is_list(value, at, "a list of interactions", MAX_INTERACTIONS):
            return
        boxes, names, scores = [], [], []
        needs_box = self.track == "detect-then-answer"
        wanted = "an object with hoi and score"
        for where, detection in objects_of(value, at, self.problems, wanted):
            no_other_fields(detection, ("box", "hoi", "score"), where, self.problems)
            hoi = text_of(detection, "hoi", where, self.problems)
            score = number_of(detection, "score", where, self.problems)
            box = (
                box_of(detection, "box", where, self.problems)
                if needs_box or "box" in detection
                else (np.nan,) * 4
            )
            if hoi is None or score is None or box is None:
                continue
            if class_name(hoi) not in self._known:
                self._unknown(f"{where}/hoi", hoi, "an HOI class such as ride bicycle")
                continue
            boxes.append(box)
            names.append(class_name(hoi))
            scores.append(score)
        self.answers.interactions[number] = Interactions(
            np.array(boxes).reshape(-1, 4), tuple(names), np.array(scores, dtype=np.float64)
        )

    def _picks(self, number: int, value: Any, at: str) -> list[int]:
        """Indices of the named choices within the question, repeats kept."""
        if not self._is_list(value, at, "a list of letters or choice texts", MAX_PICKS):
            return []
        choices = self.layout.questions[number].choices
        picks = []
        for row, label in enumerate(value):
            if not isinstance(label, str):
                self.problems.add(
                    "TYPE", f"{at}/{row}", quote(label), "a letter or a choice's text"
                )
                continue
            pick = _choice(label, choices, exact=self.exact_labels)
            if pick is not None:
                picks.append(pick)
            elif self.lenient:
                self.answers.n_unknown[number] += 1
            else:
                wanted = ", ".join(LETTERS[: len(choices)])
                self.problems.add(
                    "VALUE", f"{at}/{row}", quote(label), f"one of {wanted} or a choice's text"
                )
        return picks

    def _is_list(self, value: Any, at: str, wanted: str, most: int) -> bool:
        if not isinstance(value, list):
            self.problems.add("TYPE", at, quote(value), wanted)
            return False
        if len(value) > most:
            self.problems.add("COUNT", at, f"{len(value)} entries", f"at most {most}")
            return False
        return True

    def _unknown(self, at: str, found: str, wanted: str) -> None:
        if not self.lenient:
            self.problems.add("UNKNOWN_ID", at, quote(found), wanted)


def _choice(label: str, choices: tuple[str, ...], *, exact: bool) -> int | None:
    """Index of the choice that a letter or a text names; None if it names none or several."""
    if exact:
        return choices.index(label) if label in choices else None
    if len(label) == 1 and label in LETTERS[: len(choices)]:
        return LETTERS.index(label)
    if label in choices:
        return choices.index(label)
    name = class_name(label)
    same = [number for number, choice in enumerate(choices) if class_name(choice) == name]
    return same[0] if len(same) == 1 else None


def _escape(key: str) -> str:
    """A key as a JSON pointer token, short enough to print."""
    token = key.replace("~", "~0").replace("/", "~1")
    return quote(token)[1:-1]
