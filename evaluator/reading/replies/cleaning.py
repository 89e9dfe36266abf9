"""A reply without its reasoning and its ornament."""

from __future__ import annotations

import re
import unicodedata

_FAILURES = re.compile(
    r"""^\s*(?:
        \[LMMS_EVAL_[A-Z_]+[^\]]*\]          # lmms-eval: dead endpoint, spent budget
      | failed\ to\ obtain\ answer            # VLMEvalKit
      | \[?(?:api|request|http|connection|timeout|rate\ ?limit)[\w\ ]*error\b
      | (?:traceback\ \(most\ recent|error\ code:|internal\ server\ error)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_REASONING = re.compile(
    r"<(/?)(?:think(?:ing)?|analysis|reasoning|reflection|scratchpad|thought)\b[^<>]*>|◁(/?)think▷",
    re.IGNORECASE,
)
_CHANNELS = re.compile(r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>")
MAX_DRESSES = 5  # LaTeX commands one inside the other
_SPECIAL_TOKEN = re.compile(r"<\|[^|<>]{1,40}\|>|</?s>|\[/?INST\]")
_HTML = re.compile(r"</?(?!answer\b)[a-z][a-z0-9]*(?:\s[^<>]*)?/?>", re.IGNORECASE)
_MARKUP = re.compile(
    r"\*{1,3}|_{2,3}|~~|`{1,3}(?:json|text|markdown)?|^\s{0,3}#{1,6}\s+|^\s*>\s", re.MULTILINE
)
_LATEX_TEXT = re.compile(r"\\(?:text|mathrm|mathbf|textbf|mathsf|rm|bf)\s*\{([^{}]*)\}")


def is_failure(text: str) -> bool:
    """Whether a harness wrote this in place of a reply."""
    return _FAILURES.match(text) is not None


def without_reasoning(text: str) -> str | None:
    """The reply after its reasoning; None where the reasoning never ended.

    A closing tag without an opening one ends reasoning that began in the
    chat template.
    """
    channels = list(_CHANNELS.finditer(text))
    if channels:
        last = channels[-1]
        if last[1] != "final":
            return None
        text = text[last.end() :]
    said: list[str] = []
    start, is_inside = 0, False
    for tag in _REASONING.finditer(text):
        if tag[1] or tag[2]:
            if not is_inside:
                said.clear()
            start, is_inside = tag.end(), False
        elif not is_inside:
            said.append(text[start : tag.start()])
            is_inside = True
    return None if is_inside else " ".join([*said, text[start:]])


def plain(text: str) -> str:
    """NFKC, without invisible characters, markdown, HTML and LaTeX dress; line breaks kept.

    Letters of other scripts stay what they are: a homoglyph is no letter.
    """
    text = unicodedata.normalize("NFKC", text)
    text = "".join(
        c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cf", "Cc", "Cs", "Co")
    )
    text = _SPECIAL_TOKEN.sub(" ", text)
    text = _MARKUP.sub("", _HTML.sub(" ", text))
    for _ in range(MAX_DRESSES):
        text = _LATEX_TEXT.sub(r"\1", text)
    return text.replace("$", " ").strip()
