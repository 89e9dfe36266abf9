"""Paired differences that a publication reports, as printed there."""

from __future__ import annotations

from frontend_gradio.markup import Safe, caption, join, name_of, tag
from frontend_gradio.source import Json

NUMBERS = frozenset({"Difference", "Interval"})


def reported_differences(board: Json) -> Safe | None:
    """Their table; None where the version has none on this track."""
    found = board.get("reported_differences") or []
    if not found:
        return None
    slices = {entry["slug"]: entry["title"] for entry in board["slices"]}
    metrics = {entry["slug"]: entry["title"] for entry in board["metrics"]}
    return tag(
        "section",
        tag("h2", "Reported differences"),
        tag(
            "div",
            tag(
                "table",
                caption(
                    "Paired differences as their publication prints them, in percentage points, "
                    "first minus second.",
                ),
                _head("First", "Second", "Slice", "Metric", "Difference", "Interval", "", "Source"),
                tag("tbody", join(*(_line(entry, slices, metrics) for entry in found))),
                class_="pl-table b-plain",
            ),
            class_="b-region",
            role="region",
            tabindex=0,
            aria_label="Reported differences",
        ),
        class_="b-reported-differences",
    )


def _head(*titles: str) -> Safe:
    cells = (
        tag(
            "th",
            title or tag("span", "Verdict", class_="b-hidden"),
            scope="col",
            class_="pl-num" if title in NUMBERS else None,
        )
        for title in titles
    )
    return tag("thead", tag("tr", join(*cells)))


def _line(found: Json, slices: dict[str, str], metrics: dict[str, str]) -> Safe:
    low, high = str(found.get("low") or ""), str(found.get("high") or "")
    return tag(
        "tr",
        tag("th", name_of(str(found["first"])), scope="row"),
        tag("td", name_of(str(found["second"]))),
        tag("td", slices.get(found["slice"], found["slice"])),
        tag("td", metrics.get(found["metric"], found["metric"])),
        tag("td", str(found["value"]), class_="pl-num"),
        tag("td", f"{low} – {high}" if low and high else "", class_="pl-num pl-interval"),
        tag("td", _verdict(low, high)),
        tag("td", str(found.get("source") or ""), class_="pl-soft"),
    )


def _verdict(low: str, high: str) -> Safe | None:
    """Whether the printed interval leaves zero out; nothing where none is printed."""
    try:
        spans_zero = float(low) <= 0 <= float(high)
    except ValueError:
        return None
    if spans_zero:
        return tag("span", "unresolved", class_="b-verdict b-verdict--open")
    return tag("span", "resolved", class_="b-verdict")
