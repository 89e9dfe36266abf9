"""Detection, audits and ranks on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.bundle import read_bundle, write_bundle
from infra.samples.detections import detection_bundle, detections_of, detectors
from tests.plumbline.command import Command
from tests.plumbline.small_bundle import TRACK, write_small_bundle

DATA = Path(__file__).resolve().parents[2] / "../shared/data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is absent")
BOX = [1.0, 1.0, 20.0, 30.0]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    write_bundle(detection_bundle(), tmp_path / "bundle")
    return tmp_path / "bundle"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = []
    for detector in detectors()[:3]:
        path = tmp_path / f"{detector.slug}.json"
        path.write_bytes(detections_of(detector))
        paths.append(path)
    return paths


def test_detections_are_scored_with_notes(
    plumbline: Command, bundle: Path, files: list[Path]
) -> None:
    run = plumbline("score", bundle, files[0], "--track", "detect", "--draws", "0")
    assert run.code == 0
    assert "map_known_object" in run.out
    assert "of the detections meet an annotated pair" in run.out


def test_files_are_ranked_for_a_person(plumbline: Command, bundle: Path, files: list[Path]) -> None:
    run = plumbline("rank", bundle, *files[::-1], "--track", "detect", "--draws", "100")
    assert run.code == 0
    body = run.out.splitlines()[3:6]
    assert [line.split()[0] for line in body] == ["1", "2", "3"]
    assert "egret-l.json" in body[0]
    assert "minimum detectable difference" in run.out
    assert "100 draws, seed 1" in run.err


def test_files_are_ranked_for_a_script(plumbline: Command, bundle: Path, files: list[Path]) -> None:
    asked = ("--track", "detect", "--metric", "ave_map", "--draws", "100", "--json")
    run = plumbline("rank", bundle, *files, *asked)
    assert run.code == 0
    document = run.document
    assert (document["slice"], document["metric"], document["draws"]) == ("all", "ave_map", 100)
    first = document["places"][0]
    assert first["file"] == str(files[0])
    assert first["rank_low"] <= first["rank"] <= first["rank_high"]
    assert first["low"] < first["value"] < first["high"]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("--metric", "accuracy"), "There is no accuracy on slice all"),
        (("--metric", "or_map", "--slice", "rare"), "the metric stands on all"),
        (("--draws", "-1"), "invalid count value"),
    ],
)
def test_an_address_that_does_not_exist_is_told(
    plumbline: Command, bundle: Path, files: list[Path], asked: tuple[str, ...], says: str
) -> None:
    run = plumbline("rank", bundle, files[0], "--track", "detect", *asked)
    assert run.code == 2
    assert says in run.err


def test_a_file_with_problems_is_named_before_anything_is_ranked(
    plumbline: Command, bundle: Path, files: list[Path], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.json"
    document = json.loads(files[0].read_text())
    document["predictions"][4]["score"] = 1.5
    broken.write_text(json.dumps(document))
    run = plumbline("rank", bundle, files[0], broken, "--track", "detect")
    assert run.code == 1
    assert "/predictions/4/score  [SCORE_RANGE]" in run.out
    assert str(broken) in run.err


def test_a_bundle_is_audited(plumbline: Command, bundle: Path) -> None:
    run = plumbline("audit", bundle)
    assert run.code == 0
    assert "Images without pairs" in run.out
    assert "object-non-rare" in run.out
    assert "checks find no fault" in run.out
    document = plumbline("audit", bundle, "--json").document
    track = document["tracks"]["detect"]
    assert (document["faults"], track["facts"]["n_images"]) == ([], 126)
    assert len(track["tables"]["classes"]) == 80
    assert "never occur" in track["reasons"]["kl_train_test"]


def test_positions_and_numbers_of_choices_are_audited(plumbline: Command, tmp_path: Path) -> None:
    track = plumbline("audit", write_small_bundle(tmp_path / "small"), "--json").document["tracks"][
        TRACK
    ]
    assert [row["right"] for row in track["tables"]["positions"]] == [3, 3, 3, 3]
    assert track["tables"]["options"] == [
        {"choices": 4, "questions": 12, "share of questions": 1.0}
    ]
    assert track["tables"]["chance"][0]["precision"] == 0.25


def test_an_audit_without_answers_explains_itself(plumbline: Command, tmp_path: Path) -> None:
    run = plumbline("audit", write_small_bundle(tmp_path / "small", with_truth=False))
    assert run.code == 2
    assert "no truth.jsonl" in run.err


def test_a_bundle_that_fails_its_checks_is_told(plumbline: Command, tmp_path: Path) -> None:
    whole = detection_bundle()
    assert whole.truth is not None
    cut = type(whole)(
        benchmark=whole.benchmark,
        questions=whole.questions,
        truth=b"".join(whole.truth.splitlines(keepends=True)[1:]),
    )
    write_bundle(cut, tmp_path / "cut")
    run = plumbline("audit", tmp_path / "cut", "--json")
    assert run.code == 1
    assert "has no line in truth.jsonl" in run.document["faults"][0]


def test_hico_det_is_bundled(plumbline: Command, tmp_path: Path) -> None:
    annotations = tmp_path / "a.json"
    pair = {"hoi": [245], "boxes_h": [BOX], "boxes_o": [BOX]}
    nothing: dict[str, list[object]] = {"hoi": [], "boxes_h": [], "boxes_o": []}
    content = {
        "filenames": ["HICO_test2015_00000001.jpg", "HICO_test2015_00000002.jpg"],
        "size": [[640, 480]] * 2,
        "annotation": [pair, nothing],
    }
    annotations.write_text(json.dumps(content))
    out = tmp_path / "bundle"
    run = plumbline("bundle", "hico-det", "--annotations", annotations, "--out", out, "--json")
    assert run.code == 0
    assert run.document["benchmark"] == "hico-det@1"
    assert run.document["report"] == ["2 images, 1 of them without pairs", "1 pairs"]
    assert len(read_bundle(out).benchmark.classes) == 600
    again = plumbline("bundle", "hico-det", "--annotations", annotations, "--out", out)
    assert again.code == 2 and "not empty" in again.err


@needs_data
def test_hoi_coco_is_bundled_with_its_odd_pairs_told(plumbline: Command, tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    run = plumbline(
        *("bundle", "hoi-coco", "--annotations", DATA / "vcoco/instances_vcoco_test.json"),
        *("--classes", DATA / "hicodet/hoi_coco_classes.csv", "--out", out),
    )
    assert run.code == 0
    assert "hoi-coco@1, 4946 questions" in run.out
    assert "23 annotated pairs belong to no HOI-COCO class" in run.err


def test_annotations_of_another_kind_are_refused(plumbline: Command, tmp_path: Path) -> None:
    annotations = tmp_path / "a.json"
    annotations.write_text("{}")
    run = plumbline("bundle", "hico-det", "--annotations", annotations, "--out", tmp_path / "b")
    assert run.code == 2
    assert "does not hold HICO-DET annotations" in run.err
