"""Two systems side by side: paired differences, and what they mean in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from frontend_gradio import figures
from frontend_gradio.board_document import metric_of, row_named, score_of, slice_of
from frontend_gradio.markup import Safe, join, name_of, select, tag
from frontend_gradio.pages.chrome import trail
from frontend_gradio.pages.drawn import Drawn
from frontend_gradio.pages.reported import reported_differences
from frontend_gradio.pages.scores import chance, hole, matrix, verdict
from frontend_gradio.site import Site
from frontend_gradio.source import Json, Place, Source, Trouble
from frontend_gradio.state import View

SIGNS = "+−-"
Differences = dict[tuple[str, str], Json]  # by (slice, metric)


def draw(source: Source, site: Site, asked: View) -> Drawn:
    """The comparison of the view's two systems; the two best where it names none.

    Raises:
        Trouble: it cannot be read, or there are no two systems to compare.
    """
    place = source.place(asked)
    board = source.board(place.view)
    first, second = _pair(board, place.view)
    view = replace(place.view, first=first["system"], second=second["system"], system="")
    found = source.comparison(view)["differences"]
    differences = {(entry["slice"], entry["metric"]): entry for entry in found}
    slices = [entry for entry in board["slices"] if any(s == entry["slug"] for s, _ in differences)]
    metrics = [
        entry for entry in board["metrics"] if any(m == entry["slug"] for _, m in differences)
    ]
    if not slices or not metrics:
        raise Trouble(
            "These two cannot be compared",
            f"{first['name']} and {second['name']} share no score on {board['track']['title']}.",
        )
    slice_ = slice_of({"slices": slices}, view)
    metric = metric_of(
        {"metrics": metrics, "primary_metric": board["primary_metric"]}, {}, view.metric
    )
    view = replace(view, slice=slice_["slug"], metric=metric["slug"])
    dots = figures.difference_dots(
        [
            (entry["title"], differences[entry["slug"], metric["slug"]])
            for entry in slices
            if (entry["slug"], metric["slug"]) in differences
        ]
    )
    names = f"{first['name']} minus {second['name']}"
    return Drawn(
        head=join(
            trail(
                (f"{board['benchmark']['title']} {board['version']}", site.page("", view.place()))
            ),
            tag("h1", "Compare"),
            _chooser(place, board, view, slices, metrics),
            _verdict(
                differences.get((slice_["slug"], metric["slug"])), first, second, slice_, metric
            ),
            _values(first, second, slice_, metric, site, view),
            _matrix(differences, slices, metrics),
        ),
        title=f"{first['name']} and {second['name']} · Plumbline",
        query=view.query(),
        above_figure=tag(
            "section",
            tag("h2", f"{metric['title']} by slice"),
            tag(
                "p",
                name_of(first["name"]),
                " minus ",
                name_of(second["name"]),
                ", in percentage points. Right of the line the first is higher; a hollow dot is "
                "unresolved.",
                class_="pl-soft b-note",
            ),
        ),
        figure=figures.dot_plot(dots, "difference (percentage points)", zero=True),
        figure_words=figures.in_words(dots, f"{names}, {metric['title']} by slice"),
        foot=join(reported_differences(board)),
    )


def _pair(board: Json, view: View) -> tuple[Json, Json]:
    rows = [row for row in board["rows"] if row["kind"] in {"entrant", "trivial"}] or board["rows"]
    for slug in (view.first, view.second):
        if slug and row_named(board, slug) is None:
            raise Trouble("No such system on this board", f"Nothing here is called “{slug}”.")
    first = row_named(board, view.first) or next(
        (row for row in rows if row["system"] != view.second), None
    )
    second = row_named(board, view.second) or next(
        (row for row in rows if first and row["system"] != first["system"]), None
    )
    if first is None or second is None:
        raise Trouble("Nothing to compare yet", "A comparison needs two systems on the board.")
    return first, second


def _chooser(
    place: Place, board: Json, view: View, slices: Sequence[Json], metrics: Sequence[Json]
) -> Safe:
    systems = [(row["system"], row["name"]) for row in board["rows"]]
    tracks = [(track["slug"], track["title"]) for track in place.version["tracks"]]
    return tag(
        "form",
        tag("input", type="hidden", name="benchmark", value=view.benchmark),
        tag("input", type="hidden", name="version", value=view.version),
        select("first", "First system", systems, view.first),
        select("second", "Second system", systems, view.second),
        select("track", "Track", tracks, view.track),
        select("slice", "Slice", [(e["slug"], e["title"]) for e in slices], view.slice),
        select("metric", "Metric", [(e["slug"], e["title"]) for e in metrics], view.metric),
        id="view",
        class_="b-filters b-compare",
    )


def sentence(found: Json | None, first: str, second: str, higher_is_better: bool) -> str:
    """What the difference says, in plain words and with the API's own figures."""
    if found is None or found["value"] is None:
        reason = (found or {}).get("reason") or "no paired difference is stored here"
        return f"{first} and {second} cannot be compared here: {reason}."
    interval = f" [{found['interval_text']}]" if found["interval_text"] else ""
    if found["value"] == 0:
        return f"{first} and {second} are level{interval}: {_resolution(found)}."
    leads = (found["value"] > 0) == higher_is_better
    amount = found["text"].lstrip(SIGNS)
    # The interval is printed as disclosed, first minus second, so its sign may need a word.
    shown = (
        interval
        if found["value"] > 0 or not interval
        else (f" [{found['interval_text']}, first minus second]")
    )
    where = "ahead of" if leads else "behind"
    return f"{first} is {where} {second} by {amount} points{shown}: {_resolution(found)}."


def _resolution(found: Json) -> str:
    if found["unresolved"] is None:
        return found.get("interval_reason") or "no interval, so nobody can say whether it is real"
    if found["unresolved"]:
        return "unresolved, the interval spans zero"
    return "resolved"


def _verdict(found: Json | None, first: Json, second: Json, slice_: Json, metric: Json) -> Safe:
    said = sentence(found, first["name"], second["name"], metric.get("higher_is_better", True))
    better = (found or {}).get("probability_better")
    return tag(
        "div",
        tag("p", tag("bdi", said), class_="b-sentence"),
        tag(
            "p",
            f"{metric['title']}, {slice_['title'].lower()}.",
            f" Chance that the first is the better one: {chance(better)}."
            if better is not None
            else None,
            "" if metric.get("higher_is_better", True) else " Lower is better.",
            class_="pl-soft",
        ),
        class_="b-outcome" + (" b-outcome--open" if not found or found["unresolved"] else ""),
        role="status",
    )


def _values(first: Json, second: Json, slice_: Json, metric: Json, site: Site, view: View) -> Safe:
    """The two values themselves, each with the way to its system's page."""
    items = []
    for row in (first, second):
        score = score_of(row, slice_, metric) or {"text": "—", "interval_text": ""}
        interval = f" ({score['interval_text']})" if score.get("interval_text") else ""
        items.append(
            tag(
                "div",
                tag(
                    "dt",
                    tag(
                        "a",
                        name_of(row["name"]),
                        href=site.page("system", view.place(system=row["system"])),
                    ),
                ),
                tag("dd", f"{score['text']}{interval}", class_="pl-num"),
            )
        )
    return tag("dl", join(*items), class_="b-values")


def _matrix(differences: Differences, slices: Sequence[Json], metrics: Sequence[Json]) -> Safe:
    def cell(slice_: Json, metric: Json) -> Safe:
        found = differences.get((slice_["slug"], metric["slug"]))
        if found is None:
            return tag("td", class_="b-value")
        if found["value"] is None:
            return hole(found.get("text") or "—", found.get("reason") or "no value")
        return tag(
            "td",
            found["text"],
            tag("span", found["interval_text"], class_="b-interval"),
            verdict(found["unresolved"]),
            class_="b-value" + (" b-open" if found["unresolved"] else ""),
        )

    title = "First minus second in percentage points, with intervals of the paired difference"
    return matrix(title, slices, metrics, cell)
