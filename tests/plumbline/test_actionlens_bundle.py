"""`plumbline bundle actionlens`: from annotations to a bundle, with a full account."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.bundle import read_bundle
from infra.samples.clips import evidence
from infra.samples.tubes import volleyball
from tests.plumbline.command import Command

AVA = Path(__file__).resolve().parents[2] / "../shared/data/ava"
ACTIONS = AVA / "ava_actions_80.csv"
needs_ava = pytest.mark.skipif(not AVA.is_dir(), reason="../shared/data/ava is absent")


@needs_ava
def test_ava_rows_become_a_bundle_and_the_dirty_one_is_named(
    plumbline: Command, tmp_path: Path
) -> None:
    rows = AVA / "ava_val_v2.2_subset_dirty_row.csv"
    asked = ("bundle", "actionlens", "--ava", rows, "--actions", ACTIONS, "--seed", "1")
    run = plumbline(*asked, "--out", tmp_path / "one", "--json")
    assert run.code == 0
    assert 'line 16: found person "3_"; wanted a whole number' in run.document["report"]
    assert run.document["odd"]["bad rows"] == 1
    assert run.document["n_questions"] > 0
    again = plumbline(*asked, "--out", tmp_path / "two", "--json")
    assert again.document["digests"] == run.document["digests"]
    read_bundle(tmp_path / "one")
    assert plumbline("audit", tmp_path / "one").code == 0


def test_evidence_becomes_a_bundle_of_the_tracks_asked_for(
    plumbline: Command, tmp_path: Path
) -> None:
    file = tmp_path / "clips.jsonl"
    file.write_bytes(evidence(12, 120))
    out = tmp_path / "bundle"
    asked = ("bundle", "actionlens", "--evidence", file, "--most", "40", "--out", out)
    run = plumbline(*asked, "--tracks", "tracked-boxes,no-video", "--json")
    assert run.code == 0
    assert run.document["tracks"] == ["tracked-boxes", "no-video"]
    assert run.document["odd"]["D2 rejected, beyond the number of questions of a diagnostic"] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--evidence", "{file}", "--tracks", "tracked-boxes,smell"), "smell"),
        (("--ava", "{file}"), "--actions"),
        (("--ava", "{file}", "--evidence", "{file}"), "not allowed"),
        (("--evidence", "{missing}"), "missing"),
    ],
)
def test_misuse_is_said(
    plumbline: Command, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    file = tmp_path / "volleyball.jsonl"
    file.write_bytes(volleyball())
    places = {"file": file, "missing": tmp_path / "missing.jsonl"}
    given = [argument.format(**places) for argument in arguments]
    run = plumbline("bundle", "actionlens", *given, "--out", tmp_path / "out")
    assert run.code == 2
    assert said in run.err
    assert not (tmp_path / "out").exists()
