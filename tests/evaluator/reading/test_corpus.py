"""Every file of the corpus: the right outcome, code and place, in bounded time."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import MAX_PROBLEMS, PredictionsInvalid
from tests.evaluator.reading.demo import SCHEMAS

CORPUS = Path("../shared/data/corpus")
MAX_CPU_SECONDS = 2.0
MAX_MESSAGE_BYTES = 4096

# Where SPEC is kinder than the corpus: JSON Lines are a form of predictions
# file (section 3), and an empty answer is an abstention (section 2.1).
KINDER = {"files/jsonl.json", "files/answer_empty.json"}

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not at ../shared")


def _entries() -> list[dict[str, Any]]:
    if not CORPUS.is_dir():
        return []
    files = json.loads((CORPUS / "manifest.json").read_text())["files"]
    return [entry for entry in files if not entry.get("generated")]


@pytest.mark.parametrize("entry", _entries(), ids=lambda entry: Path(entry["file"]).stem)
def test_a_file_has_its_outcome(entry: dict[str, Any]) -> None:
    data = (CORPUS / entry["file"]).read_bytes()
    read = SCHEMAS[entry["schema"]]
    expected = entry["expect"]
    started = time.process_time()
    if expected["outcome"] == "accept" or entry["file"] in KINDER:
        read(data)
        return
    with pytest.raises(PredictionsInvalid) as caught:
        read(data)
    assert time.process_time() - started < MAX_CPU_SECONDS
    first = caught.value.problems[0]
    assert first.code == expected["code"]
    if expected["where"] is not None:
        assert first.where == expected["where"]
    assert len(caught.value.problems) <= MAX_PROBLEMS
    assert len(str(first)) < 1000


@pytest.mark.parametrize("entry", _entries(), ids=lambda entry: Path(entry["file"]).stem)
def test_messages_are_short_and_printable(entry: dict[str, Any]) -> None:
    try:
        SCHEMAS[entry["schema"]]((CORPUS / entry["file"]).read_bytes())
    except PredictionsInvalid as invalid:
        for problem in invalid.problems:
            assert str(problem).isprintable()
            assert "Traceback" not in str(problem)
        if len(invalid.problems) < MAX_PROBLEMS:
            assert len(str(invalid)) <= MAX_MESSAGE_BYTES


def test_many_problems_are_counted_and_the_first_are_told() -> None:
    data = (CORPUS / "files/keys_5000_unknown.json").read_bytes()
    with pytest.raises(PredictionsInvalid) as caught:
        SCHEMAS["qa"](data)
    assert len(caught.value.problems) == MAX_PROBLEMS
    assert caught.value.n_problems >= 5000
