"""D3: which two actions does a person perform at the same time?

Source: ActionLens, section 3.2; appendix C, fixes 3 and 22.
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.families.actionlens.builder.drafts import Draft, Option, clip_around, right
from evaluator.families.actionlens.builder.ledger import Ledger
from evaluator.families.actionlens.builder.scenes import Lexicon, Moment, in_hash_order

NOT_TWO = "the person does not do exactly two visible actions"
NOT_ALONE = "somebody else is in the scene"
IMPOSSIBLE = "the two actions exclude one another"
FEW_PAIRS = "fewer than three distractor pairs are false and possible"

Pair = tuple[str, str]


def concurrent(lexicon: Lexicon, seed: int, ledger: Ledger) -> Iterator[Draft]:
    """Questions on people who do two things; a candidate is any person at any second."""
    for moment in lexicon.moments():
        for person in moment.people:
            ledger.candidates["D3"] += 1
            found = _both(moment, person, seed)
            if isinstance(found, str):
                ledger.reject("D3", found)
            else:
                yield found


def _both(moment: Moment, person: str, seed: int) -> Draft | str:
    """The question, or why there is none."""
    lexicon = moment.lexicon
    if len(moment.visual(person)) != 2:
        return NOT_TWO
    if any(len(moment.timeline.get(second, {})) > 1 for second in moment.clip_seconds):
        return NOT_ALONE
    fault = moment.fault((person,))
    if fault:
        return fault
    first, second = sorted(moment.visual(person))
    if not lexicon.can_go_together(first, second):
        return IMPOSSIBLE
    key = f"D3 {moment.video} {moment.second} {person}"
    false = in_hash_order(
        lexicon.apart_from(lexicon.vocabulary, moment.actions_in_clip(person)), key, seed
    )
    wrong = _wrong_pairs(lexicon, first, second, false)
    if wrong is None:
        return FEW_PAIRS
    return Draft(
        diagnostic="D3",
        moment=moment,
        text="Which pair of actions is {red} performing at the same time?",
        options=(
            right(_worded(lexicon, (first, second))),
            *(Option(_worded(lexicon, pair), kind) for pair, kind in wrong),
        ),
        people=(("red", person),),
        seconds=moment.clip_seconds,
        clip=clip_around(moment.second),
    )


def _wrong_pairs(
    lexicon: Lexicon, first: str, second: str, false: list[str]
) -> list[tuple[Pair, str]] | None:
    """One pair with either action changed and one with both; each possible, no action twice."""

    def possible(kept: str, used: set[str]) -> str | None:
        usable = (a for a in false if a not in used and lexicon.can_go_together(kept, a))
        return next(usable, None)

    one = possible(first, set())
    other = possible(second, {one} if one else set())
    if one is None or other is None:
        return None
    fresh = [action for action in false if action not in (one, other)]
    both = next(
        (
            (a, b)
            for n, a in enumerate(fresh)
            for b in fresh[n + 1 :]
            if lexicon.can_go_together(a, b)
        ),
        None,
    )
    if both is None:
        return None
    return [((first, one), "one-changed"), ((other, second), "one-changed"), (both, "both-changed")]


def _worded(lexicon: Lexicon, pair: Pair) -> str:
    """`carrying something while walking`: what the body does comes last."""
    first, second = sorted(pair, key=lambda a: (lexicon.is_of_body(a), lexicon.phrase(a)))
    return f"{lexicon.phrase(first)} while {lexicon.phrase(second)}"
