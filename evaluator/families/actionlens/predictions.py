"""Predictions files of actionlens: every lawful form, and all problems of the others.

Reads public questions only. An item answers with a letter, with the text of an
option, or with the model's raw reply, which the one reader of replies reads; a
harness's log is raw replies throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Bundle
from evaluator.choices import LETTERS
from evaluator.errors import Problems, quote
from evaluator.families.actionlens.prompts import questions_asked
from evaluator.families.actionlens.schema import Layout, Question, lay_out
from evaluator.reading.fields import check_header, no_other_fields, objects_of, text_of
from evaluator.reading.harness import Log, join, notes_on, open_predictions, why_incomplete
from evaluator.reading.kinds import shown
from evaluator.reading.replies import READER_VERSION, first_letter, read_reply
from evaluator.reading.replies.texts import letter_of_text

NO_ANSWER = -1
FORMS = ("answer", "reply")
FIELDS = ("question_id", *FORMS)

# Named rule sets: how raw replies are read.
READERS: dict[str, Callable[..., tuple[str, ...]]] = {
    "paper": read_reply,
    "first-letter": first_letter,
}


@dataclass(slots=True)
class Answers:
    """What a predictions file says.

    Attributes:
        picked: (Q,) position of the chosen option, -1 for no answer.
        review_only: the file answers the review subset and nothing else.
        notes: what a reader of the score should know about the file.
    """

    picked: NDArray[np.int64]
    review_only: bool = False
    notes: list[str] = field(default_factory=list)


def read_predictions(bundle: Bundle, track: str, data: bytes, rules: str) -> Answers:
    """The answers in a predictions file.

    A file that answers exactly the review subset is complete: it gets the
    scores of that subset and no others.

    Raises:
        PredictionsInvalid: all problems of the file.
    """
    return _read(bundle, track, data, rules)


def read_leniently(bundle: Bundle, track: str, data: bytes) -> Answers:
    """As `read_predictions`; questions that a harness's log leaves out are without an answer.

    Raises:
        PredictionsInvalid: all problems of the file.
    """
    return _read(bundle, track, data, "paper", is_lenient=True)


def _read(
    bundle: Bundle, track: str, data: bytes, rules: str, *, is_lenient: bool = False
) -> Answers:
    reader = _Reader(lay_out(bundle, track), track, rules)
    opened = open_predictions(data)
    is_partial = bundle.benchmark.track(track).partial
    if isinstance(opened, Log):
        reader.read_log(opened, bundle)
        reader.check_complete("", why_incomplete(opened), is_partial=is_partial or is_lenient)
    else:
        reader.problems.locate = opened.where
        items, place = check_header(opened, bundle.benchmark, track, reader.problems)
        reader.read_items(items, place)
        reader.check_complete(place, why_incomplete(None), is_partial=is_partial)
    reader.problems.raise_if_any()
    reader.take_notes()
    return reader.answers


class _Reader:
    """Reads items into answers and collects problems on the way."""

    def __init__(self, layout: Layout, track: str, rules: str) -> None:
        self.layout = layout
        self.track = track
        self.rules = rules
        self.answers = Answers(np.full(layout.n_questions, NO_ANSWER, dtype=np.int64))
        self.problems = Problems()
        self._seen = np.zeros(layout.n_questions, dtype=bool)
        self._n_replies = 0

    def read_items(self, items: list[Any], place: str) -> None:
        wanted = "an object with question_id and answer"
        for at, item in objects_of(items, place, self.problems, wanted):
            no_other_fields(item, FIELDS, at, self.problems)
            number = self._question(item, at)
            form = self._form(item, at)
            if number is None or form is None:
                continue
            self._seen[number] = True
            read = self._answer if form == "answer" else self._reply
            self.answers.picked[number] = read(number, item[form], f"{at}/{form}")

    def read_log(self, log: Log, bundle: Bundle) -> None:
        """A harness's log: raw replies, joined to the questions that were asked."""
        asked = questions_asked(bundle, self.track)
        name = f"{bundle.benchmark.address}, track {self.track}"
        rows = join(log, asked, name, self.problems)
        for number, row in rows.items():
            self._seen[number] = True
            self.answers.picked[number] = self._reply(number, row.reply, row.where)
        self.answers.notes += notes_on(log, rows.values(), len(asked))

    def check_complete(self, place: str, hint: str, *, is_partial: bool) -> None:
        """Every question wants an item, or exactly those of the review subset."""
        review = self.layout.review
        self.answers.review_only = bool(
            review.any() and not review.all() and (self._seen == review).all()
        )
        missing = np.flatnonzero(~self._seen)
        if not missing.size or is_partial or self.answers.review_only:
            return
        first = ", ".join(self.layout.questions[number].id for number in missing[:5])
        self.problems.add(
            "INCOMPLETE",
            place or "file",
            f"no answer to {missing.size} of {self.layout.n_questions} questions: {first}"
            + (", …" if missing.size > 5 else ""),
            "one item for each question"
            + (", or for each question of the review subset" if review.any() else ""),
            hint,
        )

    def take_notes(self) -> None:
        """What a reader of the score should know about the file."""
        picked, notes = self.answers.picked, self.answers.notes
        asked = self.layout.review if self.answers.review_only else np.ones_like(self._seen)
        n_silent = int((picked[asked] == NO_ANSWER).sum())
        if self.answers.review_only:
            notes.append("answers the review subset only: no score of the full set")
        if n_silent:
            notes.append(f"{n_silent} of {int(asked.sum())} questions without a readable answer")
        if self._n_replies:
            name = "first-letter" if self.rules == "first-letter" else READER_VERSION
            notes.append(f"{self._n_replies} raw replies, read by reader {name}")

    def _question(self, item: dict[str, Any], at: str) -> int | None:
        name = text_of(item, "question_id", at, self.problems)
        if name is None:
            return None
        number = self.layout.index.get(name)
        place = f"{at}/question_id"
        if number is None:
            wanted = f"a question of track {self.track}"
            self.problems.add("UNKNOWN_ID", place, quote(name), wanted)
        elif self._seen[number]:
            self.problems.add("DUPLICATE_ID", place, quote(name), "each question once")
            return None
        return number

    def _form(self, item: dict[str, Any], at: str) -> str | None:
        given = [form for form in FORMS if form in item]
        if len(given) == 1:
            return given[0]
        if given:
            self.problems.add("VALUE", at, " and ".join(given), "one of them")
        else:
            self.problems.add("MISSING_FIELD", f"{at}/answer", "nothing", " or ".join(FORMS))
        return None

    def _answer(self, number: int, value: object, at: str) -> int:
        if isinstance(value, list):
            if len(value) > 1:
                self.problems.add("COUNT", at, f"{len(value)} entries", "at most one: one is right")
                return NO_ANSWER
            if not value:
                return NO_ANSWER
            value, at = value[0], f"{at}/0"
        question = self.layout.questions[number]
        if not isinstance(value, str):
            self.problems.add("TYPE", at, shown(value), "a letter or an option's text")
            return NO_ANSWER
        letter = value if len(value) == 1 and value in question.letters else None
        letter = letter or letter_of_text(value, options_of(question))
        if letter is None:
            wanted = f"one of {', '.join(question.letters)} or an option's text"
            self.problems.add(
                "VALUE", at, quote(value), wanted, 'A model\'s own words go into "reply".'
            )
            return NO_ANSWER
        return LETTERS.index(letter)

    def _reply(self, number: int, value: object, at: str) -> int:
        if value is not None and not isinstance(value, str):
            self.problems.add("TYPE", at, shown(value), "the reply as a text, or null")
            return NO_ANSWER
        self._n_replies += 1
        options = options_of(self.layout.questions[number])
        letters = READERS[self.rules](value, options, multi=False)
        return LETTERS.index(letters[0]) if letters else NO_ANSWER


def options_of(question: Question) -> Mapping[str, str]:
    """Wording by letter, as the reader of replies wants it."""
    return dict(zip(question.letters, question.options, strict=True))
