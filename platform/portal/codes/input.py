"""Codes of what was sent: of requests, and of the files in them."""

from __future__ import annotations

from evaluator.codes import PROBLEM_KINDS
from portal.codes.entry import Code

# Kinds of problems that refuse a file at once; the others are found when it is scored.
_STATUS_OF_PROBLEM = {"CONTAINER": 415, "EMPTY": 422}

OF_FILES = tuple(
    Code(
        f"input.{kind.word}",
        kind.title,
        kind.meaning,
        kind.remedy,
        status=_STATUS_OF_PROBLEM.get(kind.word),
    )
    for kind in PROBLEM_KINDS.values()
)

OF_REQUESTS = (
    Code(
        "input.malformed",
        "This request could not be read",
        "Its address, its form or its JSON is broken off or not what its header says, or it "
        "holds a character that cannot be stored. Nothing was changed.",
        "Send it again in whole; `/api/v1/docs` shows what each address wants.",
        status=400,
    ),
    Code(
        "input.FIELD",
        "A field is not as it should be",
        "One field of a request is missing or holds something else than wanted. It stands in "
        "the list of problems of `input.fields`.",
        "Mend the field that `where` names.",
    ),
    Code(
        "input.fields",
        "Some fields are not as they should be",
        "Fields of the request are missing or hold something else than wanted; the problems "
        "name each of them. Nothing was stored.",
        "Mend the fields that are named.",
        status=422,
    ),
    Code(
        "input.method",
        "Not a method of this address",
        "The address exists and answers other methods, which `Allow` names.",
        "Use one of those.",
        status=405,
    ),
    Code(
        "input.bundle",
        "The bundle cannot be loaded",
        "A benchmark bundle is incomplete, contradicts itself or another one, or fails an audit.",
        "Mend what is named; `plumbline audit` finds it offline.",
        status=422,
    ),
)
