"""What is not marked safe is escaped, wherever it stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from frontend_gradio.markup import Safe, join, select, tag

HOSTILE = '<img src=x onerror="x()">\'&`'


@given(st.text())
def test_text_cannot_open_a_tag_or_leave_an_attribute(text: str) -> None:
    drawn = tag("p", text, title=text)
    assert drawn.count("<") == 2 and drawn.count('"') == 2


def test_safe_children_stay_and_others_are_escaped() -> None:
    assert join(Safe("<b>"), "<b>", None, 3, [tag("i", "x"), "&"]) == ("<b>&lt;b&gt;3<i>x</i>&amp;")


def test_attributes() -> None:
    assert tag("input", class_="a", data_x=1, checked=True, id=None, disabled=False) == (
        '<input class="a" data-x="1" checked>'
    )
    assert tag("a", href="x?a=1&b=2") == '<a href="x?a=1&amp;b=2"></a>'


def test_a_choice_is_labelled_and_escaped() -> None:
    drawn = select("kind", "Kind", [("", "any"), ("a", HOSTILE)], "a")
    assert '<label for="choose-kind">Kind</label>' in drawn
    assert '<option value="a" selected>&lt;img' in drawn and "<img" not in drawn
