"""Predictions files of hoi_choice: every lawful form, and all problems of the others.

Reads public questions only. Forms: our JSON (or JSON Lines of the same items)
with letters, choice texts, raw replies, people with boxes, or a HOI method's
interactions; the release's `{image: {"QA_0": [label, ...]}}`; a harness's log.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from evaluator.bundle import Bundle
from evaluator.errors import Problems, quote
from evaluator.families.hoi_choice.answers import Answers, People, notes_of
from evaluator.families.hoi_choice.interactions import read_interactions
from evaluator.families.hoi_choice.labels import hico_names
from evaluator.families.hoi_choice.picks import choice_named
from evaluator.families.hoi_choice.prompts import questions_asked
from evaluator.families.hoi_choice.release_form import (
    RELEASE_EXTRA,
    RELEASE_QUESTION,
    is_release_form,
    release_question_id,
)
from evaluator.families.hoi_choice.schema import LETTERS, Layout, lay_out
from evaluator.reading.fields import (
    box_of,
    check_header,
    no_other_fields,
    objects_of,
    text_of,
)
from evaluator.reading.harness import Log, join, notes_on, open_predictions, why_incomplete
from evaluator.reading.kinds import shown
from evaluator.reading.limits import MAX_COUNTED
from evaluator.reading.places import token
from evaluator.reading.replies import read_reply

MAX_PEOPLE = 100  # boxes for one image
MAX_INTERACTIONS = 2000  # detections for one image
MAX_PICKS = 100  # answers to one question, repeats included

_ALL_FORMS = ("answer", "reply", "people", "interactions")
_FORMS = {
    "all-people": ("answer", "reply", "interactions"),
    "target-box": ("answer", "reply"),
    "target-pair": ("answer", "reply"),
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
    opened = open_predictions(data)
    log = opened if isinstance(opened, Log) else None
    place = ""
    if isinstance(opened, Log):
        seen = reader.read_log(opened, bundle)
    elif is_release_form(opened):
        reader.problems.locate = opened.where
        seen = reader.read_release(opened.value)
    else:
        reader.problems.locate = opened.where
        items, place = check_header(opened, bundle.benchmark, track, reader.problems)
        seen = reader.read_items(items, place)
    if not reader.lenient and not bundle.benchmark.track(track).partial:
        reader.check_complete(seen, place, why_incomplete(log))
    reader.problems.raise_if_any()
    reader.answers.notes += notes_of(layout, reader.answers, reader.n_replies)
    return reader.answers


class _Reader:
    """Reads items into answers and collects problems on the way."""

    def __init__(self, layout: Layout, track: str, *, lenient: bool) -> None:
        self.layout = layout
        self.track = track
        self.lenient = lenient
        self.exact_labels = False  # as the released scorer compares them
        self.answers = Answers.empty(layout)
        self.problems = Problems()
        self.n_replies = 0
        self._known = set(layout.classes) | hico_names().keys()
        self._readers: dict[str, Callable[[int, Any, str], None]] = {
            "answer": self._read_answer,
            "reply": self._read_reply,
            "people": self._read_people,
            "interactions": self._read_interactions,
        }

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
                self._readers[form](number, item[form], f"{at}/{form}")
        return seen

    def read_release(self, files: dict[str, Any]) -> set[int]:
        """The release's form: labels by image and `QA_<number>`."""
        self.exact_labels = self.lenient
        seen: set[int] = set()
        images = {question.image for question in self.layout.questions}
        for image, answers in files.items():
            at = f"/{token(image)}"
            if self.problems.n_problems >= MAX_COUNTED:
                break
            if image not in images:
                self._unknown(at, image, "an image of the benchmark")
                continue
            if not isinstance(answers, dict):
                self.problems.add("TYPE", at, quote(answers), 'an object such as {"QA_0": [...]}')
                continue
            for key, labels in answers.items():
                if RELEASE_EXTRA.match(key):
                    continue
                match = RELEASE_QUESTION.match(key)
                number = match and self.layout.index.get(release_question_id(image, int(match[1])))
                if number is None:
                    self._unknown(f"{at}/{token(key)}", key, "a question of this image")
                    continue
                seen.add(number)
                self._read_answer(number, labels, f"{at}/{token(key)}")
        return seen

    def read_log(self, log: Log, bundle: Bundle) -> set[int]:
        """A harness's log: raw replies, joined to the questions that were asked."""
        if "reply" not in _FORMS[self.track]:
            self.problems.add("VALUE", "file", log.title, "people with boxes", self._why())
            return set()
        asked = questions_asked(bundle, self.track)
        name = f"{bundle.benchmark.address}, track {self.track}"
        rows = join(log, asked, name, self.problems)
        for number, row in rows.items():
            self._read_reply(number, row.reply, row.where)
        self.answers.notes += notes_on(log, rows.values(), len(asked))
        return set(rows)

    def check_complete(self, seen: set[int], place: str, hint: str) -> None:
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
                hint,
            )

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
        given = [key for key in _ALL_FORMS if key in item]
        known = ("question_id", *_ALL_FORMS)
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

    def _read_reply(self, number: int, value: Any, at: str) -> None:
        start = self.layout.offsets[number]
        for pick in self._heard(number, value, at):
            self.answers.times[start + pick] += 1

    def _read_people(self, number: int, value: Any, at: str) -> None:
        if not self._is_list(value, at, "a list of people", MAX_PEOPLE):
            return
        boxes, picks = [], []
        wanted = "an object with box and answer, or box and reply"
        for where, person in objects_of(value, at, self.problems, wanted):
            box = box_of(person, "box", where, self.problems)
            no_other_fields(person, ("box", "answer", "reply"), where, self.problems)
            if "answer" in person and "reply" in person:
                self.problems.add("VALUE", where, "answer and reply", "one of them")
                continue
            if "answer" in person:
                chosen = self._picks(number, person["answer"], f"{where}/answer")
            elif "reply" in person:
                chosen = self._heard(number, person["reply"], f"{where}/reply")
            else:
                wanted = "a list, or the reply in its place"
                self.problems.add("MISSING_FIELD", f"{where}/answer", "nothing", wanted)
                continue
            if box is not None:
                boxes.append(box)
                picks.append(tuple(chosen))
        self.answers.people[number] = People(np.array(boxes).reshape(-1, 4), tuple(picks))

    def _read_interactions(self, number: int, value: Any, at: str) -> None:
        if not self._is_list(value, at, "a list of interactions", MAX_INTERACTIONS):
            return
        is_lenient, needs_box = self.lenient, self.track == "detect-then-answer"
        self.answers.interactions[number] = read_interactions(
            value, at, self.problems, self._known, needs_box=needs_box, is_lenient=is_lenient
        )

    def _heard(self, number: int, value: Any, at: str) -> list[int]:
        """Indices of the choices that a raw reply names."""
        if value is not None and not isinstance(value, str):
            self.problems.add("TYPE", at, shown(value), "the reply as a text, or null")
            return []
        self.n_replies += 1
        choices = self.layout.questions[number].choices
        options = dict(zip(LETTERS, choices, strict=False))
        return [LETTERS.index(letter) for letter in read_reply(value, options, multi=True)]

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
            pick = choice_named(label, choices, exact=self.exact_labels)
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
