"""The leaderboard as data for the page's table script: columns, rows, cells.

The script escapes every text it draws. Numbers here serve only to sort and to
place the small interval bars; what a reader sees are the API's strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from frontend_gradio.board_document import (
    MEASURED,
    facet_titles,
    metric_of,
    provenance_of,
    ranked,
    score_of,
    shown_rows,
    slice_of,
    used_metrics,
)
from frontend_gradio.site import Site
from frontend_gradio.source import Json
from frontend_gradio.state import View

# Any: JSON for the browser.
Cell = dict[str, Any]

INTERVAL_WORDS = {"pending": "interval pending", "none": ""}
NO_ROWS = "No row passes these filters."
NO_SYSTEMS = "No system stands on this board yet. Be the first: hand in predictions."


def board_table(board: Json, view: View, site: Site) -> dict[str, Any]:
    """Columns and rows of the view's slice; `sort` names the column that orders it at first."""
    slice_ = slice_of(board, view)
    metrics = shown_metrics(board, slice_, view)
    rows = shown_rows(board, view)
    followers = {metric["slug"]: _followers(board, slice_, metric) for metric in metrics}
    measured = [row for row in rows if row["kind"] == MEASURED] or rows
    spans = {metric["slug"]: span_of(measured, slice_, metric) for metric in metrics}
    primary = metric_of(board, slice_, "")
    in_view = {metric["slug"] for metric in metrics}
    return {
        "columns": [_column(metric) for metric in metrics],
        "rows": [
            {
                **_system(board, row, view, site),
                "cells": [
                    cell_of(
                        score_of(row, slice_, metric),
                        spans[metric["slug"]],
                        followers[metric["slug"]].get(row["system"]),
                        _groups(board, score_of(row, slice_, metric)),
                    )
                    for metric in metrics
                ],
            }
            for row in rows
        ],
        "sort": primary["slug"] if primary["slug"] in in_view else metrics[0]["slug"],
        "empty": NO_ROWS if board["rows"] else NO_SYSTEMS,
    }


def shown_metrics(board: Json, slice_: Json, view: View) -> list[Json]:
    """The view's columns: the headline metrics unless all are asked for."""
    used = used_metrics(board, slice_)
    headline = [metric for metric in used if metric.get("headline")]
    return used if view.all_metrics or not headline else headline


def has_more_metrics(board: Json, slice_: Json) -> bool:
    """Whether the headline leaves something out."""
    used = used_metrics(board, slice_)
    return 0 < sum(bool(metric.get("headline")) for metric in used) < len(used)


def span_of(rows: Sequence[Json], slice_: Json, metric: Json) -> tuple[float, float]:
    """The lowest and highest point of all values and intervals of a column."""
    points: list[float] = []
    for row in rows:
        score = score_of(row, slice_, metric)
        if score and score["value"] is not None:
            ends = (score["value"], score.get("low"), score.get("high"))
            points.extend(end for end in ends if end is not None)
    return (min(points), max(points)) if points else (0.0, 1.0)


def cell_of(
    score: Json | None,
    span: tuple[float, float],
    follower: Json | None = None,
    groups: Sequence[str] = (),
) -> Cell:
    """One cell: short keys, since a board may have thousands.

    t text, v value to sort by, i interval, w why there is no value or interval,
    m [low, value, high] in percent of the column's span (none outside it), r rank, p rank interval,
    b best, g groups in which it is best, u [slug, name] of the next system
    from which it is not resolved.
    """
    if score is None:
        return {"t": "—", "v": None, "w": "not given"}
    if score["value"] is None:
        return {"t": score.get("text") or "—", "v": None, "w": score.get("reason") or "no value"}
    cell: Cell = {"t": score["text"], "v": score["value"]}
    interval = score.get("interval_text")
    if interval:
        cell["i"] = interval
    elif INTERVAL_WORDS.get(score.get("interval") or ""):
        cell["i"] = INTERVAL_WORDS[score["interval"]]
    if score.get("interval_reason"):
        cell["w"] = score["interval_reason"]
    ends = [score.get("low"), score["value"], score.get("high")]
    if all(end is not None and span[0] <= end <= span[1] for end in ends):
        cell["m"] = [_percent(end, span) for end in ends]
    if score.get("rank_text"):
        cell["r"] = score["rank_text"]
        cell["p"] = score.get("rank_interval_text") or ""
    if score.get("best"):
        cell["b"] = 1
    if groups:
        cell["g"] = list(groups)
    if follower is not None and score.get("unresolved_from_next"):
        cell["u"] = [follower["system"], follower["name"]]
    return cell


def _percent(point: float, span: tuple[float, float]) -> float:
    low, high = span
    return round(100 * (point - low) / (high - low), 1) if high > low else 50.0


def _column(metric: Json) -> dict[str, Any]:
    return {
        "slug": metric["slug"],
        "title": metric["title"],
        "short": metric.get("short") or metric["title"],
        "help": metric.get("description") or "",
        "down": int(metric.get("higher_is_better", True)),
    }


def _system(board: Json, row: Json, view: View, site: Site) -> dict[str, Any]:
    word, meaning = provenance_of(row)
    about = [value for _, value in facet_titles(board, row)]
    return {
        "slug": row["system"],
        "name": row["name"],
        "href": site.page("system", view.place(system=row["system"])),
        "kind": row["kind"],
        "badge": [row["provenance"], word, meaning],
        "sub": " · ".join(filter(None, [row.get("team") or "", *about])),
        "measured": int(row["kind"] == MEASURED),
    }


def _followers(board: Json, slice_: Json, metric: Json) -> dict[str, Json]:
    """For each ranked system the one that stands next on the whole board."""
    order = ranked(board["rows"], slice_, metric)
    return {row["system"]: follower for row, follower in pairwise(order)}


def _groups(board: Json, score: Json | None) -> list[str]:
    """Titles of the groups in which a score is the best."""
    titles: list[str] = []
    for group in (score or {}).get("best_in_group") or []:
        facet_slug, _, value_slug = group.partition(":")
        facet = next((f for f in board.get("facets", []) if f["slug"] == facet_slug), None)
        values = {v["slug"]: v["title"] for v in (facet or {}).get("values") or []}
        titles.append(values.get(value_slug, value_slug))
    return titles
