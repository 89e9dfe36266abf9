"""What is wrong where a text stops being JSON, in words its author can act on."""

from __future__ import annotations

import json
import re

from evaluator.errors import quote
from evaluator.reading.places import line_and_column

BLANKS = re.compile(r"[ \t\r\n]*")
WORD = re.compile(r"[A-Za-z_]\w*")
DUMPS = "Write the file with json.dump, not with str() or print()."
PYTHON_WORDS = {"None": "null", "True": "true", "False": "false"}
QUOTES = "'‘’“”„«»`"


def explain(
    text: str, fault: json.JSONDecodeError, first_line: int = 1, first_column: int = 1
) -> tuple[str, str, str, str]:
    """Place (`line 3 column 7`), found, wanted and hint of a fault of syntax.

    The text begins at that line and column of the file.
    """
    position = fault.pos
    if fault.msg.startswith("Illegal trailing comma"):  # Python 3.13 points at the comma
        position = _after_blanks(text, position + 1)
    if fault.msg.startswith("Invalid \\u"):  # it points at the u
        position -= 1
    found, wanted, hint = _words(text, position, fault.msg)
    line, column = line_and_column(text, position)
    if line == 1:
        column += first_column - 1
    return f"line {first_line + line - 1} column {column}", found, wanted, hint


def _after_blanks(text: str, position: int) -> int:
    blanks = BLANKS.match(text, position)
    return blanks.end() if blanks else position


def _words(text: str, position: int, message: str) -> tuple[str, str, str]:
    if message.startswith("Unterminated string"):
        return (
            "a string that is never closed",
            "a closing quote",
            "Is the file cut off, or a quote within the string not escaped?",
        )
    if position >= len(text):
        return "the end of the text", "the rest of it", "It is cut off here: write the file again."
    here = text[position]
    if message.startswith("Invalid control"):
        name = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}.get(
            here, f"the control character {ascii(here)[1:-1]}"
        )
        return f"{name} within a string", r"\n, \t or another escape", DUMPS
    if message.startswith("Invalid"):
        written = text[position : position + 6]
        return f"the escape {quote(written)}", r"\" \\ \/ \b \f \n \r \t or \uXXXX", DUMPS
    word = WORD.match(text, position)
    found = quote(word.group() if word else here)
    before = text[:position].rstrip(" \t\r\n")[-1:] if position else ""
    if word and word.group() in PYTHON_WORDS:
        return found, PYTHON_WORDS[word.group()], f"This is Python, not JSON. {DUMPS}"
    if here in QUOTES:
        return found, 'a double quote (")', DUMPS
    if here in "/#":
        return found, "JSON", "JSON has no comments: remove them."
    if here in "]}" and before == ",":
        return found, "another item", "Remove the comma before it."
    if here.isspace() or here == "\ufeff":
        name = f"the character U+{ord(here):04X}"
        return name, "a space, a tab or a line break", "Only these may stand between items."
    if message.startswith("Extra data"):
        return f"more text ({found})", "the end of the file", _one_document(before)
    if text[max(position - 1, 0)].isdigit() or here in "+.":
        return found, "a JSON number such as 0.5", "No leading +, . or 0, no hexadecimal, no 1_000."
    if message.startswith("Expecting property name"):
        return found, "a key in double quotes", DUMPS if word else ""
    wanted = {
        "Expecting ',' delimiter": "a comma or the end of the list or object",
        "Expecting ':' delimiter": "a colon after the key",
    }
    return found, wanted.get(message, "a JSON value"), ""


def _one_document(before: str) -> str:
    if before in "]}":
        return "Several values need one line each (JSON Lines)."
    return ""
