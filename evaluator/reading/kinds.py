"""The kinds of JSON values, in words."""

from __future__ import annotations

from typing import Any

KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "an integer",
    float: "a number",
    type(None): "null",
}


def kind_of(value: Any) -> str:
    """What a JSON value is, in words."""
    return KINDS[type(value)]
