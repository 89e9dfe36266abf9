"""Evidence written by hand, one person and stretch of seconds at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from evaluator.families.actionlens.builder.actors import actors
from evaluator.families.actionlens.builder.build import in_even_order
from evaluator.families.actionlens.builder.concurrent import concurrent
from evaluator.families.actionlens.builder.drafts import Draft
from evaluator.families.actionlens.builder.evidence import Evidence, read_evidence
from evaluator.families.actionlens.builder.gaze import gazes
from evaluator.families.actionlens.builder.interactions import interactions
from evaluator.families.actionlens.builder.ledger import Ledger
from evaluator.families.actionlens.builder.scenes import Lexicon
from evaluator.families.actionlens.builder.transitions import transitions
from evaluator.families.actionlens.diagnostics import Code

Item = dict[str, Any]
BUILDERS: dict[Code, Callable[..., Iterable[Draft]]] = {
    "D1": transitions,
    "D2": actors,
    "D3": concurrent,
    "D4": interactions,
    "D5": gazes,
}
SOURCE: Item = {
    "evidence": 1,
    "name": "by-hand",
    "title": "By hand",
    "diagnostics": ["D1", "D2", "D3", "D4", "D5"],
    "actions": [
        {"name": "stand", "phrase": "standing", "group": "posture"},
        {"name": "sit", "phrase": "sitting", "group": "posture"},
        {"name": "walk", "phrase": "walking", "group": "locomotion"},
        {"name": "hold", "phrase": "holding something", "group": "object-interaction"},
        {"name": "sweep", "phrase": "sweeping", "group": "daily-activity"},
        {"name": "paint", "phrase": "painting", "group": "daily-activity"},
        {"name": "ride", "phrase": "riding", "group": "daily-activity"},
        {"name": "drive", "phrase": "driving", "group": "daily-activity"},
        {"name": "wave", "phrase": "waving", "group": "person-interaction"},
        {"name": "talk", "phrase": "talking", "group": "person-interaction", "visual": False},
        {"name": "listen", "phrase": "listening", "group": "person-interaction", "visual": False},
        {"name": "watch", "phrase": "watching someone", "group": "observation"},
    ],
    "exclusive": [["ride", "drive"], ["sweep", "paint"]],
    "confusable": [["ride", "drive"]],
    "talk": "talk",
    "listen": "listen",
    "watch": "watch",
}


def stay(
    person: str,
    seconds: Iterable[int],
    *actions: str,
    box: tuple[float, ...] | None = None,
    video: str = "v",
) -> list[Item]:
    """Rows of one person who does the same for some seconds; each person has a strip."""
    left = 0.02 + 0.11 * int(person)
    place = box or (left, 0.1, left + 0.1, 0.9)
    return [
        {
            "video": video,
            "second": second,
            "person": person,
            "box": [round(edge, 3) for edge in place],
            "actions": list(actions),
        }
        for second in seconds
    ]


def far_away(*actions: str) -> list[Item]:
    """Somebody on another video who does things: they join the vocabulary and nothing else."""
    return stay("1", [900], *actions, video="elsewhere")


def evidence(rows: list[Item], source: Item = SOURCE) -> Evidence:
    data = "\n".join(json.dumps(line) for line in [source, *rows]).encode()
    ledger = Ledger()
    found = read_evidence(data, ledger)
    assert not ledger.bad_rows
    return found


def drafts(code: Code, rows: list[Item], seed: int = 1) -> tuple[list[Draft], Counter[str]]:
    """Questions of one diagnostic on video `v`, and why others were rejected."""
    ledger = Ledger()
    found = list(BUILDERS[code](Lexicon(evidence(rows)), seed, ledger))
    rejected = ledger.rejected[code]
    assert ledger.candidates[code] == len(found) + sum(rejected.values())
    kept = [draft for draft in found if draft.moment.video == "v"]
    return in_even_order(kept, seed), rejected
