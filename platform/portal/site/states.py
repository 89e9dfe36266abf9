"""What the page of a submission says about its state and record."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from portal.services.values import ShownScore, SubmissionState
from portal.site.templatetags.site_text import place_in_line, size, thousands


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


def announcement(submission: SubmissionState, primary: ShownScore | None) -> str:
    """What a screen reader says when the state has changed."""
    if submission.state == "waiting" and submission.position:
        return f"Waiting. {place_in_line(submission.position)}."
    if submission.state == "scored" and primary is not None:
        return f"Scored: {primary.metric_title} {primary.text} percent."
    if submission.state == "rejected":
        return f"Rejected: {thousands(submission.n_problems)} problems."
    return f"{submission.state.capitalize()}."


def record(submission: SubmissionState) -> list[Fact]:
    """The lines of the list beside the state."""
    facts = [
        Fact("File", submission.file_name, is_name=True),
        Fact("Size", size(submission.file_bytes)),
        Fact("SHA-256", submission.file_digest, is_code=True),
        Fact("Submitted", time=submission.created_at),
        Fact("Finished", time=submission.finished_at),
        Fact("Number", str(submission.id), is_code=True),
    ]
    return [fact for fact in facts if fact.text or fact.time]
