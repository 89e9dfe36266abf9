"""What a page hands to the browser, and how trouble looks in its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from frontend_gradio.markup import Safe, join, tag
from frontend_gradio.source import Trouble


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page in one state.

    Attributes:
        head: title, choosers and whatever stands above the figure.
        title: of the browser's window.
        query: the parameters that reproduce this state.
        table: the leaderboard's data; empty on pages without one.
        above_figure: heading of the figure, with its choosers.
        figure_words: the figure's text alternative.
        foot: what stands below the figure.
        retry_seconds: when to ask again by itself.
        failed: nothing could be drawn; the address stays as it is.
    """

    head: Safe
    title: str
    query: dict[str, str]
    table: dict[str, Any] = field(default_factory=dict)  # Any: JSON for the table script
    above_figure: Safe = field(default_factory=Safe)
    figure: go.Figure | None = None
    figure_words: str = ""
    foot: Safe = field(default_factory=Safe)
    retry_seconds: int = 0
    failed: bool = False


def in_trouble(trouble: Trouble, home: str) -> Drawn:
    """The page that says why there is nothing to show, and when it asks again."""
    again = (
        tag(
            "p",
            f"Asking again in {trouble.retry_seconds} s.",
            data_retry=True,
            class_="pl-soft",
        )
        if trouble.retry_seconds
        else tag("p", tag("a", "All boards", href=home))
    )
    return Drawn(
        head=tag(
            "div",
            tag("h1", trouble.title),
            tag("p", trouble.sentence),
            again,
            class_="b-trouble",
            role="alert",
        ),
        title=f"{trouble.title} · Plumbline",
        query={},
        retry_seconds=trouble.retry_seconds,
        failed=True,
    )


def loading(what: str) -> Safe:
    """The first paint, before the API has been asked."""
    return join(tag("p", f"Loading {what} …", role="status", class_="b-loading"))
