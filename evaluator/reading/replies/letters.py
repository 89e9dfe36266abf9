"""A run of option letters at the beginning of a piece of text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_OPEN, _CLOSE = r"[(\[{<【「『《]", r"[)\]}>】」』》]"
# A letter by itself: in brackets, or with no letter or digit beside it.
_MARKED = rf"(?:{_OPEN}\s*([A-Za-z])\s*{_CLOSE}|([A-Za-z])(?![^\W_]|['’]\w|-[A-Z](?![^\W_])))"
_LETTER = re.compile(rf"\s*[\"'“”‘’]?{_MARKED}[\"'“”‘’]?")
_RUN = re.compile(r"\s*([A-Z]{2,26})(?![^\W_])")
_JOINT = re.compile(
    r"\s*(?:[,;/&+|、，；]|\band\b|\bplus\b|\bas well as\b|\by\b|\bet\b|\bund\b|"
    r"和|及|与|與|以及)\s*"
    r"(?:and\b|和|以及)?\s*(?:options?\b\s*)?",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\s*,?\s*(?:or\b|或|oder\b|ou\b)(?:\s*(?:maybe|perhaps|possibly|even|also)\b)?"
    r"(?:\s*(?:option|choice)\b)?",
    re.IGNORECASE,
)
_END = re.compile(r"\s*(?:$|[.。:：;；,，!！?？\n)\]}】」』<\-–—|/、\"'“”’])")
_CLAUSE = re.compile(
    r"\s+(?:because|since|as|and|or|for|due|is|are|was|which|that|given|based|but|with|if|so|"
    r"from|according|would|seems|looks|best|being|however|not|while|only|alone|是|对)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[.)):：]\s*\S")
_PRONOUN = re.compile(r",\s+[a-z]{2,}")  # "I, for one, see nothing"
_WORD = re.compile(r"\s+[a-z]")


@dataclass(frozen=True, slots=True)
class Run:
    """Letters that stand together, upper case, in order, and where they end."""

    letters: tuple[str, ...]
    end: int
    is_doubtful: bool = False


def letters_at(text: str, start: int, known: Iterable[str]) -> Run | None:
    """The run of letters at `start`; None if none stands there.

    A letter is no letter where it is an article or a pronoun: A or I before a
    word. A run of capitals (`AC`) counts if they ascend and all exist.
    Letters that the question does not have are part of the run.
    """
    known = tuple(known)
    run = _RUN.match(text, start)
    if run:
        capitals = tuple(run[1])
        if capitals == tuple(sorted(set(capitals))) and set(capitals) <= set(known):
            return Run(capitals, run.end())
        return None
    first = _letter(text, start)
    if first is None:
        return None
    letters, end = [first[0]], first[1]
    while True:
        if _DOUBT.match(text, end):
            other = _letter(text, _DOUBT.match(text, end).end())  # type: ignore[union-attr]
            if other:
                return Run((*letters, other[0]), other[1], is_doubtful=True)
        joint = _JOINT.match(text, end)
        following = _letter(text, joint.end() if joint else end)
        if following is None or not (joint or _stands_beside(text, end, following)):
            return Run(tuple(dict.fromkeys(letters)), end)
        letters.append(following[0])
        end = following[1]


def _letter(text: str, at: int) -> tuple[str, int] | None:
    found = _LETTER.match(text, at)
    if not found:
        return None
    letter, end = found[1] or found[2], found.end()
    if found[1]:
        return letter.upper(), end
    if letter == "I" and _PRONOUN.match(text, end):
        return None
    if _END.match(text, end):
        return letter.upper(), end
    if letter.islower():
        return None
    if letter in "AI" and _WORD.match(text, end) and not _CLAUSE.match(text, end):
        return None
    return letter, end


def _stands_beside(text: str, end: int, following: tuple[str, int]) -> bool:
    """Whether two letters with nothing but blanks between them are a list: `(A)(C)`, `B B`."""
    between = text[end : following[1]]
    return "\n" not in between and len(between.strip()) <= 3


def is_label(text: str, end: int) -> bool:
    """Whether the letter that ends at `end` is followed by a text of its own: `A. walking`."""
    return _LABEL.match(text, end) is not None
