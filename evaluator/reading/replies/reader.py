"""The reader of replies: the order of evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evaluator.reading.replies import phrases
from evaluator.reading.replies.cleaning import is_failure, plain, without_reasoning
from evaluator.reading.replies.declarations import (
    WINDOW,
    Letters,
    before,
    declared,
    judged,
    with_labels,
)
from evaluator.reading.replies.letters import Run, is_label, letters_at
from evaluator.reading.replies.texts import (
    folded,
    letter_in_prose,
    letter_of_text,
    letters_of_list,
)

READER_VERSION = "1"

MAX_REPLY = 200_000  # characters; of a longer reply the end is read

_QUESTION = re.compile(r"[^.!\n]{0,200}[?？]")


def read_reply(reply: object, options: Mapping[str, str], *, multi: bool) -> Letters:
    """The letters that a reply names; empty where it gives no answer.

    Args:
        reply: what the model, or the harness in its place, wrote.
        options: wording by letter, in order.
        multi: several letters may be right; else the first of the winning
            declaration is taken.
    """
    if not isinstance(reply, str) or is_failure(reply):
        return ()
    said = without_reasoning(reply[-MAX_REPLY:])
    if said is None:
        return ()
    letters = _read(said, options, multi=multi)
    kept = tuple(letter for letter in options if letter in letters)
    if multi:
        return kept
    return letters[:1] if letters and letters[0] in options else ()


def first_letter(reply: object, options: Mapping[str, str], *, multi: bool) -> Letters:
    """The compatibility reader `first-letter`: the first option letter, wherever it stands."""
    del multi
    text = reply.strip() if isinstance(reply, str) else ""
    return next(((c,) for c in text if c in options), ())


def _read(said: str, options: Mapping[str, str], *, multi: bool) -> Letters:
    text = plain(said)
    declarations = list(declared(said, text, options, multi=multi))
    if declarations:
        return max(declarations, key=lambda pair: pair[0])[1]
    verdicts = judged(text, options)
    if verdicts is not None:
        return verdicts if multi or len(verdicts) == 1 else ()
    text = _without_echo(text, options)
    leading = _leading(text, options)
    if leading is not None:
        return leading
    if phrases.REFUSAL.match(text):
        return ()
    mentioned = _mentioned(text, options)
    if mentioned is not None:
        return mentioned
    whole = letter_of_text(text, options)
    if whole:
        return (whole,)
    listed = letters_of_list(text, options)
    if listed:
        return listed if multi or len(listed) == 1 else ()
    labelled = _labelled(text, options)
    if labelled:
        return (labelled,)
    named = letter_in_prose(text, options)
    if named:
        return (named,)
    return _lone_letter(text, options)


def _without_echo(text: str, options: Mapping[str, str]) -> str:
    """The text without the options, where it reads them all aloud, each with its letter."""
    spans = []
    for letter, wording in options.items():
        words = r"\s+".join(map(re.escape, wording.split()))
        found = re.search(rf"(?<![^\W_])[(\[]?{letter}[)\].:]+\s*{words}(?![^\W_])", text)
        if not found or not words:
            return text
        spans.append(found.span())
    if len(spans) < 2:
        return text
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]}\n{text[end:]}"
    return text


def _leading(text: str, options: Mapping[str, str]) -> Letters | None:
    """Letters with which the reply begins, line by line; None if it begins otherwise."""
    letters: list[str] = []
    n_labels = 0
    for line in (line for line in text.split("\n") if line.strip()):
        start = phrases.LIST_LINE.match(line)
        at = start.end() if start else 0
        run = letters_at(line, at, options)
        if run is None or _is_ruled_out(line, run, options):
            break
        if letters and not is_label(line, run.end) and line[run.end :].strip():
            break
        if run.is_doubtful:
            return ()
        n_labels += is_label(line, run.end)
        letters += with_labels(line[at:], Run(run.letters, run.end - at), options)
    if not letters:
        return None
    if n_labels == len(options) > 1 and set(letters) == set(options):
        return ()  # the options read aloud
    return tuple(dict.fromkeys(letters))


def _is_ruled_out(line: str, run: Run, options: Mapping[str, str]) -> bool:
    """Whether a line goes on to reject, or to question, what it begins with."""
    if phrases.RULED_OUT.match(line, run.end) or phrases.ASKED.match(line, run.end):
        return True
    wording = options.get(run.letters[-1], "")
    place = line.casefold().find(wording.casefold(), run.end) if wording else -1
    return 0 <= place <= run.end + 3 and bool(phrases.RULED_OUT.match(line, place + len(wording)))


def _mentioned(text: str, options: Mapping[str, str]) -> Letters | None:
    """The one option that is named as such and not ruled out; () if several are."""
    named = {
        found[1]
        for found in phrases.MENTION.finditer(text)
        if found[1] in options
        and not phrases.RULED_OUT.match(text, found.end())
        and not _QUESTION.match(text, found.end())
        and not phrases.AGAINST.search(before(text, found.start()))
    }
    if not named:
        return None
    return tuple(named) if len(named) == 1 else ()


def _labelled(text: str, options: Mapping[str, str]) -> str | None:
    """The one letter that stands in the text with its own wording: `is A. descending`."""
    found = {
        match[1]
        for match in re.finditer(r"(?<![^\W_])[(\[]?([A-Z])[)\].:]+\s*", text)
        if match[1] in options
        and folded(options[match[1]])
        and folded(text[match.end() : match.end() + WINDOW]).startswith(folded(options[match[1]]))
    }
    return found.pop() if len(found) == 1 else None


def _lone_letter(text: str, options: Mapping[str, str]) -> Letters:
    """A letter that stands alone among no words of its script."""
    if any(word.isascii() for word in phrases.WORDS.findall(text)):
        return ()
    found = set(re.findall(r"(?<![^\W_])[A-Z](?![^\W_])", text))
    return tuple(found) if len(found) == 1 else ()
