"""Invented systems of graded skill, and what they answer.

All systems look at the same evidence, which is misleading in the same places;
they differ in how blurred they see it. So paired differences mean something.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from infra.samples.chance import normal, unit
from infra.samples.scenes import WIDTH, Box, Person, SampleQuestion

SHARED_DIFFICULTY = 0.9  # spread of what misleads everybody
Form = Literal["letters", "texts", "lines", "interactions"]


@dataclass(frozen=True, slots=True)
class System:
    """How an invented system sees.

    Attributes:
        blur: spread of its own noise; evidence stands at +1 and -1.
        boldness: added to all evidence: above zero picks more, below fewer.
        confusion: added to what other people of the image do.
        detection: share of people whom it finds.
        abstention: share of questions it leaves unanswered.
        first_choice: added to the first choice, whatever it says.
        form: how its file is written.
        eyes: whose noise it has; two systems with the same eyes tie.
    """

    name: str
    facets: dict[str, str]
    blur: float
    boldness: float = 0.0
    confusion: float = 0.2
    detection: float = 0.85
    abstention: float = 0.0
    first_choice: float = 0.0
    form: Form = "letters"
    eyes: str = ""

    @property
    def slug(self) -> str:
        words = "".join(c if c.isalnum() else " " for c in self.name.lower()).split()
        return "-".join(words)

    def answers_on(self, track: str) -> bool:
        """HOI methods bring their own people, so a given box means nothing to them."""
        return not (self.form == "interactions" and track == "target-box")


def systems() -> tuple[System, ...]:
    """All invented systems, best first within a kind."""
    return (*_zero_shot(), *_fine_tuned(), *_hoi_specific())


def _zero_shot() -> Iterator[System]:
    large = {"kind": "vlm-zero-shot", "size": "large"}
    small = {"kind": "vlm-zero-shot", "size": "small"}
    forms: tuple[Form, ...] = ("letters", "texts", "lines")
    for place, name in enumerate(("Condor-72B", "Albatross-38B", "Heron-32B", "Osprey-32B")):
        yield System(name, large, 0.6 + 0.15 * place, form=forms[place % 3])
    yield System("Pelican-40B", large, 0.9, boldness=-0.7)
    yield System("Gannet-34B", large, 1.0, boldness=0.6, detection=0.6)
    yield System("Fulmar-30B", large, 1.3, confusion=1.4)
    for place, name in enumerate(
        ("Kestrel-8B", "Merlin-7B", "Plover-8B", "Dunlin-7B", "Knot-8B", "Wren-7B", "Siskin-4B")
    ):
        blur = 1.2 + 0.25 * place
        yield System(name, small, blur, detection=0.7 - 0.07 * place, form=forms[place % 3])
    # The same weights in another number format: their answers agree to the last letter.
    yield System("Tern-8B", small, 1.4, detection=0.55, eyes="Tern-8B")
    yield System("Tern-8B 4-bit", small, 1.4, detection=0.55, eyes="Tern-8B", form="texts")
    yield System("Bittern-9B", small, 0.9, abstention=0.45)
    yield System("Lapwing-7B", small, 2.2, first_choice=2.5)
    yield System("Cormorant-9B", small, 1.1, boldness=1.6)
    yield System("Snipe-3B", small, 5.0, detection=0.2, form="lines")


def _fine_tuned() -> Iterator[System]:
    for place, (name, trained_on) in enumerate(
        (
            ("Heron-32B tuned", "sample train set"),
            ("Kestrel-8B tuned", "sample train set"),
            ("Merlin-7B tuned", "sample train set"),
            ("Plover-8B tuned", "another data set"),
            ("Dunlin-7B tuned", "another data set"),
            ("Knot-8B tuned", "another data set"),
        )
    ):
        size = "large" if "32B" in name else "small"
        facets = {"kind": "fine-tuned", "size": size, "trained-on": trained_on}
        yield System(name, facets, 0.7 + 0.2 * place, boldness=0.4, detection=0.9 - 0.05 * place)
    for name, blur in (("Heron-32B + detector", 0.9), ("Kestrel-8B + detector", 1.2)):
        facets = {"kind": "vlm-zero-shot", "size": "large" if "32B" in name else "small"}
        yield System(name, facets | {"boxes": "off-the-shelf"}, blur, detection=0.95)
    for name, blur in (("Osprey-32B + detector", 1.05), ("Merlin-7B + detector", 1.45)):
        facets = {"kind": "vlm-zero-shot", "size": "large" if "32B" in name else "small"}
        yield System(name, facets | {"boxes": "off-the-shelf"}, blur, detection=0.95, form="texts")


def _hoi_specific() -> Iterator[System]:
    facets = {"kind": "hoi-specific", "boxes": "own"}
    for place, name in enumerate(("Pairwise-L", "Pairwise-B", "TwoStage-L", "TwoStage-B")):
        yield System(name, facets, 0.9 + 0.25 * place, detection=0.9, form="interactions")


def sees(system: System, question: SampleQuestion, person: Person | None, choice: str) -> float:
    """Evidence for a choice; the system picks what is above zero.

    Args:
        person: whom the answer is about; None for everybody in the scene.
    """
    right = choice in (question.right if person is question.target else person_deeds(person))
    place = "" if person is None else person.box
    evidence = 1.0 if right else -1.0
    evidence += SHARED_DIFFICULTY * normal("difficulty", question.id, place, choice)
    evidence += system.blur * normal(
        system.eyes or system.name, question.track, question.id, place, choice
    )
    if person is not None and not right and choice in question.others:
        evidence += system.confusion
    if question.choices and choice == question.choices[0]:
        evidence += system.first_choice
    return evidence + system.boldness


def person_deeds(person: Person | None) -> frozenset[str]:
    return frozenset() if person is None else person.does


def picks(system: System, question: SampleQuestion, person: Person | None) -> list[str]:
    """The choices that a system takes, in the order of the question; none if it abstains."""
    if unit(system.eyes or system.name, question.id, "abstains") < system.abstention:
        return []
    return [c for c in question.choices if sees(system, question, person, c) > 0]


def found(system: System, question: SampleQuestion) -> list[tuple[Person, Box]]:
    """People whom a system finds in a scene, with the box it gives for each."""
    people = []
    for person in question.scene.people:
        key = (system.eyes or system.name, question.scene.id, person.box)
        if unit(*key, "found") < system.detection:
            people.append((person, _moved(person.box, 0.03 * normal(*key, "jitter"))))
        elif unit(*key, "off") < 0.5:
            people.append((person, _moved(person.box, 0.6)))
    return people


def _moved(box: Box, share: float) -> Box:
    """The box moved sideways by a share of its width, inside the image."""
    x1, y1, x2, y2 = box
    step = share * (x2 - x1)
    step = -step if x2 + step > WIDTH else step
    return (round(max(0.0, x1 + step), 1), y1, round(min(float(WIDTH), x2 + step), 1), y2)
