"""D1: from which action to which does a person change?

Source: ActionLens, section 3.2; appendix C, fixes 4, 7, 8, 13.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from evaluator.families.actionlens.builder.drafts import Draft, Option, right
from evaluator.families.actionlens.builder.evidence import Sighting
from evaluator.families.actionlens.builder.ledger import Ledger
from evaluator.families.actionlens.builder.scenes import (
    JUMPING,
    MAX_BOX_AREA,
    MAX_CENTRE_JUMP,
    TOO_LARGE,
    Lexicon,
    Moment,
    area,
    centre,
)

MIN_STABLE = 2  # seconds before and after the boundary
MAX_STABLE = 5  # on either side: clips of 4 to 10 seconds

NO_SUCCESSOR = "no action takes the place of another"
UNSTABLE = "an action is not stable for two seconds on either side"
SEVERAL = "several actions change at once"
AUDITORY = "what ends, or what begins, can only be heard"
CONFUSABLE = "the two actions cannot be told apart by sight"
NOT_ALONE = "somebody else is in the scene"


def transitions(lexicon: Lexicon, seed: int, ledger: Ledger) -> Iterator[Draft]:
    """Questions on changes; a candidate is any change of one person between two seconds."""
    del seed  # nothing is left to chance but the order of options
    for after in lexicon.moments():
        before = Moment(lexicon, after.video, after.second - 1)
        for person in after.people:
            if person not in before.people or before.actions(person) == after.actions(person):
                continue
            ledger.candidates["D1"] += 1
            found = _change(before, after, person)
            if isinstance(found, str):
                ledger.reject("D1", found)
            else:
                yield found


def _change(before: Moment, after: Moment, person: str) -> Draft | str:
    """The question, or why there is none."""
    lexicon = after.lexicon
    lost = before.actions(person) - after.actions(person)
    gained = after.actions(person) - before.actions(person)
    if not lost or not gained:
        return NO_SUCCESSOR
    lost, gained = lexicon.visible(lost), lexicon.visible(gained)
    if not lost or not gained:
        return AUDITORY
    if len(lost) > 1 or len(gained) > 1:
        return SEVERAL
    (old,), (new,) = lost, gained
    if lexicon.is_confusable(old, new):
        return CONFUSABLE
    back = _stable(before, person, old, new, step=-1)
    ahead = _stable(after, person, new, old, step=1)
    if min(len(back), len(ahead)) < MIN_STABLE:
        return UNSTABLE
    # Centred on the boundary, as long as both sides last.
    half = min(len(back), len(ahead), MAX_STABLE)
    seen = [*reversed(back[:half]), *ahead[:half]]
    fault = _fault(after, before.second - half + 1, seen)
    if fault:
        return fault
    return _question(after, person, old, new, half)


def _stable(moment: Moment, person: str, present: str, absent: str, step: int) -> list[Sighting]:
    """Sightings from a moment on while one action lasts and the other stays away."""
    found = []
    second = moment.second
    while seen := moment.timeline.get(second, {}).get(person):
        if present not in seen.actions or absent in seen.actions:
            break
        found.append(seen)
        second += step
    return found


def _fault(moment: Moment, start: int, seen: list[Sighting]) -> str | None:
    if any(len(moment.timeline[second]) > 1 for second in range(start, start + len(seen))):
        return NOT_ALONE
    if any(area(sighting.box) > MAX_BOX_AREA for sighting in seen):
        return TOO_LARGE
    for one, two in pairwise(seen):
        x, y = (abs(a - b) for a, b in zip(centre(one.box), centre(two.box), strict=True))
        if max(x, y) > MAX_CENTRE_JUMP:
            return JUMPING
    return None


def _question(after: Moment, person: str, old: str, new: str, half: int) -> Draft:
    was, becomes = after.lexicon.phrase(old), after.lexicon.phrase(new)
    boundary = after.second - 0.5
    return Draft(
        diagnostic="D1",
        moment=after,
        text="What action transition does {red} undergo?",
        options=(
            right(f"From {was} to {becomes}"),
            Option(f"From {becomes} to {was}", "reversal"),
            Option(f"Only {was} throughout", "static-before"),
            Option(f"Only {becomes} throughout", "static-after"),
        ),
        people=(("red", person),),
        seconds=range(after.second - half, after.second + half),
        clip=(boundary - half, boundary + half),
        transition=after.lexicon.actions[new].group,
    )
