"""D2: what does one of two people do, where the other's action is a trap?

Source: ActionLens, section 3.2; appendix C, fixes 2, 5, 19.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from evaluator.families.actionlens.builder.drafts import Draft, Option, clip_around, right
from evaluator.families.actionlens.builder.ledger import Ledger
from evaluator.families.actionlens.builder.scenes import (
    CROWDED,
    MAX_PEOPLE,
    MIN_PEOPLE,
    Lexicon,
    Moment,
    in_hash_order,
)
from evaluator.families.actionlens.diagnostics import TRAP

N_FURTHER = 2  # distractors beside the trap

NOTHING_OWN = "the person does nothing visible that the other does not"
NO_TRAP = "the other does nothing visible that is false of the person"
FEW_FURTHER = "fewer than two further actions are false of the person"


def actors(lexicon: Lexicon, seed: int, ledger: Ledger) -> Iterator[Draft]:
    """Questions on pairs; a candidate is one of two people of a scene, and the other."""
    for moment in lexicon.moments():
        if len(moment.people) < MIN_PEOPLE:
            continue
        for target, other in permutations(moment.people, 2):
            ledger.candidates["D2"] += 1
            found = _pair(moment, target, other, seed)
            if isinstance(found, str):
                ledger.reject("D2", found)
            else:
                yield found


def _pair(moment: Moment, target: str, other: str, seed: int) -> Draft | str:
    """The question, or why there is none."""
    if len(moment.people) > MAX_PEOPLE:
        return CROWDED
    fault = moment.fault((target, other))
    if fault:
        return fault
    lexicon = moment.lexicon
    key = f"D2 {moment.video} {moment.second} {target} {other}"
    own = moment.visual(target) - moment.actions(other)
    if not own:
        return NOTHING_OWN
    answer = in_hash_order(own, f"{key} own", seed)[0]
    # Whatever the person does during the clip is true of it, not a distractor.
    true = moment.actions_in_clip(target)
    traps = lexicon.apart_from(moment.visual(other), true)
    if not traps:
        return NO_TRAP
    trap = in_hash_order(traps, f"{key} trap", seed)[0]
    further = _further(moment, {target, other}, true | {trap}, key, seed)
    if len(further) < N_FURTHER:
        return FEW_FURTHER
    return Draft(
        diagnostic="D2",
        moment=moment,
        text="What is {blue} doing?",
        options=(
            right(lexicon.phrase(answer)),
            Option(lexicon.phrase(trap), TRAP),
            *(Option(lexicon.phrase(action), kind) for action, kind in further),
        ),
        people=(("red", other), ("blue", target)),
        seconds=moment.clip_seconds,
        clip=clip_around(moment.second),
    )


def _further(
    moment: Moment, pair: set[str], held: frozenset[str], key: str, seed: int
) -> list[tuple[str, str]]:
    """Two further distractors and their kinds; what bystanders do comes first."""
    lexicon = moment.lexicon
    done = frozenset().union(*(moment.actions_in_clip(person) for person in moment.people))
    bystanders = lexicon.visible(
        action
        for person in moment.people
        if person not in pair
        for action in moment.actions(person)
    )
    taken: list[tuple[str, str]] = []
    for pool, kind in ((bystanders, "scene"), (lexicon.vocabulary - done, "absent")):
        for action in in_hash_order(pool, f"{key} {kind}", seed):
            names = held | {name for name, _ in taken}
            if len(taken) < N_FURTHER and lexicon.apart_from([action], names):
                taken.append((action, kind))
    return taken
