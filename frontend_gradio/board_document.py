"""Lookups in a board's JSON that more than one page needs. Computes no score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from frontend_gradio.source import Json
from frontend_gradio.state import View

MEASURED = "entrant"

PROVENANCE = {
    "submitted": ("submitted", "Scored here from a predictions file that its makers handed in"),
    "reported": ("reported", "As printed in a publication; not scored here"),
    "run-here": ("run here", "We ran the model ourselves and scored what it said"),
    "computed": ("computed", "A row that needs no model, computed here"),
}


def slice_of(board: Json, view: View) -> Json:
    """The slice that the view names, else the first, which holds all questions."""
    return _chosen(board["slices"], view.slice)


def metric_of(board: Json, slice_: Json, wanted: str) -> Json:
    """The metric named, else the board's primary one, else the first of the slice."""
    metrics = metrics_of(board, slice_)
    return (
        _chosen(metrics, wanted)
        if _has(metrics, wanted)
        else _chosen(metrics, board.get("primary_metric") or "")
    )


def metrics_of(board: Json, slice_: Json) -> list[Json]:
    """The metrics that are defined on a slice, in the board's order."""
    defined = set(slice_.get("metrics") or [])
    found = [metric for metric in board["metrics"] if metric["slug"] in defined]
    return found or list(board["metrics"])


def used_metrics(board: Json, slice_: Json) -> list[Json]:
    """Those of them in which at least one row has something to show."""
    rows = board["rows"]
    used = [
        metric
        for metric in metrics_of(board, slice_)
        if any(score_of(row, slice_, metric) is not None for row in rows)
    ]
    return used or metrics_of(board, slice_)


def score_of(row: Json, slice_: Json, metric: Json) -> Json | None:
    """The disclosed score at this address; None where the row says nothing about it."""
    score: Json | None = row["scores"].get(slice_["slug"], {}).get(metric["slug"])
    return score


def shown_rows(board: Json, view: View) -> list[Json]:
    """The rows that pass the view's filters, in the board's order."""
    return [
        row
        for row in board["rows"]
        if (row["kind"] == MEASURED or not view.measured_only)
        and all(row["facets"].get(facet) == value for facet, value in view.facets)
    ]


def ranked(rows: Iterable[Json], slice_: Json, metric: Json) -> list[Json]:
    """Rows that hold a rank at this address, best first."""
    at: list[tuple[int, Json]] = []
    for row in rows:
        score = score_of(row, slice_, metric)
        if score and score.get("rank") is not None:
            at.append((score["rank"], row))
    return [row for _, row in sorted(at, key=lambda pair: pair[0])]


def row_named(board: Json, slug: str) -> Json | None:
    """The row of a system."""
    return next((row for row in board["rows"] if row["system"] == slug), None)


def provenance_of(row: Json) -> tuple[str, str]:
    """The badge's word and what it means."""
    word, meaning = PROVENANCE.get(row["provenance"], (row["provenance"], ""))
    return word, row.get("provenance_text") or meaning


def facet_titles(board: Json, row: Json) -> list[tuple[str, str]]:
    """What a row says of itself: (facet title, value title)."""
    said: list[tuple[str, str]] = []
    for facet in board.get("facets", []):
        value = row["facets"].get(facet["slug"])
        if value:
            titles = {entry["slug"]: entry["title"] for entry in facet.get("values") or []}
            said.append((facet["title"], titles.get(value, value)))
    return said


def _has(entries: Sequence[Json], slug: str) -> bool:
    return any(entry["slug"] == slug for entry in entries)


def _chosen(entries: Sequence[Json], slug: str) -> Json:
    return next((entry for entry in entries if entry["slug"] == slug), entries[0])
