"""What the page of a submission says about its state and record."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from portal.services import StatusDocument
from portal.services.values import SubmissionDocument
from portal.site.templatetags.site_text import size, thousands


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a list of facts: a text or a time.

    Attributes:
        is_code: a digest or an id, set in a fixed width.
        is_name: words of a stranger.
    """

    title: str
    text: str = ""
    time: datetime | None = None
    url: str = ""
    is_code: bool = False
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class ServiceLine:
    """One line of the services on the status page; `is_up` is None where nobody knows."""

    title: str
    is_up: bool | None
    note: str = ""
    time: datetime | None = None


def service_lines(status: StatusDocument) -> list[ServiceLine]:
    """The services of the house, each with what stands beside it."""
    found, workers = status["services"], status["workers"]
    n_slots = sum(worker["n_slots"] for worker in workers)
    at_once = f"{thousands(len(workers))} at work, {thousands(n_slots)} files at once"
    seen_at = None if found["housekeeping"] else found["housekeeping_seen_at"]
    return [
        ServiceLine("Database", found["database"], "submissions, scores, boards"),
        ServiceLine("Store of uploads", found["uploads"], "files that were handed in"),
        ServiceLine("Store of questions", found["questions"], "what anybody may download"),
        ServiceLine("Broker", found["broker"], "tells workers at once; works without, slower"),
        ServiceLine(
            "Workers",
            bool(workers) if found["database"] else None,
            at_once if workers else "they score",
        ),
        ServiceLine(
            "Housekeeping",
            found["housekeeping"],
            "last seen" if seen_at else "mends what was interrupted",
            seen_at,
        ),
    ]


def is_settled(submission: SubmissionDocument) -> bool:
    """Nothing about it changes by itself any more."""
    if submission["state"] == "scored":
        return submission["intervals"] != "pending"
    return submission["state"] not in ("waiting", "running")


def announcement(submission: SubmissionDocument) -> str:
    """What a screen reader says when the state has changed."""
    state, headline = submission["state"], submission["headline"]
    if state == "waiting":
        return f"Waiting. {submission['wait_text']}"
    if state == "scored" and headline is not None:
        return f"Scored: {headline['metric_title']} {headline['text']} percent."
    if state == "rejected":
        return f"Rejected: {thousands(submission['n_problems'])} problems."
    return f"{state.capitalize()}."


def record(submission: SubmissionDocument) -> list[Fact]:
    """The lines of the list beside the state."""
    facts = [
        Fact("Team", submission["team"], is_name=True),
        Fact("File", submission["file_name"], is_name=True),
        Fact("Size", size(submission["file_bytes"])),
        Fact("SHA-256", submission["file_digest"], is_code=True),
        Fact("Submitted", time=submission["created_at"]),
        Fact("Finished", time=submission["finished_at"]),
        Fact("Evaluator", submission["evaluator_version"], is_code=True),
        Fact("Number", str(submission["id"]), is_code=True),
    ]
    return [fact for fact in facts if fact.text or fact.time]
