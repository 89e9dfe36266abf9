"""`plumbline export`: what a harness asks is what the site asks, and its log comes back."""

from __future__ import annotations

import csv
import io
import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from evaluator.bundle import Bundle, write_bundle
from evaluator.choices import LETTERS
from evaluator.scoring import family_of, score_predictions
from infra.samples.clip_files import clip_bundle
from infra.samples.files import bundle as sample_hoi
from infra.samples.scenes import questions
from tests.plumbline.command import Command

SHAPES = ("{}", "The answer is {}.", "**{}**", "<think>hm</think>{}")


def bundles() -> list[Any]:
    made = (clip_bundle(), sample_hoi(questions()))
    return [
        pytest.param(bundle, track.slug, id=f"{bundle.benchmark.family}-{track.slug}")
        for bundle in made
        for track in bundle.benchmark.tracks
        if track.slug != "detect-then-answer"
    ]


def replies_to(bundle: Bundle, track: str) -> dict[str, str]:
    """Something that each question's model might have said."""
    family = family_of(bundle.benchmark)
    assert family.asked is not None
    said = {}
    for n, asked in enumerate(family.asked(bundle, track)):
        letters = LETTERS[n % len(asked.options)] if n % 7 else "I cannot tell"
        said[asked.id] = SHAPES[n % 4].format(letters)
    return said


def ours(said: dict[str, str]) -> bytes:
    return "".join(
        json.dumps({"question_id": id_, "reply": reply}) + "\n" for id_, reply in said.items()
    ).encode()


def values(bundle: Bundle, track: str, data: bytes) -> dict[tuple[str, str], float | None]:
    card = score_predictions(bundle, track, data, draws=0)
    return {(score.slice, score.metric): score.value for score in card.scores}


def run_as_lmms_eval(folder: Path, task: str, said: dict[str, str]) -> tuple[bytes, list[str]]:
    """A samples file of 0.7, made with the exported task's own code; and its prompts."""
    utils = runpy.run_path(str(folder / task / "utils.py"))
    template = (folder / task / "_default_template_yaml").read_text()
    post_prompt = next(
        json.loads(line.split(":", 1)[1])
        for line in template.splitlines()
        if line.strip().startswith("post_prompt:")
    )
    words = {"pre_prompt": "", "post_prompt": post_prompt}
    rows, prompts = [], []
    for number, line in enumerate((folder / f"{task}.jsonl").read_text().splitlines()):
        doc = json.loads(line)
        reply = said[doc["question_id"]]
        prompts.append(utils["doc_to_text"](doc, words))
        row = {
            "doc_id": number,
            "target": utils["doc_to_target"](doc),
            "filtered_resps": reply.split("</think>")[-1],
            "doc_hash": "74234e98afe7498f",
            **utils["process_results"](doc, [reply]),
            "input": prompts[-1],
        }
        if row["filtered_resps"] != reply:
            row["resps"] = reply
        rows.append(row)
    return "".join(json.dumps(row) + "\n" for row in rows).encode(), prompts


@pytest.mark.parametrize(("bundle", "track"), bundles())
def test_an_exported_task_comes_back_with_the_same_scores(
    plumbline: Command, tmp_path: Path, bundle: Bundle, track: str
) -> None:
    write_bundle(bundle, tmp_path / "bundle")
    out = tmp_path / "task"
    ask = ("export", tmp_path / "bundle", "--track", track, "--out", out)
    run = plumbline(*ask, "--harness", "lmms-eval", "--json")
    assert run.code == 0, run.err
    said = replies_to(bundle, track)
    samples, prompts = run_as_lmms_eval(out, run.document["task"], said)
    asked = family_of(bundle.benchmark).asked
    assert asked is not None
    assert prompts == [question.prompt for question in asked(bundle, track)]
    assert values(bundle, track, samples) == values(bundle, track, ours(said))
    assert "right" not in (out / f"{run.document['task']}.jsonl").read_text().split('"')


@pytest.mark.parametrize(("bundle", "track"), bundles()[::3])
def test_an_exported_table_comes_back_with_the_same_scores(
    plumbline: Command, tmp_path: Path, bundle: Bundle, track: str
) -> None:
    write_bundle(bundle, tmp_path / "bundle")
    out = tmp_path / "table"
    ask = ("export", tmp_path / "bundle", "--track", track, "--out", out)
    run = plumbline(*ask, "--harness", "vlmevalkit", "--json")
    assert run.code == 0, run.err
    text = (out / run.document["files"][0]).read_text()
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))
    said = replies_to(bundle, track)
    for row in rows:
        row["prediction"] = said[row["question_id"]]
    answered = io.StringIO(newline="")
    table = csv.DictWriter(answered, rows[0].keys(), delimiter="\t", quoting=csv.QUOTE_ALL)
    table.writeheader()
    table.writerows(rows)
    expected = values(bundle, track, ours(said))
    assert values(bundle, track, answered.getvalue().encode()) == expected
    assert values(bundle, track, json.dumps(rows).encode()) == expected


def test_what_cannot_be_exported_is_said(plumbline: Command, tmp_path: Path) -> None:
    write_bundle(sample_hoi(questions()), tmp_path / "bundle")
    ask = ("export", tmp_path / "bundle", "--harness", "lmms-eval", "--out", tmp_path / "out")
    run = plumbline(*ask, "--track", "detect-then-answer")
    assert run.code == 2
    assert "asks twice" in run.err
    assert plumbline(*ask, "--track", "target-box").code == 0
    assert plumbline(*ask, "--track", "target-box").code == 2
