"""How to read a board, and how to get onto one."""

from __future__ import annotations

from frontend_gradio.markup import Safe, join, tag
from frontend_gradio.pages.chrome import trail
from frontend_gradio.site import Site


def draw(site: Site) -> Safe:
    """The whole page; it asks the API nothing."""
    return tag(
        "article",
        trail(("Boards", site.page("", {}))),
        tag("h1", "How to read a board"),
        join(*_reading()),
        tag("h2", "How to submit", id="submit"),
        join(*_submitting(site)),
        class_="b-prose",
    )


def _reading() -> list[Safe]:
    return [
        tag(
            "p",
            "A board shows what systems scored on one track of one version of a benchmark. A "
            "track is how the questions are asked, a slice is which answers count, a metric is "
            "how they are counted. An opened version never changes: a correction is a new one, "
            "and the old board keeps its address.",
        ),
        tag("h2", "Values and intervals"),
        tag(
            "p",
            "Values are percentages. Below each stands its 95 % interval: the clusters of the "
            "benchmark (images or videos, since questions about the same one are not independent) "
            "are drawn again many thousand times, and the interval holds the middle 95 % of what "
            "the system would then have scored. All systems are scored on the same draws. A value "
            "that cannot be computed is a dash with its reason, never a zero; it comes last "
            "however you sort. Where answers are hidden, numbers are rounded and small slices "
            "withheld, so that nobody can read the answers off the board.",
        ),
        tag("h2", "Ranks and rank intervals"),
        tag(
            "p",
            "A rank is a place by value. The range below it says which places the system might "
            "take if the benchmark had been drawn anew: 3 with 1–5 means that it may well be "
            "first, or fifth. Only systems that were scored here are ranked. Published rows and "
            "rows that need no model stand in order among them, without a rank. Systems with the "
            "same value share a rank (2=).",
        ),
        tag("h2", "Unresolved neighbours"),
        tag(
            "p",
            tag("span", "≈", class_="b-sign"),
            " between two rows says that the paired difference of the two has an interval that "
            "spans zero: these questions do not tell them apart. It is no tie and no group. "
            "Overlapping intervals of two values do not settle a comparison in either direction; "
            "the paired difference does, because hard questions are hard for both. The compare "
            "page gives it for any two systems that were scored here.",
        ),
        tag("h2", "Where a row comes from"),
        tag(
            "dl",
            join(*(_badge(*entry) for entry in _PROVENANCE)),
            class_="b-badges",
        ),
    ]


_PROVENANCE = (
    ("submitted", "submitted", "its makers handed in predictions, and they were scored here."),
    ("run-here", "run here", "we ran the model ourselves, pinned to a revision."),
    ("reported", "reported", "as printed in a publication; nothing was scored here, so it has an "
     "interval only where one is printed, and no rank."),
    ("computed", "computed", "needs no model (all letters, no letter, chance): what it takes to "
     "beat nothing."),
)  # fmt: skip


def _badge(slug: str, word: str, meaning: str) -> Safe:
    return tag(
        "div",
        tag("dt", tag("span", word, class_=f"b-badge b-badge--{slug}")),
        tag("dd", meaning),
    )


def _submitting(site: Site) -> list[Safe]:
    address = site.public_url or "ADDRESS-OF-THIS-SITE"
    commands = (
        f"plumbline login --server {address}\n"
        "plumbline questions BENCHMARK\n"
        "plumbline submit predictions.json --benchmark BENCHMARK --track TRACK \\\n"
        "    --system NAME --publish --wait"
    )
    return [
        tag(
            "p",
            "Download the questions of a version, answer them, and hand in one predictions file "
            "per track: on the ",
            tag("a", "submit page", href=site.portal("/submit/")),
            ", through the ",
            tag("a", "API", href=site.portal("/api/v1/docs")),
            ", or from a terminal:",
        ),
        tag("pre", tag("code", commands), tabindex=0),
        tag(
            "p",
            "A file is checked as a whole. If something is wrong, you get every fault with its "
            "place, and no quota is used. A score comes within seconds, its intervals follow. It "
            "stays yours alone until you publish it.",
        ),
    ]
