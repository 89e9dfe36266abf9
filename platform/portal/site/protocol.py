"""A version's protocol in sentences: what is public, how intervals are made, its facts."""

from __future__ import annotations

from urllib.parse import urlsplit

from portal.services.values import VersionDetail
from portal.site.states import Fact

ANSWERS = {
    "public": "the answers are public, so a high score may have been fitted to them",
    "partly": "the answers are partly public",
    "hidden": "the answers are hidden; what is shown is rounded, and small slices are withheld",
}
FILES = {
    "questions.jsonl": "Questions",
    "truth.jsonl": "Truth",
    "references.csv": "Reported results",
    "differences.csv": "Reported differences",
}


def what_is_public(detail: VersionDetail) -> list[str]:
    """For each track, how far the world knows its answers."""
    return [
        f"{track.title}: {ANSWERS[track.answers]}."
        + (f" {track.note[:1].upper()}{track.note[1:]}." if track.note else "")
        for track in detail.version.tracks
    ]


def resampling(detail: VersionDetail) -> str:
    """How the intervals of a version come about."""
    definition, plan = detail.definition, detail.definition.bootstrap
    return (
        f"Intervals come from {plan.draws:,} resamplings of whole {definition.cluster}s, the same "
        f"for every system of this version (seed {plan.seed}); they are made to hold the true "
        f"value in {plan.level:.0%} of cases. Differences are paired on the same draws. Answers "
        f"are counted under the rules “{definition.rules}”."
    )


def facts(detail: VersionDetail) -> list[Fact]:
    """The lines of the list of facts; digests are SHA-256."""
    definition = detail.definition
    source = definition.source
    is_link = urlsplit(source).scheme == "https" and " " not in source
    found = [
        Fact("Address", definition.address, is_code=True),
        Fact("Licence", definition.licence),
        Fact("Source", source, url=source if is_link else ""),
        Fact("Opened", time=detail.version.opened_at),
    ]
    found += [
        Fact(FILES.get(file, file), digest, is_code=True)
        for file, digest in definition.digests.items()
    ]
    return [fact for fact in found if fact.text or fact.time]
