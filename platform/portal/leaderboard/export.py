"""A board as CSV, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io

from portal.leaderboard.assembly import Json

# A cell that begins so is run as a formula, or sent elsewhere, by some spreadsheet.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "＝", "＋", "－", "＠")


def safe_cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula: an apostrophe stands before it."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def board_csv(board: Json, slice_: str) -> str:
    """One line a row, in the order of the board: numbers of one slice, in percent.

    Args:
        slice_: a slice of the board; one that it lacks gives rows without numbers.
    """
    metrics = [
        metric["slug"]
        for listed in board["slices"]
        if listed["slug"] == slice_
        for metric in board["metrics"]
        if metric["slug"] in listed["metrics"]
    ]
    # Ranks are by the primary metric, or by the first where the slice lacks it.
    primary_metric = board["primary_metric"]
    leading = primary_metric if primary_metric in metrics else next(iter(metrics), "")
    facets = [facet["slug"] for facet in board["facets"]]
    head = ["rank", "rank_low", "rank_high", "system", "name", "kind", "provenance", "team"]
    head += [*facets, "url", "submitted_at", "slice"]
    for metric in metrics:
        head += [f"{metric}_percent", f"{metric}_low_percent", f"{metric}_high_percent"]
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(head)
    for row in board["rows"]:
        scores = row["scores"].get(slice_, {})
        primary = scores.get(leading, {})
        line = [primary.get("rank"), primary.get("rank_low"), primary.get("rank_high")]
        line += [row["system"], row["name"], row["kind"], row["provenance"], row["team"]]
        line += [row["facets"].get(facet) for facet in facets]
        line += [row["url"], row["submitted_at"], slice_]
        numbers = [
            _percent(scores.get(metric, {}).get(part))
            for metric in metrics
            for part in ("value", "low", "high")
        ]
        writer.writerow([*(_cell(value) for value in line), *numbers])
    return text.getvalue()


def _cell(value: object) -> str:
    return "" if value is None else safe_cell(str(value))


def _percent(fraction: float | None) -> str:
    """A number that stays one: at most two decimals, a plain minus."""
    return "" if fraction is None else f"{fraction * 100:.2f}"
