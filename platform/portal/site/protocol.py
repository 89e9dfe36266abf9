"""A version's protocol in sentences: what is public, how intervals are made, its facts."""

from __future__ import annotations

from urllib.parse import urlsplit

from portal.services.values import FamilyDocument, VersionDetail
from portal.site.states import Fact
from portal.site.templatetags.site_text import percent

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


def track_description(family: FamilyDocument, track: str) -> str:
    """How a track asks, in a sentence; empty where its family does not say."""
    return next((t["description"] for t in family["tracks"] if t["slug"] == track), "")


def what_is_public(edition: VersionDetail) -> list[str]:
    """For each track, how far the world knows its answers."""
    return [
        f"{track['title']}: {ANSWERS[track['answers']]}."
        + (f" {track['note'][:1].upper()}{track['note'][1:]}." if track["note"] else "")
        for track in edition["tracks"]
    ]


def resampling(edition: VersionDetail) -> str:
    """How the intervals of a version come about."""
    plan = edition["bootstrap"]
    return (
        f"Intervals come from {plan['draws']:,} resamplings of whole {edition['cluster']}s, the "
        f"same for every system of this version (seed {plan['seed']}); they are made to hold the "
        f"true value in {percent(plan['level'])} of cases. Differences are paired on the same "
        f"draws. Answers are counted under the rules “{edition['rules']}”."
    )


def facts(edition: VersionDetail) -> list[Fact]:
    """The lines of the list of facts; digests are SHA-256."""
    source = edition["source"]
    is_link = urlsplit(source).scheme == "https" and " " not in source
    found = [
        Fact("Address", f"{edition['benchmark']}@{edition['version']}", is_code=True),
        Fact("Licence", edition["licence"]),
        Fact("Source", source, url=source if is_link else ""),
        Fact("Opened", time=edition["opened_at"]),
    ]
    found += [
        Fact(FILES.get(file, file), digest, is_code=True)
        for file, digest in edition["digests"].items()
    ]
    return [fact for fact in found if fact.text or fact.time]
