"""Where the board stands and where its links lead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit


@dataclass(frozen=True, slots=True)
class Site:
    """The addresses that the pages need.

    Attributes:
        api_url: where this process reads the API.
        public_url: where readers find the portal; empty when it is the board's own origin.
        root_path: the path under which a proxy shows the board ("/board"), or empty.
    """

    api_url: str
    public_url: str = ""
    root_path: str = ""

    def portal(self, path: str) -> str:
        """A page of the portal; relative to the origin when the board shares it."""
        return path if self.root_path else self.public_url + path

    def page(self, name: str, query: Mapping[str, str]) -> str:
        """A page of the board (`""`, `system`, `compare`, `about`) in a given state."""
        kept = urlencode({key: value for key, value in query.items() if value})
        return f"{self.root_path}/{name}" + (f"?{kept}" if kept else "")

    def board_json(self, benchmark: str, version: str, track: str) -> str:
        """The board as the API gives it."""
        address = "/".join(quote(part, safe="") for part in (benchmark, version, track))
        return self.portal(f"/api/v1/boards/{address}")

    def board_csv(self, benchmark: str, version: str, track: str, slice_: str) -> str:
        """One slice of it for a spreadsheet."""
        return f"{self.board_json(benchmark, version, track)}.csv?{urlencode({'slice': slice_})}"


def outside(url: object) -> str | None:
    """The address if it is plain http(s); None for anything that a browser might run."""
    if not isinstance(url, str):
        return None
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return url.strip() if parts.scheme in {"http", "https"} and parts.netloc else None
