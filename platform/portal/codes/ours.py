"""Codes of our own faults: services that are away, scoring that came to no end."""

from __future__ import annotations

from portal.codes.entry import Code

SEND_AGAIN = (
    "Try again after a moment; answers say how long, in `Retry-After`. The form keeps its key and "
    "scripts send the same `Idempotency-Key`: sent twice, it is still one submission."
)

OF_SERVICES = (
    Code(
        "infra.database",
        "The database is away",
        "The site's database does not answer. What was accepted before is safe.",
        SEND_AGAIN,
        status=503,
        retry_after=5,
        is_retried=True,
    ),
    Code(
        "infra.busy",
        "The site is too busy",
        "The database answers, yet could not do this in time.",
        SEND_AGAIN,
        status=503,
        retry_after=5,
        is_retried=True,
    ),
    Code(
        "infra.store",
        "The file store is away",
        "The store of files cannot be reached. What was accepted before is safe.",
        SEND_AGAIN + " A submission that failed with this code wants its file again.",
        status=503,
        retry_after=5,
        is_retried=True,
    ),
    Code(
        "infra.disk_full",
        "No room at the moment",
        "A disk of this site is full; nothing of the request was kept. What was accepted "
        "before is safe.",
        SEND_AGAIN,
        status=503,
        retry_after=30,
        is_retried=True,
    ),
    Code(
        "infra.file_damaged",
        "A stored file is damaged",
        "A file in our store is missing, or is not what its digest says.",
        "A submission that failed with this code wants its file again. The maintainers can see it.",
        status=503,
        retry_after=60,
        is_retried=True,
    ),
    Code(
        "infra.board",
        "The board does not answer",
        "The process that draws the boards is starting, or away. Results and submissions are "
        "not touched.",
        "Wait: the page asks again by itself.",
        status=503,
        retry_after=2,
    ),
    Code(
        "infra.internal",
        "Something broke here",
        "The fault is ours and has been logged. What you sent before is safe; this one request "
        "was not carried out.",
        "Try it once more, and write to the maintainers if it happens again.",
        status=500,
    ),
    Code(
        "infra.worker_lost",
        "The worker was lost",
        "The worker that scored this stopped without a word, more than once.",
        "The file is kept and the maintainers can see it; write to them if it happens again.",
        is_retried=True,
    ),
)

OF_SCORING = (
    Code(
        "scorer.crashed",
        "The scorer crashed",
        "The scorer crashed on this file, more than once.",
        "The file is kept and the maintainers can see it.",
        is_retried=True,
    ),
    Code(
        "scorer.memory",
        "Too much memory",
        "Scoring this file needs more memory than a submission may use.",
        "Check that it holds nothing beyond the answers.",
    ),
    Code(
        "scorer.time",
        "Too much time",
        "Scoring this file takes longer than a submission may take.",
        "Check that it holds nothing beyond the answers.",
    ),
    Code(
        "scorer.version_unusable",
        "The version cannot be scored",
        "This version of the benchmark cannot be scored at the moment.",
        "The maintainers have to look at it; the file is kept.",
    ),
    Code(
        "scorer.internal",
        "Scoring failed",
        "Something went wrong in our scoring, more than once.",
        "The file is kept and the maintainers can see it.",
        is_retried=True,
    ),
)
