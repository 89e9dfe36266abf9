"""What models really say, read into letters: never a guess, never a wrong letter.

In order: failures and refusals are no answer; reasoning is dropped; ornament
is removed; the last declaration wins; else a leading letter; else the text of
one option. Only letters of the question exist. A score names the reader's version.
"""

from collections.abc import Callable

from evaluator.reading.replies.cleaning import is_failure
from evaluator.reading.replies.reader import READER_VERSION, first_letter, read_reply

FIRST_LETTER = "first-letter"

# Readers by name; the first is the default.
READERS: dict[str, Callable[..., tuple[str, ...]]] = {
    READER_VERSION: read_reply,
    FIRST_LETTER: first_letter,
}

__all__ = [
    "FIRST_LETTER",
    "READERS",
    "READER_VERSION",
    "first_letter",
    "is_failure",
    "read_reply",
]
