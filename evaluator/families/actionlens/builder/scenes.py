"""What a moment of a video shows, and the guards that every question passes.

Sources: ActionLens, section 3.2, appendix C (fixes and rounds) and table 5.
Thresholds that the paper does not print are ours and say so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from evaluator.choices import choice_order
from evaluator.families.actionlens.builder.evidence import Action, Box, Evidence, Sighting, Timeline

CLIP_RADIUS = 2  # annotated seconds on either side: a clip of 5 seconds (section 3.4)
CORE_RADIUS = 1  # seconds on either side at which everybody highlighted must be seen: ours
MAX_BOX_AREA = 0.60  # of the frame (fixes 11 and 18)
MAX_CENTRE_JUMP = 0.15  # of the frame between two seconds (fix 7)
MAX_PAIR_OVERLAP = 0.30  # IoU (fix 19, which prints no threshold: this one is ours)
MIN_PEOPLE, MAX_PEOPLE = 2, 7  # in the scene of a pair (table 5)

NOT_SEEN = "somebody is not seen in the middle of the clip and a second to either side"
TOO_LARGE = "a box covers more than 60 % of the frame"
OVERLAPPING = "the two boxes overlap"
CROWDED = f"more than {MAX_PEOPLE} people in the scene"
JUMPING = "the box jumps between two seconds"


@dataclass(frozen=True, slots=True)
class Moment:
    """One second of a video, and the seconds around it.

    `lexicon` is the evidence it belongs to.
    """

    lexicon: Lexicon
    video: str
    second: int

    @property
    def timeline(self) -> Timeline:
        return self.lexicon.evidence.videos[self.video]

    @property
    def people(self) -> list[str]:
        return sorted(self.timeline.get(self.second, {}))

    @property
    def clip_seconds(self) -> range:
        return range(self.second - CLIP_RADIUS, self.second + CLIP_RADIUS + 1)

    def actions(self, person: str) -> frozenset[str]:
        """Everything the person does at this second."""
        return self.timeline[self.second][person].actions

    def visual(self, person: str) -> frozenset[str]:
        """What can be seen of it in muted video."""
        return self.lexicon.visible(self.actions(person))

    def actions_in_clip(self, person: str) -> frozenset[str]:
        """Everything the person does at any second of the clip."""
        sightings = (self.timeline.get(second, {}).get(person) for second in self.clip_seconds)
        return frozenset().union(*(seen.actions for seen in sightings if seen))

    def track(self, person: str, seconds: Iterable[int]) -> dict[int, Sighting]:
        """The person at those of the seconds where it is seen; oversized boxes are dropped."""
        found = ((second, self.timeline.get(second, {}).get(person)) for second in seconds)
        return {
            second: seen
            for second, seen in found
            if seen is not None and area(seen.box) <= MAX_BOX_AREA
        }

    def fault(self, people: Sequence[str]) -> str | None:
        """Why these people cannot be highlighted through the clip; None if they can."""
        tracks = [self.track(person, self.clip_seconds) for person in people]
        core = range(self.second - CORE_RADIUS, self.second + CORE_RADIUS + 1)
        for person, track in zip(people, tracks, strict=True):
            lost = [second for second in core if second not in track]
            if any(person in self.timeline.get(second, {}) for second in lost):
                return TOO_LARGE
            if lost:
                return NOT_SEEN
        for first, second in combinations(tracks, 2):
            if any(
                overlap_of(first[at].box, second[at].box) > MAX_PAIR_OVERLAP
                for at in first.keys() & second.keys()
            ):
                return OVERLAPPING
        return None


class Lexicon:
    """A source's actions: what can be seen, said together, and told apart."""

    def __init__(self, evidence: Evidence) -> None:
        source = evidence.source
        self.evidence = evidence
        self.actions: dict[str, Action] = {action.name: action for action in source.actions}
        self._exclusive = [frozenset(group) for group in source.exclusive]
        self._confusable = {frozenset(pair) for pair in source.confusable}
        self.vocabulary = self.visible(
            action
            for timeline in evidence.videos.values()
            for people in timeline.values()
            for seen in people.values()
            for action in seen.actions
        )

    def moments(self) -> Iterator[Moment]:
        """Every annotated second, in a fixed order."""
        for video in sorted(self.evidence.videos):
            for second in sorted(self.evidence.videos[video]):
                yield Moment(self, video, second)

    def visible(self, actions: Iterable[str]) -> frozenset[str]:
        return frozenset(action for action in actions if self.actions[action].visual)

    def phrase(self, action: str) -> str:
        return self.actions[action].phrase

    def is_of_body(self, action: str) -> bool:
        """Posture or locomotion: each person has one at a time."""
        return self.actions[action].group in ("posture", "locomotion")

    def can_go_together(self, first: str, second: str) -> bool:
        """Whether one person can physically do both (section 3.2, D3)."""
        if first == second or (self.is_of_body(first) and self.is_of_body(second)):
            return False
        return not any(first in group and second in group for group in self._exclusive)

    def is_confusable(self, first: str, second: str) -> bool:
        return frozenset((first, second)) in self._confusable

    def apart_from(self, candidates: Iterable[str], actions: Iterable[str]) -> list[str]:
        """Candidates that neither are one of the actions nor look like one."""
        held = set(actions)
        return sorted(
            candidate
            for candidate in candidates
            if candidate not in held
            and not any(self.is_confusable(candidate, action) for action in held)
        )


def in_hash_order(candidates: Iterable[str], key: str, seed: int) -> list[str]:
    """Distinct candidates in an order that the key and the seed decide."""
    return choice_order(key, sorted(set(candidates)), seed)


def area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def overlap_of(first: Box, second: Box) -> float:
    """Intersection over union."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    shared = max(width, 0.0) * max(height, 0.0)
    return shared / (area(first) + area(second) - shared)


def centre(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def distance(first: Box, second: Box) -> float:
    """Between the centres, in fractions of the frame."""
    return math.dist(centre(first), centre(second))


def place_in_words(people: dict[str, Sighting], person: str) -> str:
    """Who it is from left to right: `the second person from the left` (appendix F)."""
    order = sorted(people, key=lambda name: (centre(people[name].box)[0], name))
    rank, last = order.index(person), len(order) - 1
    if last == 0:
        return "the person"
    if rank == 0:
        return "the leftmost person"
    if rank == last:
        return "the rightmost person"
    return f"the {_ORDINALS[rank]} person from the left"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
