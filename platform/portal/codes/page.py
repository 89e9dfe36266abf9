"""The list of codes as a page of the documentation."""

from __future__ import annotations

from collections.abc import Iterator

from portal.codes import CODES, OWNERS, Code

HEAD = """\
# Codes

Everything that can go wrong, by the code that an answer, a submission or the command line shows:
what it means, and what to do. The list is closed: nothing refuses or fails with another code.
A site shows it at `/help/codes/` and serves it at `/api/v1/problems`.

Answers of the API are `application/problem+json` with `code`, `title`, `detail`, `remedy`, and
`type`, the address of the code on the site. In a list of `problems` of a file the words stand bare:
`UNKNOWN_ID` is `input.UNKNOWN_ID`, `FIELD` is `input.FIELD`. Words without a dot (`usage`,
`unreachable`) are the command line's own and never reach a site.

<!-- Written by `python -m portal.codes` from the list; mend that instead. -->
"""


def page() -> str:
    """The page, owner by owner; empty owners are named too."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield HEAD
    for owner, (fault, about) in OWNERS.items():
        yield f"## {owner}\n"
        yield f"{about} The fault is {fault}.\n"
        entries = [entry for entry in CODES.values() if entry.owner == owner]
        if not entries:
            yield "None yet.\n"
            continue
        yield "| code | HTTP | meaning | what to do |"
        yield "| --- | --- | --- | --- |"
        yield from (_row(entry) for entry in entries)
        yield ""


def _row(entry: Code) -> str:
    status = str(entry.status or "")
    if entry.retry_after is not None:
        status += f", again after {entry.retry_after} s"
    retried = " We try again by ourselves." if entry.is_retried else ""
    return f"| `{entry.code}` | {status} | {entry.meaning}{retried} | {entry.remedy} |"
