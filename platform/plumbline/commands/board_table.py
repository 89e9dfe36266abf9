"""A board as a table for a terminal; it prints the strings that the site discloses."""

from __future__ import annotations

from plumbline.answers import Json
from plumbline.faults import Exit, Fault
from plumbline.tables import NOTHING, table

UNRESOLVED = "≈"


def board_text(board: Json, slice_: str | None, metric: str | None) -> str:
    """The rows of a board by one metric on one slice, best first, None last.

    Raises:
        Fault: the board has no such slice or metric.
    """
    slices = {str(found["slug"]): found for found in board["slices"]}
    slice_ = _one_of("slice", slice_ or next(iter(slices), ""), list(slices))
    metrics = {str(found["slug"]): found for found in board["metrics"]}
    defined = [str(slug) for slug in slices[slice_].get("metrics") or metrics]
    primary = str(board["primary_metric"])
    metric = metric or (primary if primary in defined else defined[0])
    _one_of("metric", metric, defined)
    rows = [row for row in board["rows"] if _cell(row, slice_, metric)]
    rows.sort(key=lambda row: _order(_cell(row, slice_, metric), _sign(metrics.get(metric))))
    lines = [_line(row, _cell(row, slice_, metric)) for row in rows]
    head = ("rank", "range", "system", metric, "interval", "came about")
    address = f"{board['benchmark']['name']}@{board['version']}"
    caption = f"{address}, {board['track']['slug']}, {slice_}, {metric} in percent"
    if not lines:
        return f"{caption}\nNo row has this score."
    marked = any(line[0].endswith(UNRESOLVED) for line in lines)
    legend = f"\n{UNRESOLVED} not told apart from the next row" if marked else ""
    return f"{caption}\n\n{table(head, lines, 'rllrll')}{legend}"


def _line(row: Json, cell: Json) -> tuple[str, ...]:
    mark = UNRESOLVED if cell.get("unresolved_from_next") else ""
    return (
        f"{cell.get('rank_text') or ''}{mark}",
        str(cell.get("rank_interval_text") or ""),
        str(row["name"]),
        str(cell.get("text") or cell.get("reason") or NOTHING),
        str(cell.get("interval_text") or ""),
        str(row.get("provenance") or row.get("kind") or ""),
    )


def _cell(row: Json, slice_: str, metric: str) -> Json:
    found = row.get("scores", {}).get(slice_, {}).get(metric)
    return found if isinstance(found, dict) else {}


def _order(cell: Json, sign: int) -> tuple[bool, float]:
    value = cell.get("value")
    return (True, 0.0) if value is None else (False, sign * float(value))


def _sign(metric: Json | None) -> int:
    return -1 if metric is None or metric.get("higher_is_better", True) else 1


def _one_of(kind: str, wanted: str, known: list[str]) -> str:
    if wanted not in known:
        raise Fault(
            f"This board has no {kind} {wanted!r}; it has {', '.join(known) or 'none'}.",
            Exit.NOT_FINE,
            code=f"no_{kind}",
        )
    return wanted
