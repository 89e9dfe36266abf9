"""JSON values in words, as messages speak of them."""

from __future__ import annotations

from evaluator.errors import quote

KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "an integer",
    float: "a number",
    type(None): "null",
}


def kind_of(value: object) -> str:
    """What a JSON value is."""
    return next(words for kind, words in KINDS.items() if isinstance(value, kind))


def shown(value: object) -> str:
    """A JSON value as a message shows it: scalars as written, containers by name and size."""
    if isinstance(value, dict | list):
        return f"{kind_of(value)} of {len(value):,}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return quote(value)
