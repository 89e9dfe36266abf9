"""The board's choosers: benchmark, version, track, slice, facets, columns."""

from __future__ import annotations

from frontend_gradio.board_document import slice_of
from frontend_gradio.markup import Safe, join, select, tag
from frontend_gradio.site import Site
from frontend_gradio.source import Json, Place
from frontend_gradio.state import FACET, View
from frontend_gradio.tables import has_more_metrics

STATES = {
    "OPEN": "open for submissions",
    "CLOSED": "closed",
    "REHEARSED": "in rehearsal",
    "DRAFT": "draft",
}
ANSWERS = {
    "public": "answers are public",
    "hidden": "answers are hidden",
    "partly": "answers are partly public",
}


def title(board: Json, place: Place, view: View) -> Safe:
    """What this is, and the choosers of another benchmark or version."""
    version = place.version
    facts = [
        board["benchmark"].get("family_title") or "",
        f"{version['n_questions']:,} questions" if version.get("n_questions") else "",
        "published results only"
        if version.get("is_reference_only")
        else STATES.get(board.get("state", ""), ""),
        ANSWERS.get(board["track"].get("answers", ""), ""),
    ]
    return tag(
        "div",
        tag(
            "div",
            tag("h1", board["benchmark"]["title"]),
            tag("p", " · ".join(filter(None, facts)), class_="b-facts"),
        ),
        tag(
            "form",
            select(
                "benchmark",
                "Benchmark",
                [(entry["name"], entry["title"]) for entry in place.catalogue],
                view.benchmark,
                form="view",
            ),
            select(
                "version",
                "Version",
                [(entry["version"],) * 2 for entry in place.benchmark["versions"]],
                view.version,
                form="view",
            ),
            # A choice of another benchmark must not carry this one's version along.
            tag("input", type="hidden", name="was", value=view.benchmark, form="view"),
            class_="b-choosers",
        ),
        class_="b-title",
    )


def tabs(place: Place, view: View, site: Site) -> Safe:
    """One tab per track; each is a link, so it can be opened elsewhere."""
    found = []
    for track in place.version["tracks"]:
        is_here = track["slug"] == view.track
        found.append(
            tag(
                "a",
                track["title"],
                tag("span", track["n_rows"], class_="b-n") if track.get("n_rows") else None,
                href=site.page("", view.query(track=track["slug"])),
                id=f"tab-{track['slug']}",
                role="tab",
                aria_selected="true" if is_here else "false",
                aria_controls="panel" if is_here else None,
                tabindex=0 if is_here else -1,
                data_ask=True,
            )
        )
    return tag("div", join(*found), role="tablist", aria_label="Tracks", class_="b-tabs")


def filters(board: Json, view: View) -> Safe:
    """The form that holds the view; choosers elsewhere on the page belong to it as well."""
    slice_ = slice_of(board, view)
    kinds = {row["kind"] for row in board["rows"]}
    mixed = "entrant" in kinds and len(kinds) > 1
    about = [board["track"].get("description") or "", board["track"].get("note") or ""]
    return join(
        tag("p", " ".join(filter(None, about)), class_="b-about-track") if any(about) else None,
        tag(
            "form",
            tag("input", type="hidden", name="track", value=view.track),
            select(
                "slice",
                "Slice",
                [(entry["slug"], _sized(entry)) for entry in board["slices"]],
                slice_["slug"],
            ),
            _facet_choices(board, view),
            _switch("rows", "measured", "all", "Reported and trivial rows", not view.measured_only)
            if mixed
            else None,
            _switch("columns", "", "all", "All metrics", view.all_metrics)
            if has_more_metrics(board, slice_)
            else None,
            id="view",
            class_="b-filters",
        ),
    )


def _facet_choices(board: Json, view: View) -> list[Safe]:
    chosen = dict(view.facets)
    return [
        select(
            FACET + facet["slug"],
            facet["title"],
            [("", "any"), *values_of(facet).items()],
            chosen.get(facet["slug"], ""),
        )
        for facet in board.get("facets", [])
        if len(values_of(facet)) > 1
    ]


def _switch(name: str, off: str, on: str, label: str, is_on: bool) -> Safe:
    """A checkbox that says something in both states."""
    return tag(
        "div",
        tag("input", type="hidden", name=name, value=off),
        tag(
            "input",
            type="checkbox",
            role="switch",
            name=name,
            value=on,
            id=f"choose-{name}",
            checked=is_on,
        ),
        tag("label", label, for_=f"choose-{name}"),
        class_="b-switch",
    )


def _sized(slice_: Json) -> str:
    return f"{slice_['title']} ({slice_['n']:,})" if slice_.get("n") else str(slice_["title"])


def values_of(facet: Json) -> dict[str, str]:
    """A facet's values, slug to title."""
    return {value["slug"]: value["title"] for value in facet.get("values") or []}
