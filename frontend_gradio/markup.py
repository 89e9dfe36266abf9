"""HTML by function calls: what is not marked safe is escaped, so nothing can be forgotten."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

VOID = frozenset({"br", "hr", "img", "input", "meta", "link"})


class Safe(str):
    """Markup made by `tag` or written in this package; never holds a stranger's text."""

    __slots__ = ()


Child = Safe | str | int | None | Iterable["Safe | str | int | None"]


def join(*children: Child) -> Safe:
    """All children, each escaped unless it is `Safe`; None vanishes."""
    parts: list[str] = []
    for child in children:
        if child is None:
            continue
        if isinstance(child, Safe):
            parts.append(child)
        elif isinstance(child, (str, int)):
            parts.append(escape(str(child)))
        else:
            parts.append(join(*child))
    return Safe("".join(parts))


def tag(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Safe:
    """One element. `class_` gives class, `data_slug` data-slug; None and False are left out."""
    opened = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        opened.append(attribute if value is True else f'{attribute}="{escape(str(value))}"')
    start = f"<{' '.join(opened)}>"
    return Safe(start if name in VOID else f"{start}{join(*children)}</{name}>")


def name_of(text: str) -> Safe:
    """A stranger's name, isolated so that its direction cannot reorder the line."""
    return tag("bdi", text)


def caption(*children: Child) -> Safe:
    """A table's caption, which stays in sight while the table scrolls sideways."""
    return tag("caption", tag("span", *children, class_="b-caption"))


def select(
    name: str,
    label: str,
    options: Iterable[tuple[str, str]],
    chosen: str,
    *,
    form: str | None = None,
) -> Safe:
    """A labelled choice; options are (value, title)."""
    identity = f"choose-{name}"
    return tag(
        "div",
        tag("label", label, for_=identity),
        tag(
            "select",
            (
                tag("option", title, value=value, selected=value == chosen)
                for value, title in options
            ),
            name=name,
            id=identity,
            form=form,
            class_="pl-input",
        ),
        class_="b-field",
    )
