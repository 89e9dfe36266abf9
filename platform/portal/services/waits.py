"""What somebody who waits is told, in words: never more exact than what was measured."""

from __future__ import annotations

from collections.abc import Mapping

from portal.evaluations import failures
from portal.evaluations.waiting import Span, Wait

NOBODY = "No worker is listening at the moment; the maintainers have been told."
UNMEASURED = "How long it takes has not been measured yet."

MINUTE, HOUR = 60, 3600
# What people round to; a span is given between two of these.
STEPS = (
    *(1, 2, 3, 5, 10, 15, 20, 30, 45),
    *(MINUTE * n for n in (1, 2, 3, 5, 10, 15, 20, 30, 45)),
    *(HOUR * n for n in (1, 2, 3, 4, 6, 8, 12, 18, 24)),
)
LONGEST = STEPS[-1]

# Why an attempt came to no end, behind "The attempt before this one came to no end: ".
_BECAUSE: Mapping[str, str] = {
    failures.STORE_AWAY: "our file store did not answer",
    failures.DATABASE_AWAY: "our database did not answer",
    failures.DATABASE_BUSY: "our database was too busy",
    failures.DISK_FULL: "a disk of ours was full",
    failures.FILE_DAMAGED: "the stored file did not arrive whole",
    failures.WORKER_LOST: "the worker that had it stopped",
    failures.SCORER_CRASHED: "the scorer crashed",
    failures.INTERNAL: "something went wrong in our scoring",
}
_OURS = "something went wrong on our side"


def wait_text(wait: Wait) -> str:
    """How a waiting submission stands, in a sentence or three."""
    sentences = [] if wait.due_seconds is None else [again_text(wait.due_seconds)]
    sentences.append(place_text(wait.position))
    if not wait.n_slots:
        sentences.append(NOBODY)
    elif wait.expected is None:
        sentences.append(UNMEASURED)
    else:
        sentences.append(f"Its score is expected {span_text(wait.expected)}.")
    return " ".join(sentences)


def place_text(position: int) -> str:
    """`Next in line.` or `3 are before this one.`; positions count from 1."""
    before = position - 1
    if before <= 0:
        return "Next in line."
    return "1 submission is before this one." if before == 1 else f"{before:,} are before this one."


def again_text(due_seconds: float) -> str:
    """When an interrupted scoring is taken up again."""
    return f"It is tried again in {_words(max(1.0, round(due_seconds)))}."


def interruption_text(code: str) -> str:
    """Why scoring was begun once more."""
    because = _BECAUSE.get(code, _OURS)
    return f"The attempt before this one came to no end: {because}. No quota is used by that."


def span_text(span: Span) -> str:
    """A span as people would say it: `within 5 s`, `in 10 to 30 s`, `in about 2 min`."""
    if span.high >= LONGEST:
        return "in more than a day" if span.middle >= LONGEST else "in a day or more"
    low = max((step for step in STEPS if step <= span.middle), default=0)
    high = next(step for step in STEPS if step >= span.high)
    if low == 0 or high <= STEPS[3]:
        return f"within {_words(high)}"
    if low == high:
        return f"in about {_words(high)}"
    low_words, high_words = _words(low), _words(high)
    if low_words.split()[1] == high_words.split()[1]:
        low_words = low_words.split()[0]
    return f"in {low_words} to {high_words}"


def rounded(seconds: float) -> float:
    """Two digits that count: an estimate holds no more."""
    return float(f"{seconds:.2g}")


def _words(seconds: float) -> str:
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    if seconds < HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds / HOUR:.0f} h"
