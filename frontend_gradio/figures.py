"""Dot plots with error bars. Colours of text and grid follow the page's tokens (board.css)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go

from frontend_gradio.board_document import MEASURED, score_of
from frontend_gradio.source import Json

MAX_DOTS = 60
MAX_LABEL = 26
ROW_PIXELS = 21
FRAME_PIXELS = 92

# One mark per way a row came about; told apart by shape as well as by colour.
# The colours keep a contrast of 3 to 1 on the light and on the dark paper.
MARKS = {
    "scored here": ("circle", "#3d82c4"),
    "reported": ("diamond", "#8b76bd"),
    "no model": ("x-thin-open", "#8a8f96"),
    "resolved": ("circle", "#3d82c4"),
    "unresolved": ("circle-open", "#8a8f96"),
}
GREY = "#7d848c"


@dataclass(frozen=True, slots=True)
class Dot:
    """One line of a dot plot, in the figure's unit (percent or points)."""

    label: str
    value: float
    low: float | None
    high: float | None
    text: str
    mark: str


def score_dots(rows: Sequence[Json], slice_: Json, metric: Json) -> list[Dot]:
    """A dot per row that has a value, best first."""
    dots = [
        _dot(row["name"], score, _mark(row))
        for row in rows
        if (score := score_of(row, slice_, metric)) and score["value"] is not None
    ]
    return sorted(dots, key=lambda dot: dot.value, reverse=metric.get("higher_is_better", True))


def slice_dots(row: Json, slices: Sequence[Json], metric: Json) -> list[Dot]:
    """A dot per slice in which the row has a value, in the slices' order."""
    return [
        _dot(slice_["title"], score, _mark(row))
        for slice_ in slices
        if (score := score_of(row, slice_, metric)) and score["value"] is not None
    ]


def difference_dots(differences: Sequence[tuple[str, Json]]) -> list[Dot]:
    """A dot per paired difference that could be computed; (label, difference)."""
    return [
        _dot(label, found, "unresolved" if found["unresolved"] else "resolved")
        for label, found in differences
        if found["value"] is not None
    ]


def dot_plot(dots: Sequence[Dot], axis_title: str, *, zero: bool = False) -> go.Figure | None:
    """The plot, first dot on top; None if there is nothing to draw.

    Args:
        zero: draw the line of no difference.
    """
    shown = dots[:MAX_DOTS]
    if not shown:
        return None
    figure = go.Figure()
    for mark in dict.fromkeys(dot.mark for dot in shown):
        at = [place for place, dot in enumerate(shown) if dot.mark == mark]
        figure.add_trace(_trace(mark, at, shown))
    figure.update_layout(**_layout(shown, axis_title, legend=len(figure.data) > 1))
    if zero:
        figure.add_vline(x=0, line={"color": GREY, "width": 1.2})
    return figure


def in_words(dots: Sequence[Dot], subject: str) -> str:
    """What the plot shows, for those who do not see it."""
    if not dots:
        return f"{subject}: nothing to draw."
    told = "; ".join(f"{dot.label} {dot.text}" for dot in dots[:3])
    rest = f"; and {len(dots) - 3} more" if len(dots) > 3 else ""
    return f"Dot plot with error bars. {subject}. {told}{rest}. The tables hold the same numbers."


def _dot(label: str, found: Json, mark: str) -> Dot:
    interval = found.get("interval_text")
    low, high = found.get("low"), found.get("high")
    return Dot(
        label=label,
        value=100 * found["value"],
        low=None if low is None else 100 * low,
        high=None if high is None else 100 * high,
        text=f"{found['text']} ({interval})" if interval else found["text"],
        mark=mark,
    )


def _mark(row: Json) -> str:
    if row["kind"] == MEASURED:
        return "scored here"
    return "no model" if row["kind"] == "trivial" else "reported"


def _trace(mark: str, at: Sequence[int], dots: Sequence[Dot]) -> go.Scatter:
    symbol, colour = MARKS[mark]
    chosen = [dots[place] for place in at]
    return go.Scatter(
        x=[dot.value for dot in chosen],
        y=list(at),
        mode="markers",
        name=mark,
        marker={
            "symbol": symbol,
            "size": 8,
            "color": colour,
            "line": {"width": 1.6, "color": colour},
        },
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [0 if dot.high is None else dot.high - dot.value for dot in chosen],
            "arrayminus": [0 if dot.low is None else dot.value - dot.low for dot in chosen],
            "color": colour,
            "thickness": 1.4,
            "width": 0,
        },
        customdata=[[_plain(dot.label), _plain(dot.text)] for dot in chosen],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
    )


def _layout(dots: Sequence[Dot], axis_title: str, *, legend: bool) -> dict[str, object]:
    return {
        "template": "none",
        "height": ROW_PIXELS * len(dots) + FRAME_PIXELS,
        "margin": {"l": 8, "r": 12, "t": 34 if legend else 10, "b": 46},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "system-ui, sans-serif", "size": 12, "color": GREY},
        "showlegend": legend,
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1,
            "yanchor": "bottom",
            "itemclick": False,
            "itemdoubleclick": False,
        },
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": "#22272c", "font": {"color": "#f2f3f4", "size": 12}},
        "xaxis": {
            "title": {"text": _plain(axis_title), "standoff": 8},
            "zeroline": False,
            "gridcolor": GREY,
            "fixedrange": True,
            "ticks": "",
            "nticks": 8,
        },
        "yaxis": {
            "tickvals": list(range(len(dots))),
            "ticktext": [_plain(_shortened(dot.label)) for dot in dots],
            "range": [len(dots) - 0.4, -0.6],
            "automargin": True,
            "fixedrange": True,
            "zeroline": False,
            "gridcolor": GREY,
            "ticks": "",
            "tickfont": {"size": 11.5},
        },
    }


def _shortened(label: str) -> str:
    return label if len(label) <= MAX_LABEL else label[: MAX_LABEL - 1].rstrip() + "…"


def _plain(text: str) -> str:
    """Plotly reads a little HTML in its texts; escaped, it draws the letters themselves."""
    return escape(text, quote=False)
