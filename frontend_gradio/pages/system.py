"""One system on one track: all its scores, where it stands, what sets it apart from others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from frontend_gradio import figures
from frontend_gradio.board_document import (
    facet_titles,
    metric_of,
    provenance_of,
    ranked,
    row_named,
    score_of,
    slice_of,
)
from frontend_gradio.markup import Safe, caption, join, name_of, select, tag
from frontend_gradio.pages.chrome import trail
from frontend_gradio.pages.drawn import Drawn
from frontend_gradio.pages.scores import chance, hole, matrix, verdict
from frontend_gradio.site import Site, outside
from frontend_gradio.source import Json, Source, Trouble
from frontend_gradio.state import View


def draw(source: Source, site: Site, asked: View) -> Drawn:
    """The page of the system that the view names.

    Raises:
        Trouble: it cannot be read, or stands on no such board.
    """
    place = source.place(asked)
    board = source.board(place.view)
    if row_named(board, asked.system) is None:
        raise Trouble(
            "No such system on this board",
            f"Nothing called “{asked.system}” stands on {board['track']['title']}. It may have "
            "been withdrawn, or stand on another track.",
        )
    document = source.system(place.view)
    row: Json = document["row"]
    slices = [entry for entry in board["slices"] if row["scores"].get(entry["slug"])]
    slice_ = slice_of({"slices": slices or board["slices"]}, place.view)
    metric = metric_of(board, slice_, place.view.metric)
    view = replace(place.view, slice=slice_["slug"], metric=metric["slug"], first="", second="")
    dots = figures.slice_dots(row, slices, metric)
    return Drawn(
        head=join(
            trail(
                (f"{board['benchmark']['title']} {board['version']}", site.page("", view.place()))
            ),
            _title(board, row, site, view),
            _standing(board, row, slice_, metric),
            _scores(board, row, slices),
        ),
        title=f"{row['name']} · {board['track']['title']} · Plumbline",
        query=view.query(),
        above_figure=_figure_head(board, slices, slice_, metric, view),
        figure=figures.dot_plot(dots, f"{metric['title']} (%)"),
        figure_words=figures.in_words(dots, f"{row['name']}, {metric['title']} by slice"),
        foot=_differences(board, document.get("differences") or [], slice_, metric, site, view),
    )


def _title(board: Json, row: Json, site: Site, view: View) -> Safe:
    word, meaning = provenance_of(row)
    home = outside(row.get("url"))
    facts = [
        tag("span", word, class_=f"b-badge b-badge--{row['provenance']}"),
        tag("span", meaning),
        *(tag("span", f"{facet}: ", name_of(value)) for facet, value in facet_titles(board, row)),
        tag("span", "Team: ", name_of(row["team"])) if row.get("team") else None,
        tag("span", f"submitted {row['submitted_at'][:10]}") if row.get("submitted_at") else None,
        tag("a", "home page", href=home, rel="nofollow noopener noreferrer") if home else None,
    ]
    others = [other for other in board["rows"] if other["system"] != row["system"]]
    nearest = next((o["system"] for o in others if o["kind"] == "entrant"), "")
    return tag(
        "div",
        tag(
            "div",
            tag("h1", name_of(row["name"])),
            tag("p", board["track"]["title"], class_="b-facts"),
            tag("p", join(*(fact for fact in facts if fact)), class_="b-facts b-facts--list"),
        ),
        tag(
            "a",
            "Compare with another",
            href=site.page("compare", view.place(first=row["system"], second=nearest)),
            class_="pl-button pl-button--quiet",
        ),
        class_="b-title",
    )


def _standing(board: Json, row: Json, slice_: Json, metric: Json) -> Safe:
    """Where it stands, in a sentence."""
    score = score_of(row, slice_, metric)
    at = f"{metric['title']}, {slice_['title'].lower()}"
    if score is None or score["value"] is None:
        reason = (score or {}).get("reason") or "the row does not give it"
        return tag("p", f"No value for {at}: {reason}.", class_="b-standing")
    interval = f" ({score['interval_text']})" if score.get("interval_text") else ""
    told: list[Safe | str] = [at, ": ", tag("strong", score["text"]), interval]
    if score.get("rank_text"):
        n = len(ranked(board["rows"], slice_, metric))
        may = score.get("rank_interval_text")
        told.append(f". Rank {score['rank_text']} of {n}" + (f", may be {may}" if may else ""))
    else:
        told.append(". Not ranked: only rows that were scored here are")
    if score.get("unresolved_from_next"):
        told.append("; the next in rank cannot be told apart from it")
    return tag("p", *told, ".", class_="b-standing")


def _scores(board: Json, row: Json, slices: Sequence[Json]) -> Safe:
    metrics = [
        metric
        for metric in board["metrics"]
        if any(score_of(row, slice_, metric) is not None for slice_ in slices)
    ]
    if not metrics:
        return tag("p", "No score is shown for this system.", class_="b-empty")

    def cell(slice_: Json, metric: Json) -> Safe:
        score = score_of(row, slice_, metric)
        if score is None:
            return tag("td", class_="b-value")
        if score["value"] is None:
            return hole(score.get("text") or "—", score.get("reason") or "no value")
        below = score.get("interval_text") or (
            "interval pending" if score.get("interval") == "pending" else ""
        )
        return tag(
            "td",
            tag("strong", score["text"]) if score.get("best") else score["text"],
            tag("span", below, class_="b-interval") if below else None,
            tag("span", _rank(score), class_="b-sub") if score.get("rank_text") else None,
            class_="b-value",
        )

    return matrix("All scores, in percent with intervals and ranks", slices, metrics, cell)


def _rank(score: Json) -> str:
    may = score.get("rank_interval_text")
    return f"rank {score['rank_text']}" + (f" ({may})" if may else "")


def _figure_head(
    board: Json, slices: Sequence[Json], slice_: Json, metric: Json, view: View
) -> Safe:
    fields = (view.place() | {"system": view.system}).items()
    return tag(
        "section",
        tag(
            "form",
            tag("h2", "By slice"),
            join(*(tag("input", type="hidden", name=key, value=value) for key, value in fields)),
            select(
                "metric",
                "Metric",
                [(entry["slug"], entry["title"]) for entry in board["metrics"]],
                metric["slug"],
            ),
            select(
                "slice",
                "Slice of the differences below",
                [(entry["slug"], entry["title"]) for entry in slices],
                slice_["slug"],
            ),
            id="view",
            class_="b-figure-head",
        ),
    )


def _differences(
    board: Json, differences: Sequence[Json], slice_: Json, metric: Json, site: Site, view: View
) -> Safe:
    here = [
        found
        for found in differences
        if (found["slice"], found["metric"]) == (slice_["slug"], metric["slug"])
    ]
    known = [found for found in here if found["value"] is not None]
    untold = [found for found in here if found["value"] is None]
    heading = tag("h2", "Paired differences to the others")
    if not known:
        reasons = {found.get("reason") or "" for found in untold} - {""}
        why = "; ".join(sorted(reasons)) or "none is stored for this slice and metric"
        return tag("section", heading, tag("p", f"None to show: {why}.", class_="pl-soft"))
    title = (
        f"{metric['title']}, {slice_['title'].lower()}, in percentage points: this system minus "
        "the other. A difference whose interval spans zero is unresolved."
    )
    return tag(
        "section",
        heading,
        tag(
            "div",
            tag(
                "table",
                caption(title),
                _difference_head(),
                tag("tbody", join(*(_line(found, board, site, view) for found in known))),
                class_="pl-table b-plain",
            ),
            class_="b-region",
            role="region",
            tabindex=0,
            aria_label="Paired differences",
        ),
        _without(untold),
    )


def _without(untold: Sequence[Json]) -> Safe | None:
    """How many rows have no difference, by reason."""
    if not untold:
        return None
    reasons = sorted({found.get("reason") or "no value" for found in untold})
    counts = [sum((f.get("reason") or "no value") == reason for f in untold) for reason in reasons]
    told = "; ".join(f"{n} ({why})" for n, why in zip(counts, reasons, strict=True))
    return tag("p", f"Without a paired difference: {told}.", class_="pl-soft b-note")


def _difference_head() -> Safe:
    titles = ("Other system", "Difference", "Interval", "Chance to be better", "Verdict")
    cells = [
        tag("th", title, scope="col", class_="pl-num" if 0 < at < 4 else None)
        for at, title in enumerate(titles)
    ]
    return tag("thead", tag("tr", join(*cells)))


def _line(found: Json, board: Json, site: Site, view: View) -> Safe:
    other = row_named(board, found["system"]) or {"name": found["system"]}
    pair = view.place(first=view.system, second=found["system"])
    return tag(
        "tr",
        tag("th", tag("a", name_of(other["name"]), href=site.page("compare", pair)), scope="row"),
        tag("td", found["text"], class_="pl-num"),
        tag("td", found["interval_text"], class_="pl-num pl-interval"),
        tag("td", chance(found.get("probability_better")), class_="pl-num"),
        tag("td", verdict(found["unresolved"])),
        class_="b-open" if found["unresolved"] else None,
    )
