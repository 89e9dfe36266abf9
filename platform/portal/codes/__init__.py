"""The closed list of everything that can go wrong here, in words.

A code is stable once published. Its first part names the owner: `input` (what was
sent is at fault), `policy` (our rules say no), `model` (a model that was named),
`infra` (a service of ours) and `scorer` (our scoring). Everything that refuses or
fails takes its status, title and advice from here, and from nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping

from portal.codes.entry import OWNERS, Code
from portal.codes.input import OF_FILES, OF_REQUESTS
from portal.codes.ours import OF_SCORING, OF_SERVICES
from portal.codes.policy import OF_POLICY

__all__ = ["CODES", "OWNERS", "Code", "UnknownCode", "address_of", "code_of", "refusal_of"]

CODES: Mapping[str, Code] = {
    entry.code: entry for entry in (*OF_FILES, *OF_REQUESTS, *OF_POLICY, *OF_SERVICES, *OF_SCORING)
}


class UnknownCode(LookupError):
    """A code that is not on the list, or bears no HTTP status where one is wanted."""


def code_of(code: str) -> Code:
    """The entry of a code.

    Raises:
        UnknownCode: it is not on the list.
    """
    try:
        return CODES[code]
    except KeyError:
        raise UnknownCode(f"{code!r} is not on the list of codes") from None


def refusal_of(code: str) -> tuple[Code, int]:
    """The entry of a code that an HTTP answer may bear, and its status.

    Raises:
        UnknownCode: it is not on the list, or no answer bears it.
    """
    entry = code_of(code)
    if entry.status is None:
        raise UnknownCode(f"{code} stands in no answer: it has no HTTP status")
    return entry, entry.status


def address_of(code: str) -> str:
    """Where people read about a code: a path of the site with its anchor."""
    return f"/help/codes/#{code}"
