"""An option named by its words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evaluator.reading.replies.phrases import RULED_OUT

_GLOSS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")
_NEGATION = re.compile(
    r"(?:\bnot|n['’]t|\bnever|\brather than|\binstead of|\bneither|\bnor|\bwithout|\bno longer|"
    r"不是|并非|而不是|没有)[^\w.,:;!?\n]*(?:\w+[^\w.,:;!?\n]+){0,3}$",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*(?:,|;|\n|、|\band\b|&)\s*", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-•·]|\d+[.)])\s*")
# "Both A and B", "neither of them": a word about options rather than an option.
_QUANTIFIER = re.compile(r"(?:both|neither|either|none|all|yes|no)\Z")
_QUANTIFIED = re.compile(r"\s*,?\s*(?:[a-z](?![^\W_])|of\b|options?\b|choices?\b|answers?\b|way\b)")
NEAR = 60  # characters before a mention in which a negation is looked for
MAX_MENTIONS = 300  # in one sentence; beyond, it names nothing anyway
MIN_WORDING = 3  # characters of an option that may be found inside a sentence


def folded(text: str) -> str:
    """Case and white space folded, closing punctuation dropped."""
    return " ".join(text.casefold().replace("_", " ").split()).strip(" .。!！?？,，;；:：\"'“”‘’")


def letter_of_text(text: str, options: Mapping[str, str]) -> str | None:
    """The option whose wording the whole text is; None if it is none's or several's."""
    whole = folded(text)
    if not whole:
        return None
    for wordings in (_wordings(options), _short_wordings(options)):
        found = [letter for letter, wording in wordings.items() if wording == whole]
        if len(found) == 1:
            return found[0]
    return None


def letters_of_list(text: str, options: Mapping[str, str]) -> tuple[str, ...]:
    """Options of a reply that is a list of wordings and nothing else; else none."""
    pieces = [_BULLET.sub("", piece) for piece in _SEPARATOR.split(text)]
    found = [letter_of_text(piece, options) for piece in pieces if folded(piece)]
    return tuple(dict.fromkeys(filter(None, found))) if found and all(found) else ()


def letter_in_prose(text: str, options: Mapping[str, str]) -> str | None:
    """The option named by the first sentence that names any; None where it names several.

    Wordings are found on word boundaries, the longest at a place; a negated
    mention does not name.
    """
    for wordings in (_wordings(options), _short_wordings(options)):
        for sentence in _SENTENCE.split(text):
            named, negated = _mentions(folded(sentence), wordings)
            if len(named) == 1:
                return named.pop()
            if named or negated:
                return None
    return None


def _mentions(sentence: str, wordings: Mapping[str, str]) -> tuple[set[str], set[str]]:
    spans: list[tuple[int, int, str]] = []
    for letter, wording in wordings.items():
        if len(wording) < MIN_WORDING:
            continue
        pattern = rf"(?<![^\W_]){re.escape(wording)}(?![^\W_])"
        if not wording.isascii():
            pattern = re.escape(wording)
        spans += [(m.start(), m.end(), letter) for m in re.finditer(pattern, sentence)]
    named, negated = set[str](), set[str]()
    spans = spans[:MAX_MENTIONS]
    for start, end, letter in spans:
        if any(s <= start and end <= e and e - s > end - start for s, e, _ in spans):
            continue  # part of a longer wording
        if _QUANTIFIER.match(sentence[start:end]) and _QUANTIFIED.match(sentence, end):
            continue
        is_negated = _NEGATION.search(sentence[max(0, start - NEAR) : start])
        is_negated = is_negated or RULED_OUT.match(sentence, end)
        (negated if is_negated else named).add(letter)
    return named, negated - named


def _wordings(options: Mapping[str, str]) -> dict[str, str]:
    return {letter: folded(text) for letter, text in options.items()}


def _short_wordings(options: Mapping[str, str]) -> dict[str, str]:
    """Wordings without a bracketed gloss, where that still tells the options apart."""
    short = {letter: folded(_GLOSS.sub(" ", text)) for letter, text in options.items()}
    counts = list(short.values())
    return {
        letter: wording
        for letter, wording in short.items()
        if len(wording) >= MIN_WORDING and counts.count(wording) == 1
    }
