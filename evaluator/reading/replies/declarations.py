"""What a reply declares: every place that says what the answer is, and what it says there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from evaluator.reading.replies import phrases
from evaluator.reading.replies.cleaning import plain
from evaluator.reading.replies.letters import Run, is_label, letters_at
from evaluator.reading.replies.texts import (
    folded,
    letter_in_prose,
    letter_of_text,
    letters_of_list,
)

WINDOW = 600  # characters after a phrase in which its answer stands
NEAR = 60  # characters before a phrase or a mention that may turn it

Letters = tuple[str, ...]


def declared(
    said: str, text: str, options: Mapping[str, str], *, multi: bool
) -> Iterator[tuple[float, Letters]]:
    """(place, letters) of everything that says what the answer is; () for "none".

    Places are fractions of the text, so that finds in the dressed and in the
    plain text can be ordered.

    Args:
        said: the reply without its reasoning.
        text: the same without its ornament.
    """
    for pattern in (phrases.TAG, phrases.BOXED):
        for found in pattern.finditer(said):
            letters = _content(plain(found[1]), options)
            if letters is not None:
                yield found.end() / max(len(said), 1), letters
    for found in phrases.JSON.finditer(said):
        letters = _json_answer(found[0], options)
        if letters is not None:
            yield found.end() / max(len(said), 1), letters
    size = max(len(text), 1)
    for found in phrases.PHRASE.finditer(text):
        if _is_turned(text, found):
            continue
        letters = _after_phrase(text, found.end(), options)
        if letters is None or (len(letters) == len(options) and _is_list_of_options(found[0])):
            continue
        yield found.end() / size, letters
    for found in phrases.CONCLUSION.finditer(text):
        if found[1] in options:
            yield found.end() / size, (found[1],)
    yield from _verdicts(text, options, multi=multi)


def before(text: str, at: int) -> str:
    """The few characters before a place, within its line."""
    return text[max(0, at - NEAR, text.rfind("\n", 0, at) + 1) : at]


def _is_turned(text: str, found: re.Match[str]) -> bool:
    """Whether what stands before a phrase makes it a question, a denial or another's view."""
    leading_up = before(text, found.start())
    if phrases.WRONG_ONE.search(leading_up) or phrases.NOT_MEANT.search(leading_up):
        return True
    is_heading = found[0].rstrip().endswith(":")
    return bool(phrases.HYPOTHESIS.search(leading_up)) and not is_heading


def _is_list_of_options(phrase: str) -> bool:
    return phrases.BARE_OPTIONS.fullmatch(phrase.strip()) is not None


def _verdicts(
    text: str, options: Mapping[str, str], *, multi: bool
) -> Iterator[tuple[float, Letters]]:
    """Letters that are called correct; together where several may be."""
    size = max(len(text), 1)
    for found in phrases.PLURAL_VERDICT.finditer(text):
        letters = tuple(re.findall(r"[A-Z]", found[1]))
        leading_up = before(text, found.start())
        if set(letters) <= set(options) and not phrases.NOT_MEANT.search(leading_up):
            yield found.end() / size, letters
    called: list[str] = []
    for found in phrases.VERDICT.finditer(text):
        leading_up = before(text, found.start())
        is_meant = not (
            phrases.NOT_MEANT.search(leading_up)
            or phrases.IN_LIST.search(leading_up)
            or text[found.end() :].lstrip().startswith(("?", "？"))
        )
        if is_meant and found[1] in options:
            called.append(found[1])
            yield found.end() / size, tuple(called) if multi else (found[1],)


def judged(text: str, options: Mapping[str, str]) -> Letters | None:
    """The options that a reply approves of where it judges them line by line; None if it does not.

    At least two options must be judged, and no option may itself be such a word.
    """
    if any(phrases.JUDGEMENT.fullmatch(folded(wording)) for wording in options.values()):
        return None
    verdicts: dict[str, bool] = {}
    for found in phrases.JUDGED.finditer(text):
        if found[1] in options:
            verdicts[found[1]] = found[2].casefold() in ("yes", "correct", "true", "right")
    if len(verdicts) < 2:
        return None
    return tuple(letter for letter, is_approved in verdicts.items() if is_approved)


def _after_phrase(text: str, start: int, options: Mapping[str, str]) -> Letters | None:
    """What a phrase such as "the answer is" declares; None if nothing."""
    line = text[start : start + WINDOW].lstrip()
    if phrases.NEGATED.match(line):
        turned = re.match(r"[^.\n]*?\bbut\s+(?:rather\s+|option\s+)?", line, re.IGNORECASE)
        run = letters_at(line, turned.end(), options) if turned else None
        return None if run is None or run.is_doubtful else run.letters
    sentence = re.split(r"\n|(?<=[.。!！?？])\s", line, maxsplit=1)[0]
    wording = letter_of_text(sentence, options)
    if wording:
        return (wording,)
    if phrases.NONE.match(line):
        return ()
    run = letters_at(line, 0, options)
    if run is not None:
        if run.is_doubtful:
            return ()
        if line[run.end :].lstrip().startswith(("?", "？")):
            return None
        return with_labels(line, run, options)
    prose = letter_in_prose(sentence, options) if len(folded(sentence)) > 1 else None
    return (prose,) if prose else None


def with_labels(line: str, run: Run, options: Mapping[str, str]) -> Letters:
    """A run, and further options of the same line that stand as letter and own wording."""
    letters = list(run.letters)
    if is_label(line, run.end):
        end = line.find("\n")
        rest = line[run.end : end if end >= 0 else len(line)]
        for found in re.finditer(r"(?<![^\W_])[(\[]?([A-Z])[)\].:]\s*", rest):
            wording = options.get(found[1])
            if wording and folded(rest[found.end() : found.end() + WINDOW]).startswith(
                folded(wording)
            ):
                letters.append(found[1])
    return tuple(dict.fromkeys(letters))


def _content(content: str, options: Mapping[str, str]) -> Letters | None:
    """Letters or wording of a tag's or box's content; None if it is something else."""
    content = content.strip()
    wording = letter_of_text(content, options)
    if len(content) > 1 and wording:
        return (wording,)
    if phrases.NONE.match(content):
        return ()
    inner = list(phrases.PHRASE.finditer(content))
    if inner:
        said = _after_phrase(content, inner[-1].end(), options)
        if said is not None:
            return said
    run = letters_at(content, 0, options)
    if run is not None and (not content[run.end :].strip(" .。,:;)") or is_label(content, run.end)):
        return () if run.is_doubtful else run.letters
    return (wording,) if wording else letters_of_list(content, options) or None


def _json_answer(source: str, options: Mapping[str, str]) -> Letters | None:
    try:
        value = json.loads(source)
    except (ValueError, RecursionError):
        return None
    keys = {str(key).casefold(): key for key in value}
    for name in phrases.JSON_KEYS:
        if name not in keys:
            continue
        answer = value[keys[name]]
        parts = answer if isinstance(answer, list) else [answer]
        found: list[str] = []
        for part in parts:
            letters = _content(plain(part), options) if isinstance(part, str) else None
            if letters is None:
                return None if part is not None else ()
            found += letters
        return tuple(dict.fromkeys(found))
    return None
