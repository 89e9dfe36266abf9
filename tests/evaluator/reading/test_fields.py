"""Checks of fields note what is wrong and let reading go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evaluator.errors import Problems
from evaluator.reading import fields
from evaluator.reading.exact import BadNumber

Check = Callable[[dict[str, Any], str, str, Problems], Any]


def outcome(check: Check, item: dict[str, Any], **options: Any) -> tuple[Any, list[Any]]:
    problems = Problems()
    value = check(item, "x", "/3", problems, **options)
    return value, [(problem.code, problem.where) for problem in problems]


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (fields.text_of, "q1 é 中"),
        (fields.integer_of, -7),
        (fields.number_of, 7),
        (fields.number_of, 0.5),
        (fields.score_of, 0),
        (fields.score_of, 1),
        (fields.list_of, []),
        (fields.box_of, [0, -1.5, 2, 3]),
    ],
)
def test_what_fits_is_given_back(check: Check, value: Any) -> None:
    given, problems = outcome(check, {"x": value})
    assert problems == []
    assert given == (tuple(value) if check is fields.box_of else value)


@pytest.mark.parametrize(
    ("check", "value", "code", "tail"),
    [
        (fields.text_of, 1, "TYPE", ""),
        (fields.text_of, None, "TYPE", ""),
        (fields.text_of, "a" * 513, "STRING", ""),
        (fields.text_of, "a\u202eb", "STRING", ""),
        (fields.text_of, "a\x1bb", "STRING", ""),
        (fields.text_of, "a\u200bb", "STRING", ""),
        (fields.integer_of, 1.0, "TYPE", ""),
        (fields.integer_of, True, "TYPE", ""),
        (fields.integer_of, "1", "TYPE", ""),
        (fields.number_of, True, "TYPE", ""),
        (fields.number_of, "0.5", "TYPE", ""),
        (fields.number_of, 2**54, "NUMBER", ""),
        (fields.score_of, 1.0000001, "SCORE_RANGE", ""),
        (fields.score_of, -0.1, "SCORE_RANGE", ""),
        (fields.list_of, {}, "TYPE", ""),
        (fields.list_of, "AC", "TYPE", ""),
        (fields.box_of, [1, 2, 3], "LENGTH", ""),
        (fields.box_of, [1, 2, None, 4], "TYPE", "/2"),
        (fields.box_of, [1, 2, 1, 4], "BOX_ORDER", ""),
    ],
)
def test_what_does_not_fit_is_noted_at_its_place(
    check: Check, value: Any, code: str, tail: str
) -> None:
    assert outcome(check, {"x": value}) == (None, [(code, f"/3/x{tail}")])


@pytest.mark.parametrize(
    "check",
    [fields.text_of, fields.integer_of, fields.number_of, fields.list_of, fields.box_of],
)
def test_a_missing_field_is_noted(check: Check) -> None:
    assert outcome(check, {}) == (None, [("MISSING_FIELD", "/3/x")])


@pytest.mark.parametrize(
    "check",
    [fields.text_of, fields.integer_of, fields.number_of, fields.score_of, fields.list_of],
)
def test_a_number_that_was_noted_is_not_noted_again(check: Check) -> None:
    assert outcome(check, {"x": BadNumber("NaN")}) == (None, [])


def test_a_box_lies_within_its_image() -> None:
    size = (640.0, 480.0)
    assert outcome(fields.box_of, {"x": [0, 0, 640, 480]}, size=size)[1] == []
    assert outcome(fields.box_of, {"x": [-50, 0, 10, 481]}, size=size) == (
        None,
        [("BOX_RANGE", "/3/x/0"), ("BOX_RANGE", "/3/x/3")],
    )


def test_a_list_has_a_most() -> None:
    assert outcome(fields.list_of, {"x": [1, 2]}, most=1) == (None, [("COUNT", "/3/x")])


def test_unknown_fields_are_counted_and_the_first_named() -> None:
    problems = Problems()
    fields.no_other_fields({f"k/{n}": n for n in range(100)} | {"a": 1}, ("a",), "/3", problems)
    assert problems.n_problems == 100
    assert problems.kept[0].where == "/3/k~10"
    assert len(problems.kept) == 20


def test_entries_that_are_no_objects_are_noted_and_passed_over() -> None:
    problems = Problems()
    given = list(fields.objects_of([{"a": 1}, [1], {}], "/p", problems, "an object"))
    assert given == [("/p/0", {"a": 1}), ("/p/2", {})]
    assert [(p.code, p.where, p.found) for p in problems] == [("TYPE", "/p/1", "a list of 1")]


def test_reading_ends_after_a_thousand_problems() -> None:
    problems = Problems()
    assert list(fields.objects_of([0] * 10**6, "", problems, "an object")) == []
    assert problems.n_problems == 1000
