"""Tables that system and compare pages share: a matrix of slices by metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from frontend_gradio.markup import Safe, caption, join, tag
from frontend_gradio.source import Json

Draw = Callable[[Json, Json], Safe]  # (slice, metric) -> a cell


def matrix(title: str, slices: Sequence[Json], metrics: Sequence[Json], draw: Draw) -> Safe:
    """Slices down, metrics across, each cell by `draw`."""
    head = tag(
        "tr",
        tag("th", "Slice", scope="col", class_="b-system"),
        join(*(_metric_head(metric) for metric in metrics)),
    )
    lines = (
        tag(
            "tr",
            tag(
                "th",
                slice_["title"],
                tag("span", f"n = {slice_['n']:,}", class_="b-sub") if slice_.get("n") else None,
                scope="row",
                class_="b-system",
            ),
            join(*(draw(slice_, metric) for metric in metrics)),
        )
        for slice_ in slices
    )
    return tag(
        "div",
        tag(
            "table",
            caption(title),
            tag("thead", head),
            tag("tbody", join(*lines)),
            class_="pl-table b-table b-matrix",
        ),
        class_="b-region",
        role="region",
        tabindex=0,
        aria_label=title,
    )


def _metric_head(metric: Json) -> Safe:
    return tag(
        "th",
        metric.get("short") or metric["title"],
        scope="col",
        class_="b-value",
        title=f"{metric['title']}. {metric.get('description') or ''}",
    )


def hole(text: str, reason: str) -> Safe:
    """A cell without a value, and why."""
    return tag(
        "td",
        tag("span", text or "—", aria_hidden="true"),
        tag("span", f"no value: {reason}", class_="b-hidden"),
        class_="b-value b-hole",
        title=reason,
    )


def verdict(unresolved: bool | None) -> Safe | None:
    """The word that says whether a difference is real; None where nobody can say."""
    if unresolved is None:
        return None
    if unresolved:
        return tag("span", "unresolved", class_="b-verdict b-verdict--open")
    return tag("span", "resolved", class_="b-verdict")


def chance(probability: float | None) -> str:
    """A probability in whole percent; never the certainty that no number of draws can give."""
    if probability is None:
        return ""
    if probability >= 0.995:
        return "> 99 %"
    if probability <= 0.005:
        return "< 1 %"
    return f"{100 * probability:.0f} %"
