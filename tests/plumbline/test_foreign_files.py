"""`convert`, `rank` and `compare` on files that harnesses wrote."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from evaluator.bundle import write_bundle
from plumbline.workbook import read_workbook
from tests.evaluator.actionlens.small import TRACK
from tests.evaluator.harness.logs import VLM, asked_bundle, json_lines
from tests.plumbline.command import Command

needs_shared = pytest.mark.skipif(not VLM.is_dir(), reason="../shared/data/vlmevalkit is absent")
NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def write_workbook(path: Path, rows: list[list[str]]) -> Path:
    """A workbook of inline strings, with the least that Excel's form asks for."""
    cells = "".join(
        "<row>"
        + "".join(
            f'<c r="{chr(65 + place)}{n}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'
            for place, text in enumerate(row)
            if text
        )
        + "</row>"
        for n, row in enumerate(rows, start=1)
    )
    sheet = f'<worksheet xmlns="{NAMESPACE}"><sheetData>{cells}</sheetData></worksheet>'
    book = (
        f'<workbook xmlns="{NAMESPACE}" xmlns:r="{RELATIONS}"><sheets>'
        '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    links = (
        '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", book)
        archive.writestr("xl/_rels/workbook.xml.rels", links)
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return path


def write_actions(folder: Path, n: int) -> Path:
    questions = [
        (f"q{k}", f"v{k % 5}", f"What is done at {k}?", ["sit", "stand"]) for k in range(n)
    ]
    write_bundle(asked_bundle(questions), folder)
    return folder


def test_a_workbook_is_converted_cell_by_cell(plumbline: Command, tmp_path: Path) -> None:
    bundle = write_actions(tmp_path / "bundle", 4)
    rows = [["index", "question", "prediction"]]
    rows += [
        [f"q{n}", f"What is done at {n}?", said] for n, said in enumerate(("B.", "NA", "", "A"))
    ]
    book = write_workbook(tmp_path / "run.xlsx", rows)
    out = tmp_path / "out.json"
    run = plumbline("convert", bundle, book, "--track", TRACK, "--out", out)
    assert run.code == 0, run.err
    answers = {i["question_id"]: i["answer"] for i in json.loads(out.read_text())["predictions"]}
    assert {id_: "".join(answer) for id_, answer in answers.items()} == {
        "q0": "B",
        "q1": "",
        "q2": "",
        "q3": "A",
    }
    assert "1 of 4 replies are null or empty" in run.err
    refused = plumbline("validate", bundle, book, "--track", TRACK)
    assert refused.code == 1
    assert "plumbline convert" in refused.out


def test_what_is_no_workbook_is_said(plumbline: Command, tmp_path: Path) -> None:
    bundle = write_actions(tmp_path / "bundle", 4)
    path = tmp_path / "run.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/nothing.xml", "<a/>")
    run = plumbline("convert", bundle, path, "--track", TRACK, "--out", tmp_path / "out.json")
    assert run.code == 1
    assert "cannot be read as an Excel workbook" in run.err


@needs_shared
def test_strings_of_real_workbooks_stay_strings() -> None:
    said = [row["prediction"] for row in read_workbook(VLM / "stub-vlm_ActionLensMCQ.xlsx")]
    assert len(said) == 36
    assert {"None", "NA", "nan", "=B1", "True", "null", "  b "} <= set(said)
    table = json.loads(next(VLM.glob("*.json")).read_text())
    rows = read_workbook(VLM / "stub-vlm_ActionLens_8frame_nopack.xlsx")
    assert [row["prediction"] for row in rows] == [row["prediction"] for row in table]


def replies(path: Path, said: list[str]) -> Path:
    items = [{"question_id": f"q{n}", "reply": reply} for n, reply in enumerate(said)]
    path.write_bytes(json_lines(items))
    return path


def test_files_that_hardly_differ_are_pointed_out(plumbline: Command, tmp_path: Path) -> None:
    bundle = write_actions(tmp_path / "bundle", 200)
    said = ["A", "B"] * 100
    one, same = replies(tmp_path / "one.jsonl", said), replies(tmp_path / "same.jsonl", said)
    near = replies(tmp_path / "near.jsonl", ["B", *said[1:]])
    far = replies(tmp_path / "far.jsonl", ["B", "A", *said[2:]])
    ask = ("--track", TRACK, "--draws", "50")
    run = plumbline("compare", bundle, one, same, *ask)
    assert "are the same, byte for byte" in run.err
    run = plumbline("rank", bundle, one, near, far, *ask, "--json")
    assert [twins["files"] for twins in run.document["alike"]] == [
        [str(one), str(near)],
        [str(near), str(far)],
    ]
    assert "differ in 1 of 200 answers" in run.err
    assert plumbline("compare", bundle, one, far, *ask, "--json").document["alike"] == []


def test_the_same_answers_in_other_words_are_pointed_out(
    plumbline: Command, tmp_path: Path
) -> None:
    bundle = write_actions(tmp_path / "bundle", 200)
    said = ["A", "B"] * 100
    one = replies(tmp_path / "one.jsonl", said)
    wordy = replies(tmp_path / "wordy.jsonl", [f"The answer is ({letter})." for letter in said])
    run = plumbline("rank", bundle, one, wordy, "--track", TRACK, "--draws", "50")
    assert "give the same 200 answers" in run.err
