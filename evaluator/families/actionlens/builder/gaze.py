"""D5: which of two people watches someone?

Source: ActionLens, section 3.2; appendix C, fixes 1 and 10; appendix D.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from evaluator.families.actionlens.builder.drafts import Draft, Option, clip_around
from evaluator.families.actionlens.builder.ledger import Ledger
from evaluator.families.actionlens.builder.sampling import round_robin
from evaluator.families.actionlens.builder.scenes import Lexicon, Moment, distance, in_hash_order
from evaluator.families.actionlens.diagnostics import GAZES, Gaze

MAX_DISTANCE = 0.35  # between centres, in fractions of the frame (fix 10)
N_PEOPLE = 2  # in the scene, or the watched one may have no box (fix 10)
MIN_AGREEING = 3  # seconds of the clip on which the label holds (appendix D)

NOT_TWO = "somebody else is in the scene"
DISTANT = "the two are far apart"
INCONSISTENT = "a label holds on fewer than three seconds of the clip"
UNBALANCED = "left out so that the four answers are as many"

_OPTIONS: tuple[tuple[Gaze, str], ...] = (
    ("only-red", "Only {red} is watching someone"),
    ("only-blue", "Only {blue} is watching someone"),
    ("both", "Both people are watching someone"),
    ("neither", "Neither person is watching anyone"),
)


def gazes(lexicon: Lexicon, seed: int, ledger: Ledger) -> Iterator[Draft]:
    """Questions on gaze, as many of each answer; a candidate is any two people of a scene."""
    found = []
    for moment in lexicon.moments():
        for pair in combinations(moment.people, 2):
            ledger.candidates["D5"] += 1
            draft = _pair(moment, pair, seed)
            if isinstance(draft, str):
                ledger.reject("D5", draft)
            else:
                found.append(draft)
    kept = balanced(found, seed)
    if len(kept) < len(found):
        ledger.reject("D5", UNBALANCED, len(found) - len(kept))
    yield from kept


def balanced(drafts: Iterable[Draft], seed: int) -> list[Draft]:
    """As many drafts of each answer, spread over videos."""
    by_gaze: dict[Gaze | None, dict[str, Draft]] = defaultdict(dict)
    for draft in drafts:
        by_gaze[draft.gaze][draft.id] = draft
    n_each = min(len(by_gaze[gaze]) for gaze, _ in GAZES)
    kept = []
    for gaze, _ in GAZES:
        videos = {id_: draft.moment.video for id_, draft in by_gaze[gaze].items()}
        kept += [by_gaze[gaze][id_] for id_ in round_robin(videos, n_each, seed)]
    return kept


def _pair(moment: Moment, pair: tuple[str, str], seed: int) -> Draft | str:
    """The question, or why there is none."""
    if any(len(moment.timeline.get(second, {})) > N_PEOPLE for second in moment.clip_seconds):
        return NOT_TWO
    fault = moment.fault(pair)
    if fault:
        return fault
    boxes = [moment.timeline[moment.second][person].box for person in pair]
    if distance(*boxes) > MAX_DISTANCE:
        return DISTANT
    watch = moment.lexicon.evidence.source.watch
    for person in pair:
        watches = watch in moment.actions(person)
        track = moment.track(person, moment.clip_seconds)
        if sum((watch in seen.actions) == watches for seen in track.values()) < MIN_AGREEING:
            return INCONSISTENT
    key = f"D5 {moment.video} {moment.second} {' '.join(pair)}"
    red, blue = in_hash_order(pair, key, seed)
    gaze = _gaze(watch in moment.actions(red), watch in moment.actions(blue))
    return Draft(
        diagnostic="D5",
        moment=moment,
        text="Which of the two people, {red} and {blue}, is watching someone?",
        options=tuple(Option(text, slug, is_right=slug == gaze) for slug, text in _OPTIONS),
        people=(("red", red), ("blue", blue)),
        seconds=moment.clip_seconds,
        clip=clip_around(moment.second),
        gaze=gaze,
    )


def _gaze(red: bool, blue: bool) -> Gaze:
    if red and blue:
        return "both"
    if red:
        return "only-red"
    return "only-blue" if blue else "neither"
