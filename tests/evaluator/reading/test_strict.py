"""What the strict reader promises beyond the corpus."""

from __future__ import annotations

import json

import pytest

from evaluator.errors import PredictionsInvalid, Problem
from evaluator.reading.strict import Parsed, parse


def problems(data: bytes | str) -> tuple[Problem, ...]:
    with pytest.raises(PredictionsInvalid) as caught:
        parse(data.encode() if isinstance(data, str) else data)
    return caught.value.problems


def places(data: bytes | str) -> list[tuple[str, str]]:
    return [(problem.code, problem.where) for problem in problems(data)]


def test_a_document_is_its_value() -> None:
    value = {"a": [1, -2.5, None, True, "é😀", {"b": {}}]}
    assert parse(json.dumps(value).encode()) == Parsed(value, None)
    assert parse(json.dumps(value, indent=2, ensure_ascii=False).encode()).value == value


def test_a_byte_order_mark_is_dropped() -> None:
    assert parse(b'\xef\xbb\xbf{"a":1}').value == {"a": 1}
    assert places(b"\xef\xbb\xbf{'a':1}") == [("SYNTAX", "line 1 column 2")]
    assert places(b"\xef\xbb\xbf" + b"[" * 20) == [("DEPTH", "byte 11")]


def test_lines_keep_their_numbers() -> None:
    parsed = parse(b'\n{"a":1}\r\n\r\n  {"a":2}\n[3]\n\n')
    assert parsed == Parsed([{"a": 1}, {"a": 2}, [3]], (2, 4, 5))
    assert parsed.where("/1/a/0") == "line 4 /a/0"
    assert parsed.where("/2") == "line 5"
    assert parsed.where("") == ""


def test_a_pointer_into_a_document_stays_as_it_is() -> None:
    assert parse(b"[[1]]").where("/0/0") == "/0/0"


@pytest.mark.parametrize(
    "data",
    [b'{"a":1}\n', b"[\n{}\n]", b'{"a":\n{}\n}', b"[1]\n\n"],
)
def test_one_value_is_no_json_lines(data: bytes) -> None:
    assert parse(data).lines is None


def test_every_bad_line_is_told() -> None:
    data = '{"a":1}\n{"a":}\n{"a":NaN}\n{"a":1,"a":2}\n{"a":"\\ud800"}\n{"b":1e400}\n{"a":1'
    assert places(data) == [
        ("SYNTAX", "line 2 column 6"),
        ("NUMBER", "line 3 /a"),
        ("DUPLICATE_KEY", "line 4"),
        ("STRING", "line 5 /a"),
        ("NUMBER", "line 6 /b"),
        ("SYNTAX", "line 7 column 7"),
    ]


def test_every_bad_value_of_a_document_is_told() -> None:
    data = '{"a":[NaN,1,-Infinity],"b":{"c":1,"c":2},"d":"\\u0000","~/":9007199254740993}'
    assert places(data) == [
        ("NUMBER", "/a/0"),
        ("NUMBER", "/a/2"),
        ("DUPLICATE_KEY", "file"),
        ("STRING", "/d"),
        ("NUMBER", "/~0~1"),
    ]
    assert "/b" in problems(data)[2].found


def test_a_number_is_quoted_as_it_was_written() -> None:
    assert "1e999" in problems("[1e999]")[0].found


def test_more_than_twenty_problems_are_counted() -> None:
    with pytest.raises(PredictionsInvalid) as caught:
        parse(b"[" + b",".join([b"NaN"] * 50) + b"]")
    assert len(caught.value.problems) == 20
    assert caught.value.n_problems == 50


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("{'a': 1}", "json.dump"),
        ("[None]", "Python"),
        ("[True]", "Python"),
        ("[1,]", "Remove the comma"),
        ('{"a":1,}', "Remove the comma"),
        ("[1] // note", "comments"),
        ("# note\n[1]", "comments"),
        ('{"a":1', "cut off"),
        ('{"a":"b', "cut off"),
        ('{"a":"b\nc"}', "line break"),
        ('{"a":"b\tc"}', "tab"),
        (r'{"a":"\x41"}', r"\uXXXX"),
        (r'{"a":"\u12"}', r"\uXXXX"),
        ('{"a":.5}', "JSON number"),
        ('{"a":+5}', "JSON number"),
        ('{"a":007}', "JSON number"),
        ('{"a":0x1}', "JSON number"),
        ("[“a”]", "double quote"),
        ("\u00a0[1]", "U+00A0"),
        ("[1] [2]", "one line each"),
        ("{a:1}", "double quotes"),
        ('{"a" 1}', "colon"),
        ("[1 2]", "comma"),
    ],
)
def test_known_mistakes_get_a_remedy(data: str, words: str) -> None:
    problem = problems(data)[0]
    assert problem.code == "SYNTAX"
    assert words in str(problem)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04....xl/workbook.xml", "plumbline convert"),
        (b"PK\x03\x04....archive/data.pkl", "PyTorch"),
        (b"\x80\x04\x95", "pickle"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\x93NUMPY\x01\x00", "NumPy"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"  <!DOCTYPE html>", "HTML"),
        (b"\0" * 257 + b"ustar", "tar"),
    ],
)
def test_containers_are_named(data: bytes, words: str) -> None:
    problem = problems(data)[0]
    assert problem.code == "CONTAINER"
    assert words in str(problem)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
def test_other_encodings_are_refused(encoding: str) -> None:
    assert problems('{"é": 1}'.encode(encoding))[0].code == "ENCODING"


def test_a_character_across_chunks_is_no_fault() -> None:
    text = "a" * ((1 << 20) - 10) + "é😀" * 20
    value = [text[:500_000], text[500_000:]]
    assert parse(json.dumps(value, ensure_ascii=False).encode()).value == value


def test_limits_can_be_set() -> None:
    assert parse(b"[[[[1]]]]", max_depth=4).value == [[[[1]]]]
    with pytest.raises(PredictionsInvalid, match="more than 3 deep"):
        parse(b"[[[[1]]]]", max_depth=3)
    with pytest.raises(PredictionsInvalid, match="too many items"):
        parse(b"[1,2,3]", max_weight=2)
    with pytest.raises(PredictionsInvalid, match="string of 6 bytes"):
        parse(b'{"a":"abcdef"}', max_string_bytes=5)


def test_a_long_string_is_placed() -> None:
    text = "x" * 30
    for data, place in (
        (f'{{"a":[1,{{"b/":["{text}"]}}]}}', "/a/1/b~1/0"),
        (f'{{"é\\"":{{"c":1}},"d":"{text}"}}', "/d"),
        (f'{{"\\\\":"{text}"}}', "/\\"),
        (f'{{"a":1}}\n{{"b":["{text}"]}}', "line 2 /b/0"),
        (f'{{"a":1}}\n{{"{text}":2}}', "line 2"),
        (f'{{"a":{{"b":1,"{text}":2}}}}', "/a"),
    ):
        with pytest.raises(PredictionsInvalid) as caught:
            parse(data.encode(), max_string_bytes=20)
        assert [(p.code, p.where) for p in caught.value.problems] == [("STRING", place)]


def test_syntax_before_a_limit_is_what_is_wrong() -> None:
    assert places("[1,,[[[[[[[[[[[[") == [("SYNTAX", "line 1 column 4")]
    assert places("[1,[[[[[[[[[[[[") == [("DEPTH", "byte 10")]
