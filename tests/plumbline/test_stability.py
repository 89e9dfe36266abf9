"""`plumbline stability`, errors by kind and agreement on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.bundle import write_bundle
from infra.samples.clip_files import VIEWERS, clip_bundle, predictions
from infra.samples.files import bundle as hoi_bundle
from infra.samples.files import predictions as hoi_predictions
from infra.samples.scenes import questions
from infra.samples.systems import systems
from tests.plumbline.command import Command
from tests.plumbline.small_bundle import TRACK, write_predictions, write_small_bundle

CLIPS = "tracked-boxes"


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    write_bundle(clip_bundle(), folder / "bundle")
    for viewer in VIEWERS[:3]:
        (folder / f"{viewer.slug}.json").write_bytes(predictions(viewer, CLIPS, clip_bundle()))
    return folder


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json*"))


def test_clips_have_every_part(plumbline: Command, clips: Path) -> None:
    files = files_in(clips)
    asked = ("--track", CLIPS, "--draws", "200", "--json")
    document = plumbline("stability", clips / "bundle", *files, *asked).document
    assert (document["slice"], document["metric"]) == ("all", "question_micro")
    assert [subset["n_clusters"] for subset in document["subsets"]] == [8, 16]
    for ranking in (*document["subsets"], document["leave_one_out"], document["one_per_cell"]):
        stability = ranking["stability"]
        assert ranking["reason"] is None
        assert set(stability) == {"mean", "low", "high", "least", "leader_retained", "n"}
        assert -1 <= stability["least"] <= stability["mean"] <= 1
    change = document["leave_one_out"]["largest_change"]
    assert change["file"] in map(str, files)
    assert set(change) == {"file", "cluster", "value"}
    for system, file in zip(document["systems"], files, strict=True):
        assert system["file"] == str(file)
        assert system["equal_clusters"] == pytest.approx(system["value"], abs=0.1)
        assert 0.5 < system["design_effect"] < 3
        assert system["design_effect_reason"] is None
    spread = document["concentration"]
    assert spread["least"] <= spread["median"] <= spread["most"]
    assert spread["n_in_every_slice"] <= spread["n_clusters"]


def test_multiple_choice_says_what_it_does_not_define(plumbline: Command, tmp_path: Path) -> None:
    asked = questions()
    write_bundle(hoi_bundle(asked), tmp_path / "bundle")
    of_track = [question for question in asked if question.track == TRACK]
    for system in [s for s in systems() if s.answers_on(TRACK)][:3]:
        name, data = hoi_predictions(system, TRACK, of_track)
        (tmp_path / name).write_bytes(data)
    command = ("stability", tmp_path / "bundle", *files_in(tmp_path), "--track", TRACK)
    document = plumbline(*command, "--draws", "100", "--json").document
    assert len(document["subsets"]) == 4
    assert all(subset["stability"]["n"] for subset in document["subsets"])
    assert document["one_per_cell"]["stability"] is None
    assert document["one_per_cell"]["reason"]
    assert all(s["design_effect"] is None for s in document["systems"])
    run = plumbline(*command, "--draws", "100", "--metric", "exact_match")
    assert run.code == 0
    assert "leader stays" in run.out and "equal clusters" in run.out
    assert "outcomes keep no single questions" in run.out
    assert "questions per cluster" in run.out


def test_misuse_is_said(plumbline: Command, clips: Path) -> None:
    command = ("stability", clips / "bundle", *files_in(clips), "--track", CLIPS)
    assert "wants draws" in plumbline(*command, "--draws", "0").err
    run = plumbline(*command, "--metric", "macro_f1")
    assert run.code == 2
    assert "There is no macro_f1 on slice all" in run.err


def test_wrong_answers_are_scored_by_kind_with_chance(plumbline: Command, clips: Path) -> None:
    command = ("score", clips / "bundle", files_in(clips)[0], "--track", CLIPS, "--draws", "0")
    rows = plumbline(*command, "--json").document["errors_by_kind"]
    trap = next(row for row in rows if row["kind"] == "trap")
    assert set(trap) == {"slice", "kind", "title", "n", "share", "chance"}
    assert trap["slice"] == "actor-disambiguation"
    assert trap["chance"] == pytest.approx(1 / 3)
    text = plumbline(*command).out
    assert "wrong answers to" in text and "The other highlighted person's action" in text


def test_two_files_agree_so_often(plumbline: Command, clips: Path) -> None:
    first, second = files_in(clips)[:2]
    command = ("compare", clips / "bundle", first, second, "--track", CLIPS, "--draws", "50")
    agreement = plumbline(*command, "--json").document["agreement"]
    assert 0.3 < agreement["share"] < 1 and len(agreement["n_flipped"]) == 2
    assert f"of {agreement['n']} questions; right in A only" in plumbline(*command).out


def test_a_family_without_kinds_gives_none(plumbline: Command, tmp_path: Path) -> None:
    bundle = write_small_bundle(tmp_path / "bundle")
    pair = [write_predictions(tmp_path / f"{n}.json", n_right=n) for n in (6, 9)]
    score = plumbline("score", bundle, pair[0], "--track", TRACK, "--draws", "0", "--json")
    assert score.document["errors_by_kind"] is None
    compare = plumbline("compare", bundle, *pair, "--track", TRACK, "--json")
    assert compare.document["agreement"] is None


def test_one_system_is_compared_across_two_ways_of_asking(
    plumbline: Command, clips: Path, tmp_path: Path
) -> None:
    other = "colours-swapped"
    viewer = VIEWERS[0]
    swapped = tmp_path / "swapped.json"
    swapped.write_bytes(predictions(viewer, other, clip_bundle()))
    ask = ("--track", CLIPS, "--track-b", other, "--draws", "200", "--json")
    document = plumbline(
        "compare", clips / "bundle", clips / f"{viewer.slug}.json", swapped, *ask
    ).document
    assert (document["track"], document["track_b"]) == (CLIPS, other)
    assert document["agreement"]["n"] > 0
    values = [d for d in document["differences"] if d["low"] is not None]
    assert values and all(d["low"] <= d["value"] <= d["high"] for d in values)
