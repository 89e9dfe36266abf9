"""Dot plots: order, bounds, and names that are letters only."""

from __future__ import annotations

from frontend_gradio import figures
from frontend_gradio.figures import Dot
from tests.frontend_gradio.fixture_api import MARKUP_NAME, board

BOARD = board()
ALL = BOARD["slices"][0]
METRICS = {metric["slug"]: metric for metric in BOARD["metrics"]}


def dots_of(metric: str) -> list[Dot]:
    return figures.score_dots(BOARD["rows"], ALL, METRICS[metric])


def test_the_best_comes_first_in_either_direction() -> None:
    up = [dot.value for dot in dots_of("macro_f1")]
    assert up == sorted(up, reverse=True) and len(up) == 30
    down = [dot.value for dot in dots_of("misattribution")]
    assert down == sorted(down)


def test_rows_without_a_value_draw_no_dot() -> None:
    holes = sum(
        row["scores"]["all"].get("misattribution", {"value": None})["value"] is None
        for row in BOARD["rows"]
    )
    assert len(dots_of("misattribution")) == len(BOARD["rows"]) - holes


def test_error_bars_reach_from_low_to_high() -> None:
    dots = dots_of("macro_f1")
    figure = figures.dot_plot(dots, "x")
    assert figure is not None
    drawn = {}
    for trace in figure.data:
        for at, x, up, down in zip(
            trace.y, trace.x, trace.error_x.array, trace.error_x.arrayminus, strict=True
        ):
            drawn[at] = (x - down, x + up)
    for at, dot in enumerate(dots):
        low = dot.value if dot.low is None else dot.low
        high = dot.value if dot.high is None else dot.high
        assert abs(drawn[at][0] - low) < 1e-9 and abs(drawn[at][1] - high) < 1e-9


def test_names_reach_plotly_as_letters() -> None:
    figure = figures.dot_plot(dots_of("macro_f1"), "<b>axis</b>")
    assert figure is not None
    text = figure.to_json()
    assert "<img" not in text and "<b>" not in text
    assert any(dot.label == MARKUP_NAME for dot in dots_of("macro_f1"))


def test_long_boards_are_cut_and_long_names_shortened() -> None:
    dots = [Dot(f"{'name ' * 20}{n}", n, None, None, str(n), "reported") for n in range(100)]
    figure = figures.dot_plot(dots, "x")
    assert figure is not None
    assert len(figure.layout.yaxis.ticktext) == figures.MAX_DOTS
    assert max(map(len, figure.layout.yaxis.ticktext)) <= figures.MAX_LABEL


def test_nothing_to_draw_is_no_figure() -> None:
    assert figures.dot_plot([], "x") is None
    assert figures.in_words([], "Macro-F1") == "Macro-F1: nothing to draw."


def test_words_name_the_first_dots() -> None:
    words = figures.in_words(dots_of("macro_f1"), "Macro-F1")
    best = dots_of("macro_f1")[0]
    assert f"{best.label} {best.text}" in words and "27 more" in words


def test_unresolved_differences_are_hollow() -> None:
    found = {"value": 0.01, "low": -0.01, "high": 0.03, "text": "+1.00", "interval_text": "x"}
    dots = figures.difference_dots(
        [
            ("a", found | {"unresolved": True}),
            ("b", found | {"unresolved": False}),
            ("c", found | {"value": None, "unresolved": None}),
        ]
    )
    assert [dot.mark for dot in dots] == ["unresolved", "resolved"]
