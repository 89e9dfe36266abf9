"""What an entry of the list of codes says, and who the owners are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

# Owner -> whose fault it is, and what its codes are about.
OWNERS: Mapping[str, tuple[Literal["yours", "ours"], str]] = {
    "input": ("yours", "What was sent is at fault: a request, or the file in it."),
    "policy": ("yours", "The rules of the site or of a benchmark say no."),
    "model": ("yours", "A model that was named cannot be run."),
    "infra": ("ours", "A service of this site is away or broken."),
    "scorer": ("ours", "Scoring did not come to an end."),
}


@dataclass(frozen=True, slots=True)
class Code:
    """One entry of the list.

    Attributes:
        code: `owner.word`.
        title: what kind of fault this is, in a few words.
        meaning: a sentence or two about every such fault.
        remedy: what the reader can do.
        status: of the HTTP answer that bears it; None where none does.
        retry_after: seconds after which asking again makes sense; None where it does not.
        is_retried: we try again by ourselves.
    """

    code: str
    title: str
    meaning: str
    remedy: str
    status: int | None = None
    retry_after: int | None = None
    is_retried: bool = False

    @property
    def owner(self) -> str:
        return self.code.partition(".")[0]

    @property
    def fault(self) -> Literal["yours", "ours"]:
        """Whose fault it is."""
        return OWNERS[self.owner][0]
