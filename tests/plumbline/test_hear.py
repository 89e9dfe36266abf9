"""`plumbline hear`: letters out of what models said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.plumbline.command import Command

SHAPES = Path(__file__).resolve().parents[2] / "../shared/data/answers/answer_shapes.json"
OPTIONS = {"A": "sit", "B": "stand", "C": "walk"}


def write(path: Path, texts: list[object], options: object = OPTIONS) -> Path:
    path.write_text(json.dumps([{"text": text, "options": options} for text in texts]))
    return path


def test_letters_come_in_order_and_silence_is_an_empty_list(
    plumbline: Command, tmp_path: Path
) -> None:
    file = write(tmp_path / "said.json", ["B.", None, "A, C", "The answer is E."])
    assert plumbline("hear", file, "--json").document == [["B"], [], ["A"], []]
    assert plumbline("hear", file, "--multi", "--json").document == [["B"], [], ["A", "C"], []]
    run = plumbline("hear", file)
    assert run.out == "B\n-\nA\n-\n"
    assert "reader 1: 4 replies, 2 without an answer" in run.err


def test_the_compatibility_reader_is_asked_for_by_name(plumbline: Command, tmp_path: Path) -> None:
    file = write(tmp_path / "said.json", ["A person stands, so B"])
    assert plumbline("hear", file, "--reader", "first-letter", "--json").document == [["A"]]
    assert plumbline("hear", file, "--json").document != [["A"]]


def test_options_may_be_a_list(plumbline: Command, tmp_path: Path) -> None:
    file = write(tmp_path / "said.json", ["walk"], ["sit", "stand", "walk"])
    assert plumbline("hear", file, "--json").document == [["C"]]


def test_what_is_no_reply_is_named(plumbline: Command, tmp_path: Path) -> None:
    file = tmp_path / "said.json"
    file.write_text('[{"text": 3, "options": {}}, {"text": "A"}, {"text": "A", "options": 1}, 4]')
    run = plumbline("hear", file)
    assert run.code == 1
    for place in ("/0/text", "/1/options", "/2/options", "/3"):
        assert place in run.out


@pytest.mark.skipif(not SHAPES.exists(), reason="../shared/data/answers is absent")
def test_the_published_shapes(plumbline: Command) -> None:
    shapes = json.loads(SHAPES.read_bytes())
    single = plumbline("hear", SHAPES, "--json").document
    assert single == [[s["single_expected"]] if s["single_expected"] else [] for s in shapes]
    multi = plumbline("hear", SHAPES, "--multi", "--json").document
    assert multi == [s["multi_expected"] for s in shapes]
