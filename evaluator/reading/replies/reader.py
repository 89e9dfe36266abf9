"""The reader of replies: the order of evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from evaluator.reading.replies.cleaning import is_failure, plain, without_reasoning
from evaluator.reading.replies.letters import Run, is_label, letters_at
from evaluator.reading.replies.texts import (
    folded,
    letter_in_prose,
    letter_of_text,
    letters_of_list,
)

READER_VERSION = "1"

_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_TAG = re.compile(r"<answer[^>]*>(.*?)(?:</answer\s*>|$)", re.IGNORECASE | re.DOTALL)
_JSON = re.compile(r"\{[^{}]*\}")
_JSON_KEYS = ("answer", "final_answer", "final answer", "choice", "option", "prediction", "答案")
_IS = (
    r"\s*(?:\bis\b|\bare\b|\bwould be\b|\bshould be\b|\bmust be\b|\bwill be\b|[:=]|是|为|為|应为)?"
)
_PHRASE = re.compile(
    r"""
    (?<![^\W_])(?:
      (?:the\ |my\ |our\ )?
        (?:(?:most\ )?(?:correct|final|right|best|appropriate|likely|accurate)\ )*
        (?:answers?|options?|choices?)(?:\(s\))?
        (?:\ (?:to\ (?:the|this)\ question|here|letters?|among\ [\w\ ]{1,30}))?
        \s*(?:\bis\b|\bare\b|\bwould\ be\b|\bshould\ be\b|\bmust\ be\b|\bwill\ be\b|[:=])
        (?:\s*(?:therefore|thus|clearly|definitely|most\ likely|likely|probably|option|choice
          |letter)\b)*\s*:?
    | (?:i(?:\ would|'d|\ will|'ll)?|we|so\ i|let's)
        \ (?:pick|choose|select|go\ with|say|answer|vote\ for|opt\ for)
        (?:\ (?:option|choice|answer|letter))?\s*:?
    | (?:it\ (?:is|must\ be)|it's)\ (?:option|choice|answer)
    | (?:antwort|réponse|respuesta|risposta|resposta|odpowied[źz]|ответ|cevap|jawaban)
        (?:\ (?:ist|est|es|è|é|to))?\s*[:=]?
    )
    | (?:答案|正确答案|正確答案|最终答案|正解|答え|정답|答)
        \s*(?:应该是|應該是|应为|應為|是|为|為|は|은|는)?\s*[:=]?
    | (?:应该选择?|應該選擇?|选择|選擇|选(?!项)|選(?!項)|故选)\s*(?:是|为|為)?\s*[:=]?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_VERDICT = re.compile(
    r"(?<![^\W_'’])[(\[]?([A-Z])[)\]]?\s*(?:is|was|seems|must be|是)\s*"
    r"(?:the\s+|definitely\s+|clearly\s+|most\s+likely\s+)*"
    r"(?:correct|right|best|most (?:accurate|appropriate)|answer\b|正确|正確|对|對)(?![^\W_]*ly\b)"
)
# "Option B" by itself says little: it may be the one that is ruled out.
_MENTION = re.compile(
    r"(?:(?<![^\W_])[Oo]ption|(?<![^\W_])[Cc]hoice|选项|選項)\s*[(\[]?([A-Z])[)\]]?(?![^\W_])"
)
_RULED_OUT = re.compile(
    r"\W*(?:(?:is|are|was|were|seems|looks|can|could|does|do|would|has)\s*(?:also\s+)?"
    r"(?:not\b|n['’]t|be\s+(?:ruled|excluded|eliminated|discarded)|incorrect|wrong|false|"
    r"invalid|unlikely|ruled|excluded|no\b)|"
    r"(?:isn|doesn|can|won|didn|wouldn)['’]?t\b|错|不)",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"(?:\bnot|n['’]t|\brul\w+ out|\bexclud\w+|\beliminat\w+|\breject\w+|\bunlike|\bneither|"
    r"\bnor|\bexcept|\brather than|\binstead of|排除|不是|不选)"
    r"[^\w.,:;!?\n]*(?:\w+[^\w.,:;!?\n]+){0,2}$",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\s*(?:not\b|n't|neither\b|never\b|不是|不)", re.IGNORECASE)
_HYPOTHESIS = re.compile(
    r"\b(?:if|whether|could|would|can|might|may|is|suppose|assuming)\s*$", re.IGNORECASE
)
_NONE = re.compile(
    r"\s*[\"'(]?(?:none\b|neither\b|n/?a\b|unknown\b|unclear\b|"
    r"(?:i\s+)?(?:do\s*n['o]?t|don't|cannot|can't)\b|"
    r"not\s+(?:sure|clear|possible|given|available|provided|determinable)|undetermined|impossible|"
    r"no\s+(?:answer|option|choice)|无法|不知道|不确定|没有)",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"^\W*(?:i'?m\s+(?:sorry|unable|not\s+able)|sorry\b|i\s+(?:cannot|can't|can\s+not|am\s+unable|do\s+not|don't)\b|"
    r"unable\s+to\b|as\s+an\s+ai\b|unfortunately\b|抱歉|对不起|很抱歉|我无法|无法)",
    re.IGNORECASE,
)
_LIST_LINE = re.compile(r"^\s*(?:[-•·]\s*)?(?:options?\s+)?", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]{2,}")

WINDOW = 600  # characters after a phrase in which its answer stands
NEAR = 40  # characters before a mention that may turn it
MAX_REPLY = 200_000  # characters; of a longer reply the end is read

Letters = tuple[str, ...]


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
    letters = _read(said, options)
    kept = tuple(letter for letter in options if letter in letters)
    if multi:
        return kept
    return letters[:1] if letters and letters[0] in options else ()


def first_letter(reply: object, options: Mapping[str, str], *, multi: bool) -> Letters:
    """The compatibility reader `first-letter`: the first option letter, wherever it stands."""
    del multi
    text = reply.strip() if isinstance(reply, str) else ""
    return next(((c,) for c in text if c in options), ())


def _read(said: str, options: Mapping[str, str]) -> Letters:
    text = plain(said)
    declared = list(_declarations(said, text, options))
    if declared:
        return max(declared, key=lambda pair: pair[0])[1]
    leading = _leading(text, options)
    if leading is not None:
        return leading
    if _REFUSAL.match(text):
        return ()
    mentioned = _mentioned(text, options)
    if mentioned is not None:
        return mentioned
    whole = letter_of_text(text, options)
    if whole:
        return (whole,)
    listed = letters_of_list(text, options)
    if listed:
        return listed
    labelled = _labelled(text, options)
    if labelled:
        return (labelled,)
    named = letter_in_prose(text, options)
    if named:
        return (named,)
    return _lone_letter(text, options)


def _declarations(
    said: str, text: str, options: Mapping[str, str]
) -> Iterator[tuple[float, Letters]]:
    """(place, letters) of everything that says what the answer is; () for "none".

    Places are fractions of the text, so that finds in the dressed and in the
    plain text can be ordered.
    """
    for pattern in (_TAG, _BOXED):
        for found in pattern.finditer(said):
            letters = _content(plain(found[1]), options)
            if letters is not None:
                yield found.end() / max(len(said), 1), letters
    for found in _JSON.finditer(said):
        letters = _json_answer(found[0], options)
        if letters is not None:
            yield found.end() / max(len(said), 1), letters
    size = max(len(text), 1)
    for found in _PHRASE.finditer(text):
        if _HYPOTHESIS.search(_before(text, found.start())) and not found[0].rstrip().endswith(":"):
            continue
        letters = _after_phrase(text, found.end(), options)
        if letters is not None:
            yield found.end() / size, letters
    for found in _VERDICT.finditer(text):
        if found[1] in options:
            yield found.end() / size, (found[1],)


def _before(text: str, at: int) -> str:
    return text[max(0, at - NEAR) : at]


def _after_phrase(text: str, start: int, options: Mapping[str, str]) -> Letters | None:
    """What a phrase such as "the answer is" declares; None if nothing."""
    line = text[start : start + WINDOW].lstrip()
    if _NEGATED.match(line):
        turned = re.match(r"[^.\n]*?\bbut\s+(?:rather\s+|option\s+)?", line, re.IGNORECASE)
        run = letters_at(line, turned.end(), options) if turned else None
        return None if run is None or run.is_doubtful else run.letters
    if _NONE.match(line):
        return ()
    sentence = re.split(r"\n|(?<=[.。!！?？])\s", line, maxsplit=1)[0]
    wording = letter_of_text(sentence, options)
    if wording:
        return (wording,)
    run = letters_at(line, 0, options)
    if run is not None:
        if run.is_doubtful:
            return ()
        return _with_labels(line, run, options)
    prose = letter_in_prose(sentence, options) if len(folded(sentence)) > 1 else None
    return (prose,) if prose else None


def _with_labels(line: str, run: Run, options: Mapping[str, str]) -> Letters:
    """A run, and further options of the same line that stand as letter and own wording."""
    letters = list(run.letters)
    if is_label(line, run.end):
        end = line.find("\n")
        rest = line[run.end : end if end >= 0 else len(line)]
        for found in re.finditer(r"(?<![^\W_])[(\[]?([A-Z])[)\].:]\s*", rest):
            wording = options.get(found[1])
            if wording and folded(rest[found.end() :]).startswith(folded(wording)):
                letters.append(found[1])
    return tuple(dict.fromkeys(letters))


def _content(content: str, options: Mapping[str, str]) -> Letters | None:
    """Letters or wording of a tag's or box's content; None if it is something else."""
    content = content.strip()
    if _NONE.match(content):
        return ()
    inner = list(_PHRASE.finditer(content))
    if inner:
        declared = _after_phrase(content, inner[-1].end(), options)
        if declared is not None:
            return declared
    run = letters_at(content, 0, options)
    if run is not None and (not content[run.end :].strip(" .。,:;)") or is_label(content, run.end)):
        return () if run.is_doubtful else run.letters
    wording = letter_of_text(content, options)
    return (wording,) if wording else letters_of_list(content, options) or None


def _json_answer(source: str, options: Mapping[str, str]) -> Letters | None:
    try:
        value = json.loads(source)
    except ValueError:
        return None
    keys = {str(key).casefold(): key for key in value}
    for name in _JSON_KEYS:
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


def _leading(text: str, options: Mapping[str, str]) -> Letters | None:
    """Letters with which the reply begins, line by line; None if it begins otherwise."""
    letters: list[str] = []
    n_labels = 0
    for line in (line for line in text.split("\n") if line.strip()):
        start = _LIST_LINE.match(line)
        at = start.end() if start else 0
        run = letters_at(line, at, options)
        if run is None or _RULED_OUT.match(line, run.end):
            break
        if letters and not is_label(line, run.end) and line[run.end :].strip():
            break
        if run.is_doubtful:
            return ()
        n_labels += is_label(line, run.end)
        letters += _with_labels(line[at:], Run(run.letters, run.end - at), options)
    if not letters:
        return None
    if n_labels == len(options) > 1 and set(letters) == set(options):
        return ()  # the options read aloud
    return tuple(dict.fromkeys(letters))


def _mentioned(text: str, options: Mapping[str, str]) -> Letters | None:
    """The one option that is named as such and not ruled out; () if several are."""
    named = {
        found[1]
        for found in _MENTION.finditer(text)
        if found[1] in options
        and not _RULED_OUT.match(text, found.end())
        and not _AGAINST.search(_before(text, found.start()))
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
    if any(word.isascii() for word in _WORDS.findall(text)):
        return ()
    found = set(re.findall(r"(?<![^\W_])[A-Z](?![^\W_])", text))
    return tuple(found) if len(found) == 1 else ()
