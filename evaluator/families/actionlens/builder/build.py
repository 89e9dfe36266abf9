"""From evidence to a bundle: questions of every diagnostic, on every track that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from evaluator.bundle import Benchmark, BootstrapPlan, Bundle, TrackPlan, json_lines
from evaluator.choices import choice_order
from evaluator.errors import BundleInvalid
from evaluator.families.actionlens.builder.actors import actors
from evaluator.families.actionlens.builder.concurrent import concurrent
from evaluator.families.actionlens.builder.drafts import Draft
from evaluator.families.actionlens.builder.evidence import Evidence, Source
from evaluator.families.actionlens.builder.gaze import gazes
from evaluator.families.actionlens.builder.interactions import interactions
from evaluator.families.actionlens.builder.ledger import Ledger
from evaluator.families.actionlens.builder.sampling import REVIEW_SIZE, review_subset, round_robin
from evaluator.families.actionlens.builder.scenes import Lexicon
from evaluator.families.actionlens.builder.transitions import transitions
from evaluator.families.actionlens.diagnostics import BY_CODE, Code
from evaluator.families.actionlens.tracks import RANKING, TRACKS
from evaluator.statistics.bootstrap import weights_digest

MAX_QUESTIONS = 2000  # of a diagnostic (section 3.4)
DRAWS, BOOTSTRAP_SEED, LEVEL = 10_000, 20_260_928, 0.95
MAX_SHIFT = 0.051  # of a letter's share of keys from a quarter (figure 2b)
N_ORDERS = 200  # seeded orders that are tried for it

BEYOND = "beyond the number of questions of a diagnostic"
PROVISIONAL = "Provisional: item validity has not been shown for this source"
PUBLIC_EVIDENCE = "Annotations behind the answers are public"

_BUILDERS: dict[Code, Callable[[Lexicon, int, Ledger], Iterator[Draft]]] = {
    "D1": transitions,
    "D2": actors,
    "D3": concurrent,
    "D4": interactions,
    "D5": gazes,
}
_ONLY: dict[str, tuple[Code, ...]] = {
    "relational-reference": ("D2", "D4"),  # appendix F
    "colours-swapped": ("D2",),  # appendix O
}
_REVIEW_ONLY = ("step-by-step", "plan-and-solve")  # appendix N


def build(
    evidence: Evidence,
    ledger: Ledger,
    *,
    seed: int,
    tracks: Sequence[str] = (RANKING,),
    max_questions: int = MAX_QUESTIONS,
    review_size: int = REVIEW_SIZE,
) -> Bundle:
    """The bundle of a source's evidence.

    Args:
        ledger: takes the account of what was rejected, and why.
        seed: of every choice and order.
        tracks: the ways of asking, the ranking track among them.
        max_questions: of each diagnostic; more are sampled over videos.

    Raises:
        BundleInvalid: the evidence gives no question, or a track is unknown.
    """
    known = {track.slug: track.title for track in TRACKS}
    unknown = [track for track in tracks if track not in known]
    if unknown or RANKING not in tracks:
        raise BundleInvalid(
            f"tracks must be {RANKING} and others of {', '.join(known)}; "
            f"found {', '.join(unknown) or 'no ' + RANKING}"
        )
    lexicon = Lexicon(evidence)
    drafts: list[Draft] = []
    for code in sorted(evidence.source.diagnostics):
        kept = _limited(
            list(_BUILDERS[code](lexicon, seed, ledger)), code, max_questions, seed, ledger
        )
        drafts += in_even_order(kept, seed)
        ledger.built[code] = len(kept)
    if not drafts:
        raise BundleInvalid("the evidence gives no question; the report says what was rejected")
    review = review_subset(
        {draft.id: (draft.diagnostic, draft.moment.video) for draft in drafts}, seed, review_size
    )
    asked = [
        (track, draft)
        for track in known
        if track in tracks
        for draft in drafts
        if draft.diagnostic in _ONLY.get(track, BY_CODE)
        and (track not in _REVIEW_ONLY or draft.id in review)
    ]
    present = {track for track, _ in asked}
    n_videos = len({draft.moment.video for draft in drafts})
    return Bundle(
        benchmark=_benchmark(
            evidence.source,
            {t: known[t] for t in known if t in present},
            n_videos,
            len(drafts),
            seed,
        ),
        questions=json_lines(
            _line(draft.question(track, review=draft.id in review)) for track, draft in asked
        ),
        truth=json_lines(_line(draft.truth(track)) for track, draft in asked),
    )


def in_even_order(drafts: Sequence[Draft], seed: int) -> list[Draft]:
    """The drafts of a diagnostic, their options in a seeded order that favours no letter.

    Options stand in the order of a seeded hash of (question, text). The first
    of 200 such orders counts under which each letter's share of the keys is
    within 5.1 points of a quarter, or else the most even one.
    """
    best: tuple[float, list[Draft]] = (2.0, list(drafts))
    for number in range(N_ORDERS):
        ordered = [_ordered(draft, f"{seed} {number}") for draft in drafts]
        shift = _largest_shift(ordered)
        if shift < best[0]:
            best = (shift, ordered)
        if shift <= MAX_SHIFT:
            break
    return best[1]


def _ordered(draft: Draft, seed: str) -> Draft:
    by_text = {option.text: option for option in draft.options}
    order = choice_order(draft.id, list(by_text), seed)
    return replace(draft, options=tuple(by_text[text] for text in order))


def _largest_shift(drafts: Sequence[Draft]) -> float:
    if not drafts:
        return 0.0
    keys = [draft.right_position for draft in drafts]
    return max(abs(keys.count(position) / len(keys) - 0.25) for position in range(4))


def _limited(drafts: list[Draft], code: Code, most: int, seed: int, ledger: Ledger) -> list[Draft]:
    """At most so many drafts, spread over videos; of D5 as many of each answer."""
    groups: dict[str, dict[str, str]] = {}
    for draft in drafts:
        groups.setdefault(draft.gaze or "", {})[draft.id] = draft.moment.video
    each = most // max(len(groups), 1)
    chosen = {
        id_ for _, videos in sorted(groups.items()) for id_ in round_robin(videos, each, seed)
    }
    if len(chosen) < len(drafts):
        ledger.reject(code, BEYOND, len(drafts) - len(chosen))
    return [draft for draft in drafts if draft.id in chosen]


def _line(item: Any) -> dict[str, Any]:  # Any: a Question or a Truth
    fields: dict[str, Any] = msgspec.to_builtins(item)
    return {
        key: value
        for key, value in fields.items()
        if value is not None and value is not False and value != []
    }


def _benchmark(
    source: Source, tracks: dict[str, str], n_videos: int, n_questions: int, seed: int
) -> Benchmark:
    note = PROVISIONAL if source.provisional else PUBLIC_EVIDENCE
    return Benchmark(
        name=source.name,
        title=source.title,
        family="actionlens",
        version=source.version,
        tracks=tuple(
            TrackPlan(slug=slug, title=title, answers="partly", note=note)
            for slug, title in tracks.items()
        ),
        rules="paper",
        cluster="video",
        bootstrap=BootstrapPlan(
            draws=DRAWS,
            seed=BOOTSTRAP_SEED,
            level=LEVEL,
            weights_sha256=weights_digest(n_videos, DRAWS, BOOTSTRAP_SEED),
        ),
        description=(
            f"{n_questions:,} single-answer questions about person-bound actions in clips of "
            f"{n_videos} videos, in up to five diagnostics."
        ),
        licence=source.licence,
        citation=source.citation,
        source=source.url,
        notes=(
            f"Built from annotations with seed {seed}; options are ordered by a seeded hash.",
            *(
                (f"{PROVISIONAL}: report its scores apart from others.",)
                if source.provisional
                else ()
            ),
        ),
    )
