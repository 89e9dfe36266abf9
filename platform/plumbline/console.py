"""Where a command speaks: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

from evaluator.errors import Problem
from plumbline.faults import Fault

CLEAR_LINE = "\r\x1b[K"


class Console:
    """The two streams of a command.

    With `as_json`, stdout holds one JSON document and nothing else. What comes
    from files and sites is shown with its control characters escaped.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._live = ""

    @property
    def is_watched(self) -> bool:
        """Whether somebody may be looking at stderr."""
        return sys.stderr.isatty()

    def result(self, text: str) -> None:
        """What a person asked for; silent where JSON was asked for."""
        if not self.as_json:
            self._end_live()
            sys.stdout.write(f"{printable(text)}\n")

    def document(self, value: object) -> None:
        """What a script asked for; silent where a person asks."""
        if self.as_json:
            self._end_live()
            unicode_safe = (sys.stdout.encoding or "").lower().startswith("utf")
            text = json.dumps(value, ensure_ascii=not unicode_safe, allow_nan=False, indent=1)
            sys.stdout.write(f"{text}\n")

    def raw(self, text: str) -> None:
        """A file as it came, for a pipe."""
        self._end_live()
        sys.stdout.write(text)

    def say(self, text: str) -> None:
        """A remark beside the result."""
        self._end_live()
        sys.stderr.write(f"{printable(text)}\n")

    def live(self, text: str) -> None:
        """A remark that replaces the one before it; off a terminal, said once per change."""
        if text == self._live:
            return
        if self.is_watched:
            sys.stderr.write(f"{CLEAR_LINE}{printable(text)}")
            sys.stderr.flush()
        else:
            sys.stderr.write(f"{printable(text)}\n")
        self._live = text

    def fault(self, fault: Fault) -> None:
        """A fault: its sentence and code, what to do, and the problems of a file."""
        code = f" [{fault.code}]" if "." in fault.code else ""
        self.say(f"plumbline: {fault.sentence}{code}")
        if fault.remedy:
            self.say(f"  {fault.remedy}")
        if self.as_json:
            found: dict[str, object] = {
                "error": {
                    "code": fault.code,
                    "sentence": fault.sentence,
                    "remedy": fault.remedy,
                },
                **problems_document(fault.problems, fault.n_problems),
            }
            self.document(found)
        elif fault.problems:
            self.result(problems_text(fault.problems, fault.n_problems))

    def _end_live(self) -> None:
        if self._live and self.is_watched:
            sys.stderr.write(CLEAR_LINE)
            sys.stderr.flush()
        self._live = ""


def printable(text: str) -> str:
    """Text without control, bidi and surrogate characters but line ends."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def problems_document(problems: Iterable[Problem], n_problems: int) -> dict[str, object]:
    """JSON form of the problems of a file."""
    names = ("code", "where", "found", "wanted", "hint")
    return {
        "n_problems": n_problems,
        "problems": [{name: getattr(problem, name) for name in names} for problem in problems],
    }


def problems_text(problems: Iterable[Problem], n_problems: int) -> str:
    """Problems for a person: place and code, found, wanted, what to do."""
    shown = list(problems)
    lines: list[str] = []
    for problem in shown:
        lines += [f"{problem.where or 'top level'}  [{problem.code}]"]
        lines += [f"    found   {problem.found}", f"    wanted  {problem.wanted}"]
        lines += [f"    to do   {problem.hint}"] if problem.hint else []
    if n_problems > len(shown):
        lines.append(f"… and {n_problems - len(shown)} more; mend these and look again.")
    return "\n".join(lines)
