"""Real logs: every row counts, failures are no answers, strangers are refused with a reason."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evaluator.bundle import Bundle
from evaluator.errors import PredictionsInvalid
from evaluator.families.actionlens.predictions import NO_ANSWER, Answers, read_leniently
from evaluator.families.actionlens.schema import lay_out
from evaluator.reading.harness import Log, open_predictions
from evaluator.scoring import validate_predictions
from tests.evaluator.actionlens.small import TRACK
from tests.evaluator.harness.logs import (
    LMMS,
    TEMPCOMPASS,
    VLM,
    asked_bundle,
    json_lines,
    mini_bundle,
    options_in,
    records,
)

pytestmark = pytest.mark.skipif(
    not all(folder.is_dir() for folder in (LMMS, VLM, TEMPCOMPASS)),
    reason="../shared/data is absent",
)
RUN = LMMS / "v073_run/stub-vlm"
DEAD = LMMS / "v073_dead_endpoint/dead/20261130_044446_samples_actionlens_gaze_detection.jsonl"
VIDEOMME = "lmms_eval_videomme_20251106_202956_samples_videomme.jsonl"
LETTERS = "ABCD"


def log_of(data: bytes) -> Log:
    opened = open_predictions(data)
    assert isinstance(opened, Log)
    return opened


def read(bundle: Bundle, data: bytes) -> dict[str, str]:
    """Letters by question id, "" for none."""
    answers: Answers = validate_predictions(bundle, TRACK, data)
    return letters(bundle, answers)


def letters(bundle: Bundle, answers: Answers) -> dict[str, str]:
    questions = lay_out(bundle, TRACK).questions
    return {
        question.id: "" if pick == NO_ANSWER else LETTERS[pick]
        for question, pick in zip(questions, answers.picked.tolist(), strict=True)
    }


def whole_run() -> bytes:
    return b"".join(path.read_bytes() for path in sorted(RUN.glob("*samples*.jsonl")))


@pytest.mark.parametrize(
    "name", [VIDEOMME, "lmms_eval_videomme_20251105_155610_samples_videomme_aks.jsonl"]
)
def test_video_mme_imports_row_by_row(name: str) -> None:
    rows = records(LMMS / name)
    metric = "videomme_perception_score"
    questions = [
        (r[metric]["question_id"], r[metric]["question_id"][:3], "Which?", options_in(r["input"]))
        for r in rows
    ]
    assert len(log_of((LMMS / name).read_bytes()).rows) == len(rows) == 2700
    heard = read(asked_bundle(questions), (LMMS / name).read_bytes())
    assert heard == {r[metric]["question_id"]: r[metric]["pred_answer"] for r in rows}


@pytest.mark.parametrize(
    ("name", "n_null"),
    [
        ("gemini", 12),
        ("reka-core-20240501", 0),
        ("reka-flash", 0),
        ("video-llava", 0),
    ],
)
def test_tempcompass_imports_row_by_row_and_nulls_are_no_answers(name: str, n_null: int) -> None:
    data = (TEMPCOMPASS / f"pred_{name}_multi-choice.json").read_bytes()
    rows = log_of(data).rows
    assert len(rows) == 1580
    assert sum(row.reply is None for row in rows) == n_null
    questions = [
        (row.ids[0], row.media, row.prompt.split("\n")[0], options_in(row.prompt)) for row in rows
    ]
    bundle = asked_bundle(questions)
    answers: Answers = validate_predictions(bundle, TRACK, data)
    heard = letters(bundle, answers)
    assert [heard[row.ids[0]] for row in rows if row.reply is None] == [""] * n_null
    assert any(f"{n_null} of 1580 replies are null" in note for note in answers.notes) == bool(
        n_null
    )


def test_a_run_of_lmms_eval_is_read_from_what_was_said_first() -> None:
    heard = read(mini_bundle(), whole_run())
    said = {
        r["actionlens_acc"]["question_id"]: r.get("resps", r["filtered_resps"])
        for path in RUN.glob("*samples*.jsonl")
        for r in records(path)
    }
    assert len(heard) == len(said) == 36
    wanted = {
        "A": "A", "B.": "B", "(C)": "C", "The answer is (B).": "B", "**D**": "D",
        "<think>maybe A</think>C": "C", "A person is walking, so B": "B",
        "I cannot determine the answer.": "", "": "",
    }  # fmt: skip
    options = {q.id: len(q.options) for q in lay_out(mini_bundle(), TRACK).questions}
    for id_, reply in said.items():
        if reply in wanted and LETTERS.find(wanted[reply]) < options[id_]:
            assert heard[id_] == wanted[reply], reply


def test_one_task_of_a_run_is_incomplete_and_says_why() -> None:
    path = next(RUN.glob("*gaze*.jsonl"))
    with pytest.raises(PredictionsInvalid) as refused:
        validate_predictions(mini_bundle(), TRACK, path.read_bytes())
    problem = refused.value.problems[0]
    assert problem.code == "INCOMPLETE"
    assert "24 of 36" in problem.found
    assert "12 rows" in problem.hint
    assert "limit" in problem.hint


def test_a_dead_endpoint_gives_no_answers_rather_than_d() -> None:
    bundle = mini_bundle()
    answers = read_leniently(bundle, TRACK, DEAD.read_bytes())
    assert (answers.picked == NO_ANSWER).all()
    assert any("no row for 33 of 36 questions" in note for note in answers.notes)
    assert any("3 of 3 requests failed" in note for note in answers.notes)
    assert any("LMMS_EVAL_REQUEST_FAILED" in note for note in answers.notes)


def partly_open(bundle: Bundle) -> Bundle:
    tracks = tuple(
        type(t)(slug=t.slug, title=t.title, answers=t.answers, partial=True)
        for t in bundle.benchmark.tracks
    )
    fields = {name: getattr(bundle.benchmark, name) for name in bundle.benchmark.__struct_fields__}
    return replace(bundle, benchmark=type(bundle.benchmark)(**fields | {"tracks": tracks}))


def test_where_partial_files_are_allowed_the_dead_run_scores_nothing() -> None:
    heard = read(partly_open(mini_bundle()), DEAD.read_bytes())
    assert set(heard.values()) == {""}


@pytest.mark.parametrize("form", ["tsv", "json"])
def test_vlmevalkit_tables_import_row_by_row(form: str) -> None:
    path = next(VLM.glob(f"*.{form}"))
    text = path.read_text()
    rows = (
        json.loads(text)
        if form == "json"
        else list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    )
    found = log_of(path.read_bytes()).rows
    assert len(found) == len(rows) == 36
    assert [row.reply for row in found] == [r["prediction"] for r in rows]
    questions = [
        (str(r["index"]), r["video"], r["question"], eval_options(r["candidates"])) for r in rows
    ]
    bundle = asked_bundle(questions)
    answers: Answers = validate_predictions(bundle, TRACK, path.read_bytes())
    assert answers.picked.size == 36
    failed = sum(r["prediction"].startswith("Failed to obtain") for r in rows)
    assert any(f"{failed} of 36 requests failed" in n for n in answers.notes) == bool(failed)


def eval_options(candidates: str) -> list[str]:
    import ast

    return [option.split(". ", 1)[1] for option in ast.literal_eval(candidates)]


def test_both_forms_of_one_table_say_the_same() -> None:
    replies = [
        [row.reply for row in log_of(next(VLM.glob(f"*.{form}")).read_bytes()).rows]
        for form in ("tsv", "json")
    ]
    assert replies[0] == replies[1]


def test_a_log_of_another_benchmark_is_refused_with_a_reason() -> None:
    with pytest.raises(PredictionsInvalid) as refused:
        validate_predictions(mini_bundle(), TRACK, (LMMS / VIDEOMME).read_bytes())
    assert refused.value.n_problems == 1
    problem = refused.value.problems[0]
    assert problem.code == "BENCHMARK"
    assert "videomme_perception_score" in problem.found
    assert "2,700 rows" in problem.found
    assert '"001-1"' in problem.found
    assert "small@1" in problem.wanted
    assert "plumbline export" in problem.hint


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (LMMS / "lmms_eval_videomme_20251106_202956_results.json", "an lmms-eval results file"),
        (next(RUN.glob("*results.json"), RUN), "an lmms-eval results file"),
        (
            next(DEAD.parent.glob("*results.json"), DEAD),
            "partial (actionlens_gaze_detection 3 of 12)",
        ),
        (TEMPCOMPASS / "autoeval_gemini_multi-choice.json", "a judged file"),
        (TEMPCOMPASS / "questions_multi-choice.json", "without predictions"),
    ],
)
def test_derived_files_are_named(path: Path, said: str) -> None:
    with pytest.raises(PredictionsInvalid) as refused:
        validate_predictions(mini_bundle(), TRACK, path.read_bytes())
    problem = refused.value.problems[0]
    assert problem.code == "DERIVED"
    assert said in problem.found
    assert problem.hint


def test_the_order_of_rows_is_nothing() -> None:
    rows = [json.loads(line) for line in whole_run().splitlines()]
    shuffled = [rows[n] for n in np.random.default_rng(3).permutation(len(rows))]
    assert read(mini_bundle(), json_lines(shuffled)) == read(mini_bundle(), whole_run())
