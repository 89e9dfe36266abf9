"""What the wording of options gives away before anybody looks at the image or the clip."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from evaluator.audit import Fact

_WORD = re.compile(r"[^\W_]+")

Options = Sequence[str]
Look = Callable[[str], float]


def leak_facts(questions: Sequence[tuple[Options, Sequence[bool]]]) -> tuple[Fact, Fact]:
    """How often a right option is the longer one, and the one of the more frequent words.

    Each pair of a right and a wrong option of one question counts once, a tie
    as half: 0.5 says nothing, 1 gives the answer away, 0 does so too. A word's
    frequency is its share of all words of all options; an option's is the mean
    over its words.

    Args:
        questions: of each question the options and whether each is right.
    """
    every = (option for options, _ in questions for option in options)
    times = Counter(word for option in every for word in words(option))

    def frequency(option: str) -> float:
        found = words(option)
        return sum(times[word] for word in found) / len(found) if found else 0.0

    return (
        _fact("right_longer", "Pairs in which the right option is longer", questions, len),
        _fact(
            "right_more_frequent",
            "Pairs in which the right option has the more frequent words",
            questions,
            frequency,
        ),
    )


def words(option: str) -> list[str]:
    """The words of an option, case folded."""
    return _WORD.findall(option.casefold())


def _fact(
    slug: str,
    title: str,
    questions: Sequence[tuple[Options, Sequence[bool]]],
    look: Look,
) -> Fact:
    n_pairs, won = 0, 0.0
    for options, is_right in questions:
        looks = [look(option) for option in options]
        right = [value for value, hit in zip(looks, is_right, strict=True) if hit]
        wrong = [value for value, hit in zip(looks, is_right, strict=True) if not hit]
        n_pairs += len(right) * len(wrong)
        won += sum((r > w) + 0.5 * (r == w) for r in right for w in wrong)
    if not n_pairs:
        return Fact(slug, title, None, "no question has both a right and a wrong option")
    return Fact(slug, title, won / n_pairs)
