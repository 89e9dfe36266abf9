"""Faults of a command: one shape for all, and the exit code each ends with."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from evaluator.errors import BundleInvalid, DrawsChanged, EvaluatorError, Problem
from plumbline.errors import (
    AddressInvalid,
    ApiError,
    FileChanged,
    FileTooLarge,
    NotSignedIn,
    PlumblineError,
)

CALL_AGAIN = frozenset({429})  # nothing is wrong with what was asked


class Exit(IntEnum):
    """What the command's exit code says; scripts rely on it."""

    OK = 0
    NOT_FINE = 1
    USAGE = 2
    SERVER = 3
    OURS = 4
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class Fault(Exception):
    """A command cannot do what was asked; its author can mend it by the sentence.

    Attributes:
        code: of the sites' closed list (`input.VALUE`), or a word of the command's own,
            without a dot.
        remedy: what else helps, where the sentence does not say it.
    """

    def __init__(
        self,
        sentence: str,
        exit_code: Exit = Exit.USAGE,
        *,
        code: str = "usage",
        remedy: str = "",
        problems: Sequence[Problem] = (),
        n_problems: int = 0,
    ) -> None:
        self.sentence = sentence
        self.exit_code = exit_code
        self.code = code
        self.remedy = remedy
        self.problems = tuple(problems)
        self.n_problems = n_problems
        super().__init__(sentence)


def fault_of(error: PlumblineError | EvaluatorError | OSError) -> Fault:
    """The fault that an expected error amounts to."""
    if isinstance(error, ApiError):
        return _refusal(error)
    if isinstance(error, AddressInvalid):
        return Fault(error.sentence, code=error.code)
    if isinstance(error, FileTooLarge | FileChanged):
        return Fault(error.sentence, Exit.NOT_FINE, code=error.code)
    if isinstance(error, PlumblineError):
        return Fault(error.sentence, Exit.SERVER, code=error.code)
    if isinstance(error, BundleInvalid):
        return Fault(str(error), code="input.bundle")
    if isinstance(error, DrawsChanged):
        return Fault(str(error), Exit.OURS, code="draws_changed")
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return Fault(f"{place}{error.strerror or error}", code="file")
    return Fault(str(error), Exit.OURS, code="evaluator")


def _refusal(error: ApiError) -> Fault:
    blameless = error.status >= 500 or error.status in CALL_AGAIN or isinstance(error, NotSignedIn)
    wait = f" It may be asked again in {error.retry_after:.0f} s." if error.retry_after else ""
    return Fault(
        error.sentence + wait,
        Exit.SERVER if blameless else Exit.NOT_FINE,
        code=error.code,
        remedy=error.remedy,
        problems=error.problems,
        n_problems=error.n_problems,
    )
