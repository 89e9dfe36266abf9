"""What a reader looks at, read from the address and written back to it.

Anything may stand in an address, so only short slugs get through; what a board
does not have is replaced by its default when the page is drawn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

SLUG = re.compile(r"[\w.+-]{1,120}")
FACET = "facet-"
MAX_QUERY_LENGTH = 4_000
MAX_FIELDS = 60


@dataclass(frozen=True, slots=True)
class View:
    """A state of any page; empty means the default.

    Attributes:
        facets: (facet, value) pairs that rows must have.
        measured_only: hide reported, human and trivial rows.
        all_metrics: show every metric instead of the headline ones.
    """

    benchmark: str = ""
    version: str = ""
    track: str = ""
    slice: str = ""
    metric: str = ""
    system: str = ""
    first: str = ""
    second: str = ""
    measured_only: bool = False
    all_metrics: bool = False
    facets: tuple[tuple[str, str], ...] = field(default=())

    @classmethod
    def from_query(cls, query: object) -> View:
        """Read a query string; what is not a lawful slug is left out."""
        if not isinstance(query, str) or len(query) > MAX_QUERY_LENGTH:
            return cls()
        try:
            pairs = parse_qsl(query.removeprefix("?"), max_num_fields=MAX_FIELDS)
        except ValueError:
            return cls()
        said = {key: value for key, value in pairs if SLUG.fullmatch(value)}
        if "was" in said and said["was"] != said.get("benchmark"):
            return cls(benchmark=said.get("benchmark", ""))  # another benchmark: start afresh
        plain = {name: said[name] for name in PLAIN if name in said}
        facets = tuple(
            (key.removeprefix(FACET), value)
            for key, value in said.items()
            if key.startswith(FACET) and SLUG.fullmatch(key)
        )
        return cls(
            **plain,
            measured_only=said.get("rows") == "measured",
            all_metrics=said.get("columns") == "all",
            facets=facets,
        )

    def query(self, **changes: str) -> dict[str, str]:
        """The parameters that reproduce this view, defaults left out; `changes` win."""
        said = {name: getattr(self, name) for name in PLAIN}
        said["rows"] = "measured" if self.measured_only else ""
        said["columns"] = "all" if self.all_metrics else ""
        said |= {FACET + facet: value for facet, value in self.facets}
        return {key: value for key, value in (said | changes).items() if value}

    def place(self, **changes: str) -> dict[str, str]:
        """Only the address of the board (benchmark, version, track), and `changes`."""
        place = {"benchmark": self.benchmark, "version": self.version, "track": self.track}
        return {key: value for key, value in (place | changes).items() if value}


PLAIN = ("benchmark", "version", "track", "slice", "metric", "system", "first", "second")
