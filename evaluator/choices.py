"""Letters of choices, and the order in which an importer puts them."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Sequence

LETTERS = string.ascii_uppercase


def choice_order(question_id: str, texts: Sequence[str], seed: int | str) -> list[str]:
    """The texts in the order of a seeded hash of (question, text).

    Released files list right choices first; a hash gives positions nothing away
    and comes out the same everywhere.
    """
    return sorted(
        texts,
        key=lambda text: hashlib.sha256(f"{seed}\n{question_id}\n{text}".encode()).digest(),
    )
