"""What a log holds, whichever harness wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]  # one row, as its file has it


@dataclass(frozen=True, slots=True)
class Row:
    """One reply to one question.

    Attributes:
        where: the row's place, as a message prints it.
        ids: names under which the question may be known, the surest first.
        prompt: what the model was asked; empty where the log does not say.
        media: image or video of the question; empty where the log does not say.
        options: wording by letter, where the log shows them beside the prompt.
        reply: what the model said, or the harness in its place; None for nothing.
        n_replies: different replies to the question; more than one is a fault.
    """

    where: str
    ids: tuple[str, ...]
    prompt: str
    media: str
    options: dict[str, str]
    reply: str | None
    n_replies: int = 1


@dataclass(frozen=True, slots=True)
class Log:
    """The rows of a log, and what it calls itself."""

    title: str  # for example: lmms-eval samples (actionlens_acc)
    rows: tuple[Row, ...]


def name_of(value: object) -> Iterator[str]:
    """An id as text, where it is one."""
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)


def text_in(value: object) -> str:
    """A string, or nothing."""
    return value if isinstance(value, str) else ""


def reply_in(value: object) -> tuple[str | None, int]:
    """The reply in a field, out of its lists, and how many different ones stand there."""
    while isinstance(value, list):
        different = {json.dumps(entry, sort_keys=True) for entry in value}
        if len(different) > 1:
            return None, len(different)
        value = value[0] if value else None
    if value is None or isinstance(value, str):
        return value, 1
    return json.dumps(value), 1  # a number or true: no answer, but a reply
