"""What a builder did with what it found: bad rows, rejected candidates, questions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from evaluator.families.actionlens.diagnostics import DIAGNOSTICS, Code


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used, and what was wrong with it."""

    line: int
    found: str
    wanted: str

    def __str__(self) -> str:
        return f"line {self.line}: found {self.found}; wanted {self.wanted}"


@dataclass(slots=True)
class Ledger:
    """Counts of a build.

    Every candidate of a diagnostic ends as a question or under one reason.

    Attributes:
        n_rows: rows read, bad ones included.
        n_spoilt: (video, second) left out because a bad row speaks of them.
        candidates, built: by diagnostic.
        rejected: by diagnostic and reason.
    """

    n_rows: int = 0
    n_spoilt: int = 0
    bad_rows: list[BadRow] = field(default_factory=list)
    candidates: Counter[Code] = field(default_factory=Counter)
    built: Counter[Code] = field(default_factory=Counter)
    rejected: dict[Code, Counter[str]] = field(
        default_factory=lambda: {diagnostic.code: Counter() for diagnostic in DIAGNOSTICS}
    )

    def bad(self, line: int, found: str, wanted: str) -> None:
        self.bad_rows.append(BadRow(line, found, wanted))

    def reject(self, code: Code, reason: str, n: int = 1) -> None:
        self.rejected[code][reason] += n

    def counts(self) -> dict[str, int]:
        """Bad rows, and rejected candidates by diagnostic and reason."""
        counts = {
            f"{code} rejected, {reason}": n
            for code, reasons in self.rejected.items()
            for reason, n in reasons.items()
        }
        return {"bad rows": len(self.bad_rows), **counts} if self.bad_rows else counts

    def lines(self) -> list[str]:
        """The whole account for a person, every bad row among it."""
        lines = [f"{self.n_rows} rows read, {len(self.bad_rows)} of them bad"]
        lines += [str(row) for row in self.bad_rows]
        if self.n_spoilt:
            lines.append(f"{self.n_spoilt} seconds of video left out: a bad row speaks of them")
        for diagnostic in DIAGNOSTICS:
            code = diagnostic.code
            lines.append(
                f"{diagnostic.title}: {self.candidates[code]} candidates, "
                f"{self.built[code]} questions"
            )
            lines += [f"    {n}: {reason}" for reason, n in sorted(self.rejected[code].items())]
        return lines
