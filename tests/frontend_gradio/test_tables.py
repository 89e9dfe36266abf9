"""The leaderboard's data: the API's strings, in the API's words."""

from __future__ import annotations

from typing import Any

import pytest

from frontend_gradio.board_document import metric_of, slice_of
from frontend_gradio.site import Site
from frontend_gradio.state import View
from frontend_gradio.tables import NO_ROWS, NO_SYSTEMS, board_table, cell_of, span_of
from tests.frontend_gradio.fixture_api import board

SITE = Site("http://127.0.0.1:1", root_path="/board")
HERE = View(benchmark="sample-hoi", version="1", track="all-people")

Json = dict[str, Any]


@pytest.fixture(scope="module")
def document() -> Json:
    return board()


def table(document: Json, **changes: Any) -> Json:
    view = View(benchmark="sample-hoi", version="1", track="all-people", **changes)
    return board_table(document, view, SITE)


def row_of(drawn: Json, slug: str) -> Json:
    return next(row for row in drawn["rows"] if row["slug"] == slug)


def test_cells_print_the_strings_of_the_api(document: Json) -> None:
    drawn = table(document, all_metrics=True)
    for row in document["rows"]:
        shown = row_of(drawn, row["system"])
        for column, cell in zip(drawn["columns"], shown["cells"], strict=True):
            score = row["scores"]["all"].get(column["slug"])
            if score is None:
                assert cell["v"] is None and cell["w"] == "not given"
            else:
                assert cell["t"] == score["text"]
                assert cell["v"] == score["value"]
                assert cell.get("r", "") == score["rank_text"]


def test_a_hole_has_its_reason_and_no_value(document: Json) -> None:
    drawn = table(document, slice="withheld")
    cell = row_of(drawn, "system-0")["cells"][0]
    assert cell == {"t": "—", "v": None, "w": "withheld: fewer than 100 questions"}


def test_headline_metrics_stand_unless_all_are_asked_for(document: Json) -> None:
    assert len(table(document)["columns"]) == 5
    assert len(table(document, all_metrics=True)["columns"]) == 7


def test_an_unknown_slice_or_metric_falls_back(document: Json) -> None:
    first = slice_of(document, View(slice="no-such"))
    assert first["slug"] == "all"
    assert metric_of(document, first, "no-such")["slug"] == "macro_f1"


def test_measured_rows_alone(document: Json) -> None:
    kinds = {row["kind"] for row in table(document, measured_only=True)["rows"]}
    assert kinds == {"entrant"}


def test_a_facet_filters_rows(document: Json) -> None:
    drawn = table(document, facets=(("kind", "fine-tuned"),))
    wanted = {r["system"] for r in document["rows"] if r["facets"].get("kind") == "fine-tuned"}
    assert {row["slug"] for row in drawn["rows"]} == wanted
    assert table(document, facets=(("kind", "none"),))["empty"] == NO_ROWS


def test_an_empty_board_invites(document: Json) -> None:
    assert table(document | {"rows": []})["empty"] == NO_SYSTEMS


def test_an_unresolved_neighbour_is_named_even_if_filtered_away(document: Json) -> None:
    whole = table(document)
    at = [column["slug"] for column in whole["columns"]].index("macro_f1")
    marked = [row for row in whole["rows"] if "u" in row["cells"][at]]
    assert marked
    for row in marked:
        rank = int(row["cells"][at]["r"])
        follower = row_of(whole, row["cells"][at]["u"][0])
        assert int(follower["cells"][at]["r"]) == rank + 1
    for row in table(document, facets=(("kind", "fine-tuned"),))["rows"]:
        assert row["cells"][at].get("u") == row_of(whole, row["slug"])["cells"][at].get("u")


def test_only_measured_rows_hold_a_rank(document: Json) -> None:
    for row in table(document)["rows"]:
        assert row["measured"] or all("r" not in cell for cell in row["cells"])


def test_a_row_says_how_it_came_about(document: Json) -> None:
    drawn = table(document)
    assert row_of(drawn, "reported-0")["badge"] == [
        "reported", "reported", "Reported in the paper, Table 2",
    ]  # fmt: skip
    assert row_of(drawn, "system-0")["badge"][1] == "run here"


def test_interval_bars_lie_within_their_column(document: Json) -> None:
    for row in table(document)["rows"]:
        for cell in row["cells"]:
            low, value, high = cell.get("m", (0, 50, 100))
            assert 0 <= low <= value <= high <= 100


def test_a_column_of_one_value_still_has_a_span() -> None:
    score = {"value": 0.5, "low": 0.5, "high": 0.5, "text": "50.00", "interval_text": "50 – 50"}
    row = {"scores": {"all": {"m": score}}}
    span = span_of([row], {"slug": "all"}, {"slug": "m"})
    assert cell_of(score, span)["m"] == [50.0, 50.0, 50.0]
    assert span_of([], {"slug": "all"}, {"slug": "m"}) == (0.0, 1.0)


def test_a_pending_interval_is_called_pending() -> None:
    score = {"value": 0.5, "low": None, "high": None, "text": "50.00", "interval": "pending"}
    assert cell_of(score, (0, 1))["i"] == "interval pending"


def test_links_keep_the_place(document: Json) -> None:
    href = row_of(table(document), "system-3")["href"]
    assert href == ("/board/system?benchmark=sample-hoi&version=1&track=all-people&system=system-3")
