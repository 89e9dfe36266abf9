"""How scores are laid out on the page of a submission."""

from __future__ import annotations

from portal.services.values import FamilyDocument, ScoreDocument
from portal.site.scores import score_tables

FAMILY: FamilyDocument = {
    "slug": "some_family",
    "title": "Some family",
    "description": "",
    "primary_metric": "macro_f1",
    "tracks": [],
    "slices": [{"slug": "rare", "title": "Rare", "description": "Few training instances."}],
    "metrics": [
        {"slug": "micro_f1", "title": "Micro-F1", "short": "Micro", "description": "Pooled."},
        {"slug": "macro_f1", "title": "Macro-F1", "short": "Macro", "description": "By class."},
        {"slug": "exact", "title": "Exact match", "short": "EM", "description": "All right."},
    ],
    "facets": [],
}
MICRO: ScoreDocument = {
    "slice": "all",
    "slice_title": "All",
    "metric": "micro_f1",
    "metric_title": "Micro-F1",
    "value": 0.5823,
    "low": 0.561,
    "high": 0.602,
    "text": "58.23",
    "interval_text": "56.1 – 60.2",
    "n": 1274,
    "reason": None,
    "interval_reason": None,
    "interval": "ready",
}
MACRO: ScoreDocument = {**MICRO, "metric": "macro_f1", "metric_title": "Macro-F1", "n": 520}
RARE: ScoreDocument = {**MICRO, "slice": "rare", "slice_title": "Rare", "n": 120}
RARE_MACRO: ScoreDocument = {**RARE, "metric": "macro_f1", "metric_title": "Macro-F1"}
SEVERAL: ScoreDocument = {**MICRO, "slice": "several", "slice_title": "Several people"}
SEVERAL_EM: ScoreDocument = {**SEVERAL, "metric": "exact", "metric_title": "Exact match"}
BINS: list[ScoreDocument] = [
    {**MICRO, "slice": f"bin-{n:02}", "slice_title": f"Bin {n}"} for n in (1, 2)
]


def test_the_metric_that_ranks_comes_first() -> None:
    tables = score_tables([MICRO, MACRO], family=FAMILY)
    assert [row.score["metric"] for row in tables.headline] == ["macro_f1", "micro_f1"]
    assert [row.is_primary for row in tables.headline] == [True, False]


def test_a_slice_leaves_a_gap_where_a_metric_is_not_defined() -> None:
    tables = score_tables([MICRO, RARE, RARE_MACRO, SEVERAL, SEVERAL_EM], family=FAMILY)
    assert [column.title for column in tables.columns] == ["Macro", "Micro", "EM"]
    assert [(row.title, row.scores) for row in tables.rows] == [
        ("Rare", (RARE_MACRO, RARE, None)),
        ("Several people", (None, SEVERAL, SEVERAL_EM)),
    ]
    assert tables.rows[0].description == "Few training instances."


def test_slices_with_a_single_metric_make_a_series() -> None:
    tables = score_tables([MICRO, RARE, RARE_MACRO, *BINS], family=FAMILY)
    assert [row.title for row in tables.rows] == ["Rare"]
    (series,) = tables.series
    assert series.title == "Micro-F1"
    assert [line.title for line in series.lines] == ["Bin 1", "Bin 2"]


def test_texts_are_printed_as_disclosed_and_only_placed_by_value() -> None:
    (row,) = score_tables([MICRO], family=FAMILY).headline
    assert row.score["text"] == "58.23"
    assert row.whisker is not None
    assert (row.whisker.low, row.whisker.value, row.whisker.high) == ("56.10", "58.23", "60.20")


def test_a_score_without_value_has_no_mark() -> None:
    missing: ScoreDocument = {**MICRO, "value": None, "low": None, "high": None, "text": "—"}
    (row,) = score_tables([missing], family=FAMILY).headline
    assert row.whisker is None


def test_without_scores_there_is_nothing_to_lay_out() -> None:
    tables = score_tables([], family=FAMILY)
    assert tables.headline == tables.rows == tables.columns == tables.series == ()
