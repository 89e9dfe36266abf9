"""What the pages read from the API, and what to tell a reader when it cannot be read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from frontend_gradio.state import View
from plumbline.client import ApiError, Client, NotFound, PlumblineError, ServerUnreachable

# Any: documents of the API; tables and figures read the fields that it promises.
Json = dict[str, Any]

RETRY_SECONDS = 10
READ_SECONDS = 8.0
AWAY = "infra."  # how the codes begin that say which service of the site is away
NO_REASON = "The service that holds the results answered with an error. Nothing is lost."

T = TypeVar("T")

log = logging.getLogger(__name__)


class Trouble(Exception):
    """Why there is nothing to show, in plain words.

    Attributes:
        retry_seconds: when the page asks again by itself; 0 where that cannot help.
    """

    def __init__(self, title: str, sentence: str, retry_seconds: int = 0) -> None:
        super().__init__(f"{title}. {sentence}")
        self.title = title
        self.sentence = sentence
        self.retry_seconds = retry_seconds


@dataclass(frozen=True, slots=True)
class Place:
    """A board in the catalogue, and the view with its address filled in."""

    catalogue: Sequence[Json]
    benchmark: Json
    version: Json
    track: Json
    view: View


class Source:
    """Reads the API at `url` as nobody: it holds no token."""

    def __init__(self, url: str) -> None:
        self._client = Client(url, timeout=READ_SECONDS)

    def place(self, view: View) -> Place:
        """Where the view points, with defaults for what it leaves open.

        Raises:
            Trouble: nothing is published, or not what the address names.
        """
        catalogue = [entry for entry in self._catalogue() if entry.get("versions")]
        if not catalogue:
            raise Trouble(
                "No benchmark is open yet",
                "As soon as a maintainer opens one, its board stands here.",
            )
        wanted = view.benchmark or _first_to_show(catalogue)["name"]
        benchmark = _named(catalogue, "name", wanted, "benchmark")
        versions: list[Json] = benchmark["versions"]
        version = _named(
            versions, "version", view.version or benchmark.get("promoted") or "", "version"
        )
        tracks: list[Json] = version.get("tracks") or []
        if not tracks:
            raise Trouble("This version has no tracks", "Choose another version.")
        # A track is no promise of every version: switching falls back to the first.
        track = next((entry for entry in tracks if entry["slug"] == view.track), tracks[0])
        there = replace(
            view, benchmark=benchmark["name"], version=version["version"], track=track["slug"]
        )
        return Place(catalogue, benchmark, version, track, there)

    def board(self, view: View) -> Json:
        """The board of the view's track."""
        return _read(lambda: self._client.board(view.benchmark, view.version, view.track))

    def system(self, view: View) -> Json:
        """One row of that board, and its paired differences to the others."""
        return _read(
            lambda: self._client.system(view.benchmark, view.version, view.track, view.system)
        )

    def comparison(self, view: View) -> Json:
        """Paired differences of the view's two systems, first minus second."""
        return _read(
            lambda: self._client.compare(
                view.benchmark, view.version, view.track, view.first, view.second
            )
        )

    def _catalogue(self) -> list[Json]:
        return _read(self._client.benchmarks)


def _first_to_show(catalogue: Sequence[Json]) -> Json:
    """The first benchmark that takes submissions, so that the front page has ranks."""
    return next(
        (
            entry
            for entry in catalogue
            if any(
                version["state"] == "OPEN" and not version["is_reference_only"]
                for version in entry["versions"]
            )
        ),
        catalogue[0],
    )


def _named(entries: Sequence[Json], key: str, wanted: str, what: str) -> Json:
    if not wanted:
        return entries[0]
    for entry in entries:
        if entry[key] == wanted:
            return entry
    raise Trouble(
        f"There is no {what} called “{wanted}”",
        f"It may have been renamed, or the link is cut short. Known: "
        f"{', '.join(str(entry[key]) for entry in entries[:12])}.",
    )


def _read(ask: Callable[[], T]) -> T:
    try:
        return ask()
    except NotFound as error:
        raise Trouble("Nothing stands at this address", error.sentence) from error
    except ServerUnreachable as error:
        log.warning("the API is unreachable: %s", error.sentence)
        raise Trouble(
            "The results cannot be reached just now",
            "The board itself runs, but the service that holds the results does not answer. "
            "Nothing is lost.",
            RETRY_SECONDS,
        ) from error
    except PlumblineError as error:
        log.warning("the API refused: %s", error.sentence)
        wait = error.retry_after if isinstance(error, ApiError) else None
        title, sentence = "The results could not be read", NO_REASON
        if isinstance(error, ApiError) and error.code.startswith(AWAY):
            title, sentence = "The results cannot be read just now", error.sentence
        raise Trouble(title, sentence, max(RETRY_SECONDS, round(wait or 0))) from error
