"""Detections files: every form gives the same columns, every fault its place."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from evaluator.errors import PredictionsInvalid
from evaluator.reading import structure
from evaluator.reading.detections import Detections, read_detections
from tests.evaluator.reading import plain
from tests.evaluator.reading.demo import BENCHMARK, IMAGES
from tests.evaluator.reading.detection_forms import (
    ALIASES,
    FORMS,
    HEAD,
    PAIRS,
    SORTED,
    by_image,
    document,
    lines,
)


def read(data: bytes) -> Detections:
    return read_detections(data, IMAGES, benchmark=BENCHMARK, track="default")


def problems(data: bytes) -> list[tuple[str, str]]:
    with pytest.raises(PredictionsInvalid) as caught:
        read(data)
    return [(problem.code, problem.where) for problem in caught.value.problems]


def changed(row: int, **fields: object) -> list[dict[str, Any]]:
    items = [dict(pair) for pair in PAIRS]
    items[row].update(fields)
    return items


def without(row: int, field: str) -> list[dict[str, Any]]:
    items = [dict(pair) for pair in PAIRS]
    del items[row][field]
    return items


@pytest.mark.parametrize("chunk", [1, 50, 1 << 18])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_columns(
    form: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(structure, "CHUNK", chunk)
    detections = read(FORMS[form]())
    columns = detections.columns
    assert columns.image.tolist() == [pair["image_id"] - 1 for pair in SORTED]
    assert columns.label.tolist() == [pair["hoi_id"] for pair in SORTED]
    assert columns.human.tolist() == [pair["human_box"] for pair in SORTED]
    assert columns.object.tolist() == [pair["object_box"] for pair in SORTED]
    assert columns.score.tolist() == [pair["score"] for pair in SORTED]
    assert detections.box_base == 1
    assert columns.human.dtype == np.float64
    assert len({detections.where(row) for row in range(len(columns))}) == len(SORTED)


def test_a_bare_list_counts_as_its_reader_is_told() -> None:
    detections = read_detections(
        json.dumps(PAIRS).encode(),
        IMAGES,
        benchmark=BENCHMARK,
        track="default",
        box_base=0,
        class_ids="hoi0",
    )
    assert detections.box_base == 0
    assert detections.where(3) == "/3"


def test_a_file_must_say_how_it_counts() -> None:
    assert problems(json.dumps(PAIRS).encode()) == [
        ("MISSING_FIELD", "file"),
        ("MISSING_FIELD", "file"),
    ]
    head = {key: HEAD[key] for key in ("benchmark", "track")}
    assert problems(json.dumps({**head, "predictions": PAIRS}).encode()) == [
        ("MISSING_FIELD", "/box_base"),
        ("MISSING_FIELD", "/class_ids"),
    ]
    assert problems(document(PAIRS, box_base=True, class_ids="coco")) == [
        ("VALUE", "/box_base"),
        ("VALUE", "/class_ids"),
    ]


def test_the_header_must_fit() -> None:
    data = document(PAIRS, benchmark="other", track="known-object", best=1)
    assert problems(data) == [
        ("UNKNOWN_FIELD", "/best"),
        ("BENCHMARK", "/benchmark"),
        ("BENCHMARK", "/track"),
    ]
    assert problems(lines([{**HEAD, "track": "x"}, *PAIRS], head=False)) == [
        ("BENCHMARK", "line 1 /track")
    ]


FAULTS = [
    (changed(5, score=1.5), "SCORE_RANGE", "/score"),
    (changed(5, score="1"), "TYPE", "/score"),
    (changed(5, score=None), "TYPE", "/score"),
    (changed(5, image_id=9), "UNKNOWN_ID", "/image_id"),
    (changed(5, image_id="a\u202eb"), "STRING", "/image_id"),
    (changed(5, image_id=1.0), "TYPE", "/image_id"),
    (changed(5, image_id=True), "TYPE", "/image_id"),
    (changed(5, hoi_id=600), "UNKNOWN_ID", "/hoi_id"),
    (changed(5, hoi_id=-1), "UNKNOWN_ID", "/hoi_id"),
    (changed(5, hoi_id=2**40), "UNKNOWN_ID", "/hoi_id"),
    (changed(5, hoi_id=2**54), "NUMBER", "/hoi_id"),
    (changed(5, human_box=[1, 2, 3]), "LENGTH", "/human_box"),
    (changed(5, human_box=[1, 2, "3", 4]), "TYPE", "/human_box/2"),
    (changed(5, human_box={}), "TYPE", "/human_box"),
    (changed(5, object_box=[9, 2, 3, 4]), "BOX_ORDER", "/object_box"),
    (changed(5, object_box=[1, 2, 3, 481]), "BOX_RANGE", "/object_box/3"),
    (changed(5, object_box=[-0.5, 2, 3, 4]), "BOX_RANGE", "/object_box/0"),
    (changed(5, note="best"), "UNKNOWN_FIELD", "/note"),
    (changed(5, predictions=1), "UNKNOWN_FIELD", "/predictions"),
    (without(5, "score"), "MISSING_FIELD", "/score"),
    (without(5, "image_id"), "MISSING_FIELD", "/image_id"),
    (without(5, "hoi_id"), "MISSING_FIELD", "/hoi_id"),
    (without(5, "object_box"), "MISSING_FIELD", "/object_box"),
    ([*PAIRS[:5], 7, *PAIRS[5:]], "TYPE", ""),
    ([*PAIRS[:5], PAIRS[4], *PAIRS[5:]], "DUPLICATE_ITEM", ""),
]


@pytest.mark.parametrize("chunk", [50, 1 << 18])
@pytest.mark.parametrize(("items", "code", "field"), FAULTS)
def test_a_fault_is_named_with_its_place(
    items: list[Any], code: str, field: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(structure, "CHUNK", chunk)
    assert problems(document(items)) == [(code, f"/predictions/5{field}")]
    assert problems(lines(items)) == [(code, f"line 7 {field}".rstrip())]


def test_faults_of_an_image_are_named_within_it() -> None:
    items = by_image(changed(3, score=-1), "file_name")
    assert problems(document(items)) == [("SCORE_RANGE", "/predictions/1/predictions/1/score")]
    assert problems(lines(items)) == [("SCORE_RANGE", "line 3 /predictions/1/score")]


def test_an_image_may_have_no_detections() -> None:
    items = by_image(SORTED, "file_name", **ALIASES)
    items[0]["predictions"] = []
    assert len(read(document(items)).columns) == 4
    items[0]["file_name"] = "nowhere.jpg"
    assert problems(document(items)) == [("UNKNOWN_ID", "/predictions/0/file_name")]


def test_all_problems_come_at_once() -> None:
    items = changed(0, score=2)
    items[3]["hoi_id"] = 999
    items[7].pop("human_box")
    data = document(items).replace(b'"score": 0.5', b'"score": NaN')
    assert sorted(problems(data)) == [
        ("MISSING_FIELD", "/predictions/7/human_box"),
        ("NUMBER", "/predictions/5/score"),
        ("SCORE_RANGE", "/predictions/0/score"),
        ("UNKNOWN_ID", "/predictions/3/hoi_id"),
    ]


@pytest.mark.parametrize("chunk", [50, 1 << 18])
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b'"score": 0.4', b'"score": 0.4, "score": 0.9', ("DUPLICATE_KEY", "file")),
        (b'"score": 0.4', b'"score": .4', ("SYNTAX", "line 1 column 0")),
        (b'0.4}, {"', b'0.4}, , {"', ("SYNTAX", "line 1 column 0")),
        (b'0.4}, {"', b'0.4} {"', ("SYNTAX", "line 1 column 0")),
        (b'0.7}]}', b'0.7}', ("SYNTAX", "line 1 column 0")),
        (b'0.7}]}', b'0.7},]}', ("SYNTAX", "line 1 column 0")),
        (b'0.7}]}', b'0.7}]', ("SYNTAX", "line 1 column 0")),
        (b'0.7}]}', b'0.7}]} x', ("SYNTAX", "line 1 column 0")),
        (b'0.7}]}', b'0.7}}', ("SYNTAX", "line 1 column 0")),
        (b'0.7}]}', b'0.7}], "track": "default"}', ("DUPLICATE_KEY", "file")),
        (b'0.7}]}', b'0.7}], "predictions": []}', ("DUPLICATE_KEY", "file")),
        (b'0.7}]}', b'0.7}], "x": 1}', ("UNKNOWN_FIELD", "/x")),
        (b'"score": 0.4', b'"score": ' + b"1" * 41, ("NUMBER", "byte 0")),
        (b'"score": 0.4', b'"score": ' + b"[" * 9 + b"]" * 9, ("DEPTH", "byte 0")),
    ],
)  # fmt: skip
def test_a_slip_of_the_pen_is_placed(
    old: bytes,
    new: bytes,
    problem: tuple[str, str],
    chunk: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the place is line or byte 0, the reader of whole documents says it."""
    monkeypatch.setattr(structure, "CHUNK", chunk)
    data = document(PAIRS)
    assert data.count(old) == 1
    data = data.replace(old, new)
    code, where = problem
    if where.endswith(" 0"):
        reading = plain.read(data, max_depth=8, max_weight=10**6, max_string_bytes=10**6)
        assert reading.problems[0][0] == code
        where = reading.problems[0][1]
    assert problems(data)[-1] == (code, where)


def test_a_broken_line_does_not_hide_the_next() -> None:
    written = lines(PAIRS).split(b"\n")
    written[2] = written[2][:-1]
    written[4] = written[4].replace(b'"score": 0.3', b'"score": 3')
    written[6] = b'{"image_id": "' + written[6]
    found = problems(b"\n".join(written))
    assert [(code, where.split(" column")[0]) for code, where in found] == [
        ("SYNTAX", "line 3"),
        ("SYNTAX", "line 7"),
        ("SCORE_RANGE", "line 5 /score"),
    ]


def test_more_of_one_image_than_allowed_is_said_at_the_first_too_many() -> None:
    items = [{**PAIRS[0], "score": n / 10} for n in range(8)]
    assert problems(document(items)) == [("COUNT", "/predictions/5")]


def test_no_detection_is_an_empty_list() -> None:
    assert problems(document([])) == [("EMPTY_LIST", "/predictions")]


def test_documents_without_a_list_of_items_are_told_so() -> None:
    head = {key: HEAD[key] for key in ("benchmark", "box_base")}
    assert problems(json.dumps(head).encode()) == [
        ("MISSING_FIELD", "/track"),
        ("MISSING_FIELD", "/class_ids"),
        ("MISSING_FIELD", "/predictions"),
    ]
    assert problems(document({})) == [("TYPE", "/predictions")]  # type: ignore[arg-type]  # on purpose
    assert problems(b"5") == [("TOP_LEVEL", "")]


def test_more_than_twenty_repeats_are_counted() -> None:
    with pytest.raises(PredictionsInvalid) as caught:
        read(document(PAIRS * 5))
    assert len(caught.value.problems) == 20
    assert caught.value.n_problems == 32 + 2  # repeats, and images with more than five
