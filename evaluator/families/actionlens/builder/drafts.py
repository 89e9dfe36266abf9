"""A question before it is put to a track: who, when, and what each option is."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.choices import LETTERS
from evaluator.families.actionlens.builder.scenes import CLIP_RADIUS, Moment, place_in_words
from evaluator.families.actionlens.diagnostics import CORRECT, Code, Colour, Gaze, Transition
from evaluator.families.actionlens.schema import Person, Question, Truth

OTHER_COLOUR: dict[Colour, Colour] = {"red": "blue", "blue": "red"}


@dataclass(frozen=True, slots=True)
class Option:
    """One option; `{red}` and `{blue}` stand for whatever the track calls these people."""

    text: str
    kind: str
    is_right: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that is not yet worded for a track.

    Attributes:
        options: in the order that is shown.
        people: who has which colour.
        seconds: annotated seconds of the clip; people have a box at those where they are seen.
    """

    diagnostic: Code
    moment: Moment
    text: str
    options: tuple[Option, ...]
    people: tuple[tuple[Colour, str], ...]
    seconds: range
    clip: tuple[float, float]
    transition: Transition | None = None
    gaze: Gaze | None = None

    @property
    def id(self) -> str:
        who = "-".join(person for _, person in self.people)
        return f"{self.diagnostic}-{self.moment.video}-{self.moment.second}-{who}"

    @property
    def right_position(self) -> int:
        return next(n for n, option in enumerate(self.options) if option.is_right)

    def question(self, track: str, *, review: bool) -> Question:
        """The question as the track asks it."""
        words = self._words(track)
        note = _COORDINATES if track == "static-coordinates" else ""
        return Question(
            track=track,
            id=self.id,
            diagnostic=self.diagnostic,
            video=self.moment.video,
            clip=self.clip,
            text=_worded(self.text, words) + note,
            options=tuple(_worded(option.text, words) for option in self.options),
            people=self._boxes(track),
            review=review,
        )

    def truth(self, track: str) -> Truth:
        return Truth(
            track=track,
            id=self.id,
            right=LETTERS[self.right_position],
            kinds=tuple(option.kind for option in self.options),
            transition=self.transition,
            n_people=len(self.moment.people),
            gaze=self.gaze,
        )

    def _boxes(self, track: str) -> tuple[Person, ...]:
        if track in ("static-coordinates", "relational-reference", "no-video"):
            return ()
        boxed = []
        for colour, person in self.people:
            drawn = OTHER_COLOUR[colour] if track == "colours-swapped" else colour
            seen = self.moment.track(person, self.seconds)
            boxes = tuple((float(second), *sighting.box) for second, sighting in seen.items())
            boxed.append(Person(colour=drawn, boxes=boxes))
        return tuple(sorted(boxed, key=lambda person: person.colour, reverse=True))  # red first

    def _words(self, track: str) -> dict[Colour, str]:
        words: dict[Colour, str] = {}
        for colour, person in self.people:
            if track == "static-coordinates":
                box = self.moment.timeline[self.moment.second][person].box
                words[colour] = f"the person at [{', '.join(f'{edge:.3f}' for edge in box)}]"
            elif track == "relational-reference":
                everybody = self.moment.timeline[self.moment.second]
                words[colour] = place_in_words(everybody, person)
            else:
                drawn = OTHER_COLOUR[colour] if track == "colours-swapped" else colour
                words[colour] = f"the person in the {drawn} box"
        return words


_COORDINATES = (
    " Boxes are [left, top, right, bottom] at the middle of the clip, in fractions of the frame."
)


def _worded(text: str, words: dict[Colour, str]) -> str:
    said = text
    for colour, word in words.items():
        said = said.replace(f"{{{colour}}}", word)
    return said[:1].upper() + said[1:]


def clip_around(second: int) -> tuple[float, float]:
    """The clip of 5 seconds whose middle is the annotated second."""
    return (max(0.0, second - CLIP_RADIUS - 0.5), second + CLIP_RADIUS + 0.5)


def right(text: str, kind: str = CORRECT) -> Option:
    return Option(text, kind, is_right=True)
