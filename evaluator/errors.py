"""What can be wrong with a file, said so that its author can mend it.

Messages are built only from the submitted file and from public questions;
they never quote truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

MAX_PROBLEMS = 20
MAX_QUOTE = 80  # characters of a submitted value that a message repeats


def quote(value: object) -> str:
    """A submitted value as it may stand in a message: printable, short, in quotes.

    Control, bidi and surrogate characters are shown as escapes.
    """
    text = value if isinstance(value, str) else repr(value)
    printable = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[: MAX_QUOTE + 1])
    if len(printable) > MAX_QUOTE:
        printable = printable[:MAX_QUOTE] + "…"
    return f'"{printable}"' if isinstance(value, str) else printable


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a submitted file.

    Attributes:
        code: stable upper-case word, for example `UNKNOWN_ID`.
        where: JSON pointer (`/predictions/417/answer/0`), `line 12`, `line 12 /answer`,
            `byte 57`, or `file`.
        found: what stands there.
        wanted: what should stand there.
        hint: what to do; empty where it would only repeat `wanted`.
    """

    code: str
    where: str
    found: str
    wanted: str
    hint: str = ""

    def __str__(self) -> str:
        place = self.where or "top level"
        tail = f" {self.hint}" if self.hint else ""
        return f"{place}: found {self.found}; wanted {self.wanted}.{tail}"


class EvaluatorError(Exception):
    """Root of what the evaluator raises on purpose."""


class PredictionsInvalid(EvaluatorError):
    """A predictions file breaks the rules: all its problems, the first 20 in full."""

    def __init__(self, problems: Iterable[Problem], n_problems: int | None = None) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)[:MAX_PROBLEMS]
        self.n_problems = n_problems if n_problems is not None else len(self.problems)
        super().__init__("; ".join(str(problem) for problem in self.problems))


class BundleInvalid(EvaluatorError):
    """A benchmark bundle cannot be used; the message names file, line and remedy."""


class DrawsChanged(EvaluatorError):
    """The resampling weights differ from the digest that the version fixed."""


@dataclass(slots=True)
class Problems:
    """Collects problems: keeps the first 20, counts all.

    `locate` turns the JSON pointers given to `add` into what is printed, such
    as `line 4 /answer`.
    """

    kept: list[Problem] = field(default_factory=list)
    n_problems: int = 0
    locate: Callable[[str], str] = str

    def add(self, code: str, where: str, found: str, wanted: str, hint: str = "") -> None:
        self.n_problems += 1
        if len(self.kept) < MAX_PROBLEMS:
            self.kept.append(Problem(code, self.locate(where), found, wanted, hint))

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.kept)

    def __bool__(self) -> bool:
        return self.n_problems > 0

    def raise_if_any(self) -> None:
        if self.n_problems:
            raise PredictionsInvalid(self.kept, self.n_problems)
