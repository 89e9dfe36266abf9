"""D4: who talks, who listens, and what does each do meanwhile?

Source: ActionLens, section 3.2; appendix C, fixes 6, 9, 16; appendix D.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from evaluator.families.actionlens.builder.drafts import Draft, Option, clip_around, right
from evaluator.families.actionlens.builder.ledger import Ledger
from evaluator.families.actionlens.builder.scenes import (
    CROWDED,
    MAX_PEOPLE,
    Lexicon,
    Moment,
    in_hash_order,
)
from evaluator.families.actionlens.diagnostics import Colour

# The scene pool: visible actions of the same video within so many seconds. The paper
# draws from "the scene pool" without saying how far a scene reaches: ours.
SCENE_SECONDS = 30
N_ALTERNATIVES = 2  # with fewer the question has three options

SAME_ROLE = "the two are not one who talks and one who listens"
SHARED = "one of the two does nothing visible of their own"
CONFUSABLE = "their own actions cannot be told apart by sight"


def interactions(lexicon: Lexicon, seed: int, ledger: Ledger) -> Iterator[Draft]:
    """Questions on talk between two; a candidate is any two people of a scene."""
    for moment in lexicon.moments():
        for pair in combinations(moment.people, 2):
            ledger.candidates["D4"] += 1
            found = _exchange(moment, pair, seed)
            if isinstance(found, str):
                ledger.reject("D4", found)
            else:
                yield found


def _exchange(moment: Moment, pair: tuple[str, str], seed: int) -> Draft | str:
    """The question, or why there is none."""
    lexicon, source = moment.lexicon, moment.lexicon.evidence.source
    talkers = [p for p in pair if _role(moment, p) == source.talk]
    listeners = [p for p in pair if _role(moment, p) == source.listen]
    if len(talkers) != 1 or len(listeners) != 1:
        return SAME_ROLE
    if len(moment.people) > MAX_PEOPLE:
        return CROWDED
    fault = moment.fault(pair)
    if fault:
        return fault
    key = f"D4 {moment.video} {moment.second} {' '.join(pair)}"
    talker, listener = talkers[0], listeners[0]
    own = []
    for person, partner in ((talker, listener), (listener, talker)):
        # Unique through the clip, else the swapped options would hold too.
        unique = moment.visual(person) - moment.actions_in_clip(partner)
        if not unique:
            return SHARED
        own.append(in_hash_order(unique, f"{key} own", seed)[0])
    if lexicon.is_confusable(*own):
        return CONFUSABLE
    red, blue = in_hash_order(pair, f"{key} colours", seed)
    return _draft(moment, {talker: "talking", listener: "listening"}, own, (red, blue), key, seed)


def _role(moment: Moment, person: str) -> str | None:
    """Talk or listen; None for neither and for both."""
    source = moment.lexicon.evidence.source
    roles = moment.actions(person) & {source.talk, source.listen}
    return next(iter(roles)) if len(roles) == 1 else None


def _draft(
    moment: Moment,
    roles: dict[str, str],
    own: list[str],
    colours: tuple[str, str],
    key: str,
    seed: int,
) -> Draft:
    lexicon = moment.lexicon
    talker, listener = roles
    does = dict(zip((talker, listener), own, strict=True))
    swapped_roles = {talker: roles[listener], listener: roles[talker]}
    swapped_deeds = {talker: does[listener], listener: does[talker]}
    people: tuple[tuple[Colour, str], ...] = (("red", colours[0]), ("blue", colours[1]))

    def told(said: dict[str, str], done: dict[str, str]) -> str:
        return " while ".join(
            f"{{{colour}}} is {said[person]} and {lexicon.phrase(done[person])}"
            for colour, person in people
        )

    options = [
        right(told(roles, does)),
        Option(told(swapped_roles, does), "role-swap"),
        Option(told(roles, swapped_deeds), "co-action-swap"),
    ]
    pool = in_hash_order(_scene_pool(moment, (talker, listener)), f"{key} scene", seed)
    if len(pool) >= N_ALTERNATIVES:
        other = dict(zip((talker, listener), pool, strict=False))
        options.append(Option(told(roles, other), "scene-alternative"))
    return Draft(
        diagnostic="D4",
        moment=moment,
        text="How are {red} and {blue} interacting?",
        options=tuple(options),
        people=people,
        seconds=moment.clip_seconds,
        clip=clip_around(moment.second),
    )


def _scene_pool(moment: Moment, pair: tuple[str, str]) -> list[str]:
    """Visible actions seen around the moment that are false of both people."""
    lexicon = moment.lexicon
    nearby = lexicon.visible(
        action
        for second in range(moment.second - SCENE_SECONDS, moment.second + SCENE_SECONDS + 1)
        for seen in moment.timeline.get(second, {}).values()
        for action in seen.actions
    )
    true = frozenset().union(*(moment.actions_in_clip(person) for person in pair))
    return lexicon.apart_from(nearby, true)
