"""The field's synthetic workload: its values, through the bytes of a file."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluator.bundle import Bundle
from evaluator.families.hoi_detection.importers import import_hico_det
from evaluator.families.hoi_detection.schema import TRACK, truth_pairs
from evaluator.scorecard import Scorecard
from evaluator.scoring import score_predictions
from tests.evaluator.hoi_detection.slow_reference import Row, class_ap

BENCH = Path(__file__).resolve().parents[3] / "../shared/bench/hoi_detection"
pytestmark = pytest.mark.skipif(
    not BENCH.is_dir(), reason="../shared/bench/hoi_detection is absent"
)


def workload(folder: Path, *arguments: str) -> tuple[Bundle, bytes]:
    """Truth as a bundle and detections as a file, both by way of released layouts."""
    generate = [sys.executable, str(BENCH / "gen_workload.py"), str(folder / "w.npz"), "--json"]
    subprocess.run([*generate, *arguments], check=True, capture_output=True)
    with np.load(folder / "w.npz") as work:
        n_images = int(work["n_images"])
        annotations: list[dict[str, Any]] = [
            {"hoi": [], "boxes_h": [], "boxes_o": []} for _ in range(n_images)
        ]
        names = ("gt_img", "gt_hoi", "gt_h", "gt_o")
        for image, label, human, thing in zip(*(work[n].tolist() for n in names), strict=True):
            annotations[image]["hoi"].append(label)
            annotations[image]["boxes_h"].append(human)
            annotations[image]["boxes_o"].append(thing)
    content = {
        "filenames": [f"HICO_test2015_{n + 1:08d}.jpg" for n in range(n_images)],
        "size": [[640, 480]] * n_images,
        "annotation": annotations,
    }
    (folder / "annotations.json").write_text(json.dumps(content))
    bundle, _ = import_hico_det(folder / "annotations.json")
    head = (
        b'{"benchmark": "hico-det", "track": "detect", "box_base": 1, "class_ids": "hoi0", '
        b'"predictions": '
    )
    return bundle, head + (folder / "w.json").read_bytes() + b"}"


def mean(values: list[float | None]) -> float:
    return float(np.mean([value for value in values if value is not None]))


def by_object(aps: dict[int, float], of: dict[int, str]) -> float:
    """Mean within an object, then over objects."""
    groups: dict[str, list[float]] = {}
    for label, value in aps.items():
        groups.setdefault(of[label], []).append(value)
    return float(np.mean([np.mean(group) for group in groups.values()]))


def test_a_small_workload_agrees_with_loops(tmp_path: Path) -> None:
    bundle, data = workload(tmp_path, "--images", "250", "--preds", "30", "--ties")
    card = score_predictions(bundle, TRACK, data, draws=0)
    pairs, _ = truth_pairs(bundle)
    truth: list[Row] = list(
        zip(
            pairs.image.tolist(),
            pairs.label.tolist(),
            pairs.human.tolist(),
            pairs.object.tolist(),
            [1.0] * len(pairs),
            strict=True,
        )
    )
    detections: list[Row] = [
        (image, found["hoi_id"], found["bbox_h"], found["bbox_o"], found["score"])
        for image, entry in enumerate(json.loads(data)["predictions"])
        for found in entry["predictions"]
    ]
    shows = {(image, bundle.benchmark.classes[label].object) for image, label, *_ in truth}
    known = [d for d in detections if (d[0], bundle.benchmark.classes[d[1]].object) in shows]
    ones = [1] * 250
    classes = bundle.benchmark.classes
    aps = {n: ap for n in range(600) if (ap := class_ap(truth, detections, n, ones)) is not None}
    known_aps = [class_ap(truth, known, label, ones) for label in aps]
    assert card.score("all", "map").value == pytest.approx(mean([*aps.values()]), abs=1e-12)
    assert card.score("all", "map_known_object").value == pytest.approx(mean(known_aps), abs=1e-12)
    for group in ("rare", "non-rare"):
        wanted = mean([ap for n, ap in aps.items() if group in classes[n].groups])
        assert card.score(group, "map").value == pytest.approx(wanted, abs=1e-12)
    objects = {n: entry.object for n, entry in enumerate(classes)}
    halves = [
        by_object({n: ap for n, ap in aps.items() if group in classes[n].groups}, objects)
        for group in ("object-rare", "object-non-rare")
    ]
    for metric, half in zip(("or_map", "onr_map"), halves, strict=True):
        assert card.score("all", metric).value == pytest.approx(half, abs=1e-12)
    assert card.score("all", "ave_map").value == pytest.approx(sum(halves) / 2, abs=1e-12)


def value(card: Scorecard, slice_: str, metric: str) -> float:
    found = card.score(slice_, metric).value
    assert found is not None
    return found


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bundle, bytes]:
    return workload(tmp_path_factory.mktemp("full"))


@pytest.mark.slow
def test_the_full_workload_has_its_values(full: tuple[Bundle, bytes]) -> None:
    bundle, data = full
    expected = json.loads((BENCH / "expected_full.json").read_text())
    start = time.process_time()
    card = score_predictions(bundle, TRACK, data, draws=0)
    assert time.process_time() - start < 5
    skip, zero = expected["object_bias_skip"], expected["object_bias_zero"]
    for (slice_, metric), wanted in {
        ("all", "map"): expected["default"]["full"],
        ("rare", "map"): expected["default"]["rare"],
        ("non-rare", "map"): expected["default"]["non_rare"],
        ("all", "map_known_object"): expected["known_object"]["full"],
        ("rare", "map_known_object"): expected["known_object"]["rare"],
        ("non-rare", "map_known_object"): expected["known_object"]["non_rare"],
        ("all", "max_recall"): expected["mean_max_recall"],
        ("all", "or_map"): skip["OR"],
        ("all", "onr_map"): skip["ONR"],
        ("all", "ave_map"): skip["AVE"],
    }.items():
        assert value(card, slice_, metric) == pytest.approx(wanted, abs=1e-9), (slice_, metric)
    other = score_predictions(bundle, TRACK, data, rules="zero", draws=0)
    assert value(other, "all", "onr_map") == pytest.approx(zero["ONR"], abs=1e-9)
    assert value(other, "all", "ave_map") == pytest.approx(zero["AVE"], abs=1e-9)
    # What PPDM's own evaluator prints for these arrays.
    ppdm = score_predictions(bundle, TRACK, data, rules="ppdm", draws=0)
    printed = [round(100 * value(ppdm, s, "map"), 3) for s in ("all", "rare", "non-rare")]
    assert printed == [50.945, 41.237, 53.845]


@pytest.mark.slow
def test_a_thousand_draws_of_the_full_workload_take_seconds(full: tuple[Bundle, bytes]) -> None:
    bundle, data = full
    start = time.process_time()
    card = score_predictions(bundle, TRACK, data)
    assert time.process_time() - start < 20  # values 5, intervals 15
    for score in card.scores:
        assert score.value is not None and score.interval is not None
        assert score.value in score.interval
