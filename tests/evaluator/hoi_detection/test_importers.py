"""Bundles from released annotations, and the annotations given back as predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.bundle import Bundle
from evaluator.errors import BundleInvalid
from evaluator.families.hoi_detection import FAMILY
from evaluator.families.hoi_detection.importers import import_hico_det, import_hoi_coco
from evaluator.families.hoi_detection.schema import TRACK, images_of, truth_pairs
from evaluator.scorecard import Scorecard
from evaluator.scoring import score_predictions

DATA = Path(__file__).resolve().parents[3] / "../shared/data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is absent")
BOX = [1.0, 1.0, 20.0, 30.0]


@pytest.fixture(scope="module")
def hico_det() -> Bundle:
    return import_hico_det(DATA / "hicodet/instances_test2015.json")[0]


@pytest.fixture(scope="module")
def hoi_coco() -> Bundle:
    return import_hoi_coco(
        DATA / "vcoco/instances_vcoco_test.json", DATA / "hicodet/hoi_coco_classes.csv"
    )[0]


def card(bundle: Bundle, data: bytes, rules: str = "official") -> Scorecard:
    return score_predictions(bundle, TRACK, data, rules=rules, draws=0)


def write(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content))
    return path


@needs_data
def test_hico_det_is_whole(hico_det: Bundle) -> None:
    assert FAMILY.check(hico_det) == []
    pairs, _ = truth_pairs(hico_det)
    assert (len(images_of(hico_det)), len(pairs)) == (9_658, 33_405)
    groups = [entry.groups for entry in hico_det.benchmark.classes]
    assert sum("rare" in group for group in groups) == 138
    rare = {e.object for e in hico_det.benchmark.classes if "object-rare" in e.groups}
    other = {e.object for e in hico_det.benchmark.classes if "object-non-rare" in e.groups}
    assert (len(rare), len(other)) == (80, 67)


@needs_data
@pytest.mark.parametrize("rules", ["official", "strict", "ppdm", "pocket"])
def test_every_annotation_given_back_scores_one(hico_det: Bundle, rules: str) -> None:
    found = card(hico_det, FAMILY.perfect(hico_det, TRACK), rules)
    assert [score.value for score in found.scores] == [1.0] * len(found.scores)


@needs_data
def test_the_cap_of_qpic_costs_annotations_given_back(hico_det: Bundle) -> None:
    value = card(hico_det, FAMILY.perfect(hico_det, TRACK), "qpic").score("all", "map").value
    assert value is not None and round(100 * value, 2) == 99.86


@needs_data
def test_objects_without_other_classes_count_zero_in_the_mode_of_that_name(
    hico_det: Bundle,
) -> None:
    found = card(hico_det, FAMILY.perfect(hico_det, TRACK), "zero")
    assert found.score("all", "onr_map").value == pytest.approx(67 / 80)


@needs_data
def test_hoi_coco_counts_pixels_from_zero_as_coco_does(hoi_coco: Bundle) -> None:
    assert FAMILY.check(hoi_coco) == []
    document = json.loads(FAMILY.perfect(hoi_coco, TRACK))
    for entry in document["predictions"]:
        for box in ("human_box", "object_box"):
            entry[box] = [corner - 1 for corner in entry[box]]
    as_published = json.dumps({**document, "box_base": 0}).encode()
    assert card(hoi_coco, as_published).score("all", "map").value == 1.0


@needs_data
def test_hoi_coco_has_no_splits_and_says_why(hoi_coco: Bundle) -> None:
    found = card(hoi_coco, FAMILY.perfect(hoi_coco, TRACK))
    assert len(hoi_coco.benchmark.classes) == 222
    assert len(images_of(hoi_coco)) == 4_946
    for slice_, metric in (("rare", "map"), ("all", "or_map"), ("all", "ave_map")):
        score = found.score(slice_, metric)
        assert (score.value, score.reason) == (None, "the class list gives no training counts")


def test_images_without_pairs_are_kept(tmp_path: Path) -> None:
    annotations = write(
        tmp_path / "a.json",
        {
            "filenames": ["HICO_test2015_00000001.jpg", "HICO_test2015_00000002.jpg"],
            "size": [[640, 480], [320, 240]],
            "annotation": [
                {"hoi": [245], "boxes_h": [BOX], "boxes_o": [BOX]},
                {"hoi": [], "boxes_h": [], "boxes_o": []},
            ],
        },
    )
    bundle, lines = import_hico_det(annotations)
    assert FAMILY.check(bundle) == []
    assert [image.id for image in images_of(bundle)] == [
        "HICO_test2015_00000001",
        "HICO_test2015_00000002",
    ]
    assert lines == ["2 images, 1 of them without pairs", "1 pairs"]


def test_pairs_outside_the_class_list_are_left_out_and_counted(tmp_path: Path) -> None:
    annotations = write(
        tmp_path / "a.json",
        {
            "objects": ["cell phone", "pizza"],
            "annotations": [
                {
                    "file_name": "COCO_val2014_000000000001.jpg",
                    "actions": [10, 0],
                    "objects": [0, 1],
                    "boxes_h": [BOX, BOX],
                    "boxes_o": [BOX, BOX],
                }
            ],
        },
    )
    classes = tmp_path / "c.csv"
    classes.write_text("object,verb\ncell phone,talk_on_phone\n")
    bundle, lines = import_hoi_coco(annotations, classes)
    pairs, _ = truth_pairs(bundle)
    assert pairs.label.tolist() == [0]
    assert pairs.human.tolist() == [[2.0, 2.0, 21.0, 31.0]]
    assert "1 annotated pairs belong to no HOI-COCO class: left out" in lines


@pytest.mark.parametrize("content", [[], {}, {"filenames": ["a"], "size": [], "annotation": []}])
def test_other_files_are_refused(tmp_path: Path, content: Any) -> None:
    with pytest.raises(BundleInvalid):
        import_hico_det(write(tmp_path / "a.json", content))
