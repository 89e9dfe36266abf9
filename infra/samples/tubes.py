"""A second source as an example: sports tubes brought into the common evidence schema.

A tube is one player's action from frame to frame, as MultiSports annotates it:
boxes in pixels, no actions but its own. The matches are invented; the adapter
is what a real source would need.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluator.bundle import json_lines
from infra.samples.chance import shuffled, unit

FRAMES_PER_SECOND = 25
WIDTH, HEIGHT = 1280, 720
ACTIONS = {
    "serve": "serving the ball",
    "receive": "receiving the ball",
    "set": "setting the ball",
    "spike": "spiking the ball",
    "block": "blocking at the net",
    "defend": "defending a spike",
    "save": "saving the ball",
    "no offensive attack": "sending the ball over without a spike",
}
N_MATCHES, N_PLAYERS, N_SECONDS = 12, 4, 40

TubeBox = tuple[int, float, float, float, float]  # frame, x1, y1, x2, y2 in pixels
Tube = tuple[str, Sequence[TubeBox]]  # action, boxes


def volleyball(name: str = "sample-volleyball") -> bytes:
    """An evidence file of invented matches."""
    matches = {f"match-{number:02d}": _match(number) for number in range(1, N_MATCHES + 1)}
    return json_lines([source(name), *rows(matches)])


def source(name: str) -> dict[str, Any]:
    """What tubes can support: who does what, and nothing about roles or gaze."""
    return {
        "evidence": 1,
        "name": name,
        "title": "Sample volleyball",
        "diagnostics": ["D2"],
        "actions": [
            {"name": action, "phrase": phrase, "group": "daily-activity"}
            for action, phrase in ACTIONS.items()
        ],
        "confusable": [["receive", "defend"], ["spike", "no offensive attack"]],
        "licence": "Apache-2.0",
        "citation": "Plumbline, sample benchmark.",
        "url": "Made by infra/samples; no such match was played.",
    }


def rows(matches: Mapping[str, Sequence[Tube]]) -> Iterator[dict[str, Any]]:
    """One row for each tube and whole second that it covers; boxes in fractions of the frame."""
    for video, tubes in matches.items():
        for number, (action, boxes) in enumerate(tubes):
            for frame, x1, y1, x2, y2 in boxes:
                if frame % FRAMES_PER_SECOND == 0:
                    corners = (x1 / WIDTH, y1 / HEIGHT, x2 / WIDTH, y2 / HEIGHT)
                    yield {
                        "video": video,
                        "second": frame // FRAMES_PER_SECOND,
                        "person": f"tube-{number}",
                        "box": [round(corner, 4) for corner in corners],
                        "actions": [action],
                    }


def _match(number: int) -> list[Tube]:
    """Tubes of a few players who act side by side."""
    tubes: list[Tube] = []
    for player in range(N_PLAYERS):
        second = 0
        while second < N_SECONDS - 6:
            key = (number, player, second)
            action = shuffled(sorted(ACTIONS), *key)[0]
            length = 4 + int(6 * unit(*key, "length"))
            first = second * FRAMES_PER_SECOND
            frames = range(first, first + length * FRAMES_PER_SECOND)
            left, top = 60 + 300 * player + 40 * unit(*key, "left"), 200 + 60 * unit(*key, "top")
            boxes = [(frame, left, top, left + 160, top + 380) for frame in frames]
            tubes.append((action, boxes))
            second += length + int(4 * unit(*key, "rest"))
    return tubes
