"""The leaderboard of one track: choosers, tabs, table, figure, notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from frontend_gradio import figures
from frontend_gradio.board_document import metric_of, shown_rows, slice_of, used_metrics
from frontend_gradio.markup import Safe, join, select, tag
from frontend_gradio.pages.choosers import filters, tabs, title, values_of
from frontend_gradio.pages.drawn import Drawn
from frontend_gradio.pages.reported import reported_differences
from frontend_gradio.site import Site
from frontend_gradio.source import Json, Place, Source
from frontend_gradio.state import View
from frontend_gradio.tables import NO_SYSTEMS, board_table


def draw(source: Source, site: Site, asked: View) -> Drawn:
    """The board that the view points to.

    Raises:
        Trouble: it cannot be read, or does not exist.
    """
    place = source.place(asked)
    board = source.board(place.view)
    view = _lawful(board, place.view)
    if not board["slices"]:
        return _bare(board, place, view, site)
    slice_ = slice_of(board, view)
    metric = metric_of(board, slice_, view.metric)
    dots = figures.score_dots(shown_rows(board, view), slice_, metric)
    subject = f"{metric['title']}, {slice_['title']}, {board['track']['title']}"
    return Drawn(
        head=join(title(board, place, view), tabs(place, view, site), filters(board, view)),
        title=f"{board['benchmark']['title']}, {board['track']['title']} · Plumbline",
        query=view.query(),
        table=board_table(board, view, site)
        | {
            "tab": f"tab-{view.track}",
            "caption": f"Leaderboard: {board['track']['title']}, {slice_['title']}",
            "captionHtml": _caption(board, slice_),
            "files": _files(view, slice_, site),
        },
        above_figure=_figure_head(board, slice_, metric, len(dots)),
        figure=figures.dot_plot(dots, f"{metric['title']} (%)"),
        figure_words=figures.in_words(dots, subject),
        foot=_foot(board, site),
    )


def _bare(board: Json, place: Place, view: View, site: Site) -> Drawn:
    """A board without a row: an invitation, or a word on those under way."""
    n_coming = place.track.get("n_rows") or 0
    coming = f"{n_coming} published, none scored yet: rows appear here as soon as they are."
    invitation = tag(
        "div",
        tag("p", coming if n_coming else NO_SYSTEMS),
        tag("p", tag("a", "How to submit", href=site.page("about", {}) + "#submit")),
        id="panel",
        role="tabpanel",
        aria_labelledby=f"tab-{view.track}",
        class_="b-empty",
    )
    form = tag("form", tag("input", type="hidden", name="track", value=view.track), id="view")
    return Drawn(
        head=join(title(board, place, view), tabs(place, view, site), invitation, form),
        title=f"{board['benchmark']['title']}, {board['track']['title']} · Plumbline",
        query=view.query(),
        foot=_foot(board, site),
    )


def _lawful(board: Json, view: View) -> View:
    """The view without what this board does not have: defaults stay out of the address."""
    facets = {facet["slug"]: values_of(facet) for facet in board.get("facets", [])}
    slices = [slice_["slug"] for slice_ in board["slices"]]
    metrics = {metric["slug"] for metric in board["metrics"]}
    return replace(
        view,
        slice=view.slice if view.slice in slices[1:] else "",
        metric=view.metric if view.metric in metrics else "",
        system="",
        first="",
        second="",
        facets=tuple(pair for pair in view.facets if pair[1] in facets.get(pair[0], {})),
    )


def _caption(board: Json, slice_: Json) -> Safe:
    level = board.get("summary", {}).get("level") or 0.95
    n = f", {slice_['n']:,} questions" if slice_.get("n") else ""
    about = f" {slice_['description']}" if slice_.get("description") else ""
    return join(
        tag("strong", f"{slice_['title']}{n}."),
        about,
        f" In percent, with {100 * level:g} % intervals below.",
    )


def _files(view: View, slice_: Json, site: Site) -> Safe:
    address = (view.benchmark, view.version, view.track)
    return tag(
        "div",
        tag("a", "CSV", href=site.board_csv(*address, slice_["slug"]), download=True),
        tag("a", "JSON", href=site.board_json(*address)),
        class_="b-files",
    )


def _figure_head(board: Json, slice_: Json, metric: Json, n_dots: int) -> Safe:
    metrics = used_metrics(board, slice_)
    shown = min(n_dots, figures.MAX_DOTS)
    cut = f"The best {shown} of {n_dots} rows. " if n_dots > shown else ""
    return tag(
        "section",
        _legend(),
        tag(
            "div",
            tag("h2", "At a glance"),
            select(
                "metric",
                "Metric",
                [(entry["slug"], entry["title"]) for entry in metrics],
                metric["slug"],
                form="view",
            ),
            class_="b-figure-head",
        ),
        tag(
            "p",
            f"{cut}{metric['description'] or metric['title'] + '.'} A dot is the value, the line "
            "its interval; intervals that overlap do not settle a comparison, the paired "
            "difference does.",
            class_="pl-soft b-note",
        ),
    )


def _legend() -> Safe:
    return tag(
        "p",
        tag("strong", "Bold"),
        " best in column; ",
        tag("span", "underlined", class_="b-best-group"),
        " best in its group; ",
        tag("span", "≈", class_="b-sign"),
        " between two rows: the paired difference does not tell them apart. Below each rank "
        "stands the range that it may have.",
        class_="pl-soft b-note b-legend",
    )


def _foot(board: Json, site: Site) -> Safe:
    summary = board.get("summary", {})
    facts: list[str] = []
    if summary.get("draws"):
        facts.append(f"{summary['draws']:,} draws, seed {summary.get('seed')}")
    if board.get("last_scored_at"):
        facts.append(f"last scored {_minute(board['last_scored_at'])}")
    if board.get("generated_at"):
        facts.append(f"built {_minute(board['generated_at'])}")
    return join(
        reported_differences(board),
        _notes(board.get("notes") or []),
        tag(
            "p",
            " · ".join(facts),
            " · " if facts else "",
            tag("a", "How to read this board", href=site.page("about", {})),
            class_="pl-soft b-note",
        ),
    )


def _notes(notes: Sequence[str]) -> Safe | None:
    if not notes:
        return None
    return tag(
        "section",
        tag("h2", "Notes"),
        tag("ul", join(*(tag("li", note) for note in notes))),
        class_="b-notes",
    )


def _minute(moment: str) -> str:
    """An ISO moment of the API to the minute, as UTC says it."""
    return moment[:16].replace("T", " ") + " UTC"
