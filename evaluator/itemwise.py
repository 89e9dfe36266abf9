"""What a family can tell beyond scores, where its outcomes keep more than sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Items:
    """Single questions of one outcome.

    Attributes:
        is_right: (Q,).
        cell: (Q, 2), cluster and group of each question.
    """

    is_right: NDArray[np.bool_]
    cell: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class KindOfError:
    """One row of a table of wrong answers.

    Attributes:
        slice: slug of the slice whose wrong answers the table splits.
        n: wrong answers of this kind (a mean where answers are a matter of chance).
        share: of the slice's wrong answers whose kind is known; None without any.
        chance: the share that even guessing among the wrong options of the same
            questions gives; None without any.
    """

    slice: str
    kind: str
    title: str
    n: float
    share: float | None
    chance: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two outcomes have the same answer.

    Attributes:
        n: questions that both answered or left, by id.
        share: of these, with the same option (no answer is one of its own).
        n_flipped: right in the first and wrong in the second, and the other way round.
    """

    n: int
    share: float | None
    n_flipped: tuple[int, int]
