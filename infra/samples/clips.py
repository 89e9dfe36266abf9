"""Invented clips: who stands where in a workshop and does what, second by second."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from evaluator.bundle import json_lines
from infra.samples.chance import shuffled, unit

Box = tuple[float, float, float, float]

BODY = {
    "stand": ("standing", "posture"),
    "sit": ("sitting", "posture"),
    "kneel": ("kneeling", "posture"),
    "lean": ("leaning forward", "posture"),
    "walk": ("walking", "locomotion"),
    "climb": ("climbing", "locomotion"),
}
HANDS = {
    "hold tool": ("holding a tool", "object-interaction"),
    "push cart": ("pushing a cart", "object-interaction"),
    "sweep": ("sweeping", "daily-activity"),
    "drink": ("drinking", "daily-activity"),
    "write": ("writing", "daily-activity"),
    "measure": ("measuring something", "object-interaction"),
    "sand": ("sanding wood", "object-interaction"),
    "carry plank": ("carrying a plank", "object-interaction"),
    "paint": ("painting", "daily-activity"),
    "point": ("pointing at something", "object-interaction"),
    "wave": ("waving a hand", "person-interaction"),
    "hand over": ("handing something over", "person-interaction"),
}
TALK, LISTEN, WATCH = "talk", "listen", "watch"
SHOT_SECONDS = (9, 16)


@dataclass(slots=True)
class Actor:
    """Somebody in one shot: where, and what is done from which second on."""

    name: str
    box: Box
    body: list[str]
    hands: list[str]
    role: str
    watches: bool
    turn: int  # second of the shot at which the later action begins
    changes: str = field(default="")  # body, hands, or nothing

    def actions(self, second: int) -> list[str]:
        """Everything done at a second of the shot."""
        later = second >= self.turn
        body = self.body[later and self.changes == "body"]
        hands = self.hands[later and self.changes == "hands"]
        others = (self.role, WATCH if self.watches else "")
        return sorted(action for action in (body, hands, *others) if action)


def evidence(n_videos: int, n_seconds: int, name: str = "sample-clips") -> bytes:
    """An evidence file of invented videos; the same bytes for the same numbers."""
    return json_lines([source(name), *rows(n_videos, n_seconds)])


def source(name: str) -> dict[str, object]:
    """The first line: what the actions are."""
    actions: list[dict[str, object]] = [
        {"name": action, "phrase": phrase, "group": group}
        for action, (phrase, group) in (BODY | HANDS).items()
    ]
    actions += [
        {"name": TALK, "phrase": "talking", "group": "person-interaction", "visual": False},
        {"name": LISTEN, "phrase": "listening", "group": "person-interaction", "visual": False},
        {"name": WATCH, "phrase": "watching someone", "group": "observation"},
    ]
    return {
        "evidence": 1,
        "name": name,
        "title": "Sample clips",
        "diagnostics": ["D1", "D2", "D3", "D4", "D5"],
        "actions": actions,
        "exclusive": [["sweep", "sand", "paint", "write"], ["push cart", "carry plank"]],
        "confusable": [["sand", "sweep"]],
        "talk": TALK,
        "listen": LISTEN,
        "watch": WATCH,
        "licence": "Apache-2.0",
        "citation": "Plumbline, sample benchmark.",
        "url": "Made by infra/samples; no such video exists.",
    }


def rows(n_videos: int, n_seconds: int) -> Iterator[dict[str, object]]:
    """One row for each person and second."""
    for number in range(1, n_videos + 1):
        video = f"clip-{number:03d}"
        start = shot = 0
        while start < n_seconds:
            least, most = SHOT_SECONDS
            length = least + int(unit(video, shot, "length") * (most - least + 1))
            cast = _cast(video, shot, length)
            for second in range(start, min(start + length, n_seconds)):
                for actor in cast:
                    yield {
                        "video": video,
                        "second": second,
                        "person": actor.name,
                        "box": _swayed(actor.box, actor.name, second),
                        "actions": actor.actions(second - start),
                    }
            start, shot = start + length, shot + 1


def _cast(video: str, shot: int, length: int) -> list[Actor]:
    """The people of a shot; often one, often two who talk, seldom a crowd."""
    draw = unit(video, shot, "people")
    n_people = 1 + (draw > 0.3) + (draw > 0.75) + (draw > 0.88) + 4 * (draw > 0.98)
    roles = [TALK, LISTEN] if unit(video, shot, "roles") < 0.7 else ["", ""]
    cast = []
    for number in range(n_people):
        key = (video, shot, number)
        draw = unit(*key, "busy")
        hands = shuffled(sorted(HANDS), *key)[:2]
        cast.append(
            Actor(
                name=f"s{shot:02d}p{number}",
                box=_box(key, number, n_people),
                body=shuffled(sorted(BODY), *key)[:2],
                hands=hands if draw > 0.25 else ["", ""],
                role=roles[number] if number < len(roles) and n_people > 1 else "",
                watches=n_people > 1 and unit(*key, "watches") < 0.5,
                turn=2 + int(unit(*key, "turn") * (length - 3)),
                changes=("", "body", "hands")[int(unit(*key, "changes") * 3)],
            )
        )
    return cast


def _box(key: tuple[object, ...], number: int, n_people: int) -> Box:
    """A box in the person's own strip; two people stand near one another."""
    strip = 0.6 / n_people if n_people > 1 else 0.5
    left = 0.2 + number * strip + 0.1 * strip * unit(*key, "left")
    top = 0.1 + 0.2 * unit(*key, "top")
    bottom = 0.95 - 0.15 * unit(*key, "bottom")
    right = left + strip * (0.7 + 0.15 * unit(*key, "right"))
    if n_people == 1 and unit(*key, "close") < 0.1:
        left, top, right, bottom = 0.02, 0.02, 0.98, 0.98  # too close to the camera
    return (round(left, 3), round(top, 3), round(right, 3), round(bottom, 3))


def _swayed(box: Box, *key: object) -> Box:
    step = round(0.02 * (unit("sway", *box, *key) - 0.5), 3)
    x1, y1, x2, y2 = box
    return (round(x1 + step, 3), y1, round(x2 + step, 3), y2)
