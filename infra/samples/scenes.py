"""Scenes with people who do things, and the questions about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from infra.samples.chance import shuffled, unit
from infra.samples.vocabulary import VERBS, text_of, unseen_classes

N_SCENES = 120
WIDTH, HEIGHT = 640, 480
TRACKS = ("all-people", "target-box", "detect-then-answer")
WITHOUT_RIGHT_CHOICE = "img-0077-q1"

Box = tuple[float, float, float, float]
SceneKind = Literal["one-person", "same-hoi", "different-hoi"]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a place, and what they do with one thing."""

    box: Box
    thing: str
    does: frozenset[str]


@dataclass(frozen=True, slots=True)
class Scene:
    """One image that was never taken."""

    id: str
    people: tuple[Person, ...]

    @property
    def image(self) -> str:
        return f"{self.id}.jpg"

    @property
    def things(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(person.thing for person in self.people))

    @property
    def kind(self) -> SceneKind:
        if len(self.people) == 1:
            return "one-person"
        return "same-hoi" if len({p.does for p in self.people}) == 1 else "different-hoi"


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question of one track; `target` is None where everybody in the scene counts."""

    track: str
    id: str
    scene: Scene
    target: Person | None
    choices: tuple[str, ...]
    right: frozenset[str]

    @property
    def others(self) -> frozenset[str]:
        """What people other than the target do."""
        return frozenset().union(*(p.does for p in self.scene.people if p is not self.target))


def scenes() -> list[Scene]:
    """All scenes; a third shows one person, a third two things."""
    return [_scene(f"img-{number:04d}") for number in range(1, N_SCENES + 1)]


def questions() -> list[SampleQuestion]:
    """Questions of all tracks: one a scene, two where it shows two things."""
    return [question for track in TRACKS for scene in scenes() for question in _ask(track, scene)]


def _scene(name: str) -> Scene:
    draw = unit(name, "people")
    n_people = 1 + (draw > 0.33) + (draw > 0.70) + (draw > 0.90)
    n_things = 2 if n_people > 1 and unit(name, "things") < 0.5 else 1
    things = shuffled(sorted(VERBS), name, "things")[:n_things]
    do_the_same = unit(name, "same") < 0.35 and n_things == 1
    people = []
    for number in range(n_people):
        thing = things[number % n_things]
        does = _deeds(thing, name, "everybody" if do_the_same else number)
        people.append(Person(_box(name, number, n_people), thing, does))
    return Scene(name, tuple(people))


def _deeds(thing: str, *key: object) -> frozenset[str]:
    possible = [d for d in (text_of(v, thing) for v in VERBS[thing]) if d not in unseen_classes()]
    draw = unit(*key, "deeds")
    n_deeds = 1 + (draw > 0.45) + (draw > 0.85)
    return frozenset(shuffled(possible, *key)[:n_deeds])


def _box(name: str, number: int, n_people: int) -> Box:
    """A box in the person's own strip of the image: people never overlap by half."""
    strip = WIDTH / n_people
    left = number * strip + unit(name, number, "left") * 0.15 * strip
    right = (number + 1) * strip - unit(name, number, "right") * 0.15 * strip
    top = unit(name, number, "top") * 0.3 * HEIGHT
    bottom = HEIGHT - unit(name, number, "bottom") * 0.2 * HEIGHT
    return (round(left, 1), round(top, 1), round(right, 1), round(bottom, 1))


def _ask(track: str, scene: Scene) -> Iterator[SampleQuestion]:
    for number, thing in enumerate(scene.things, start=1):
        name = f"{scene.id}-q{number}"
        about = [person for person in scene.people if person.thing == thing]
        target = None if track == "all-people" else about[0]
        right = frozenset().union(*(p.does for p in about)) if target is None else target.does
        lures: list[str] = []
        if target is not None:
            others = frozenset().union(*(p.does for p in scene.people)) - right
            lures = shuffled(sorted(others), name)[:2]
        if name == WITHOUT_RIGHT_CHOICE:
            right = frozenset()
        choices = _choices(track, name, scene, thing, right, lures)
        yield SampleQuestion(track, name, scene, target, choices, right)


def _choices(
    track: str, name: str, scene: Scene, thing: str, right: frozenset[str], lures: list[str]
) -> tuple[str, ...]:
    """Right choices, lures, then what nobody in the scene does; ordered by a seeded hash."""
    draw = unit(name, "choices")
    n_choices = max(4 - (draw < 0.06) + (draw > 0.92), len(right) + 1)
    done = frozenset().union(*(person.does for person in scene.people))
    near = [text_of(verb, thing) for verb in VERBS[thing]]
    far = [text_of(verb, other) for other in sorted(VERBS) for verb in VERBS[other]]
    idle = [c for c in shuffled(near, name) + shuffled(far, name) if c not in done]
    chosen = list(dict.fromkeys([*sorted(right), *lures, *idle]))[:n_choices]
    return tuple(shuffled(chosen, "order", track, name))
