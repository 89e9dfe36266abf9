"""Detection at size against a plain loop over classes, in one run.

`python -m benchmarks.hoi_detection WORKLOAD.npz [--images N] [--draws B]`: the
workload in the layout of `gen_workload.py`, cut to its first N images. Prints
seconds of both, their ratio, how far the values differ, and what reading the
same as a JSON file and 1,000-draw intervals take.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Benchmark, BootstrapPlan, Bundle, TrackPlan, json_lines
from evaluator.families.hoi_detection import FAMILY
from evaluator.families.hoi_detection.class_list import hico_det_classes
from evaluator.families.hoi_detection.matching import Pairs
from evaluator.families.hoi_detection.schema import TRACK
from evaluator.families.hoi_detection.scorer import Detections
from evaluator.scoring import point_values, score_outcome

SEED = 20260901
POINTS = [0.1 * k if k <= 5 else 1 - 0.1 * (10 - k) for k in range(11)]

Box = Sequence[float]


@dataclass(frozen=True)
class Workload:
    """Truth and detections as columns, of images 0 to n_images - 1."""

    n_images: int
    truth: Pairs
    detections: Detections


def load(path: Path, n_images: int | None) -> Workload:
    """The workload's first images."""
    with np.load(path) as work:
        n = min(n_images or int(work["n_images"]), int(work["n_images"]))
        of_truth, of_detections = work["gt_img"] < n, work["pr_img"] < n
        pair = work["pr_pair"][of_detections]
        truth = Pairs(
            work["gt_img"][of_truth].astype(np.int32),
            work["gt_hoi"][of_truth].astype(np.int32),
            work["gt_h"][of_truth].astype(np.float64),
            work["gt_o"][of_truth].astype(np.float64),
        )
        pairs = Pairs(
            work["pr_img"][of_detections].astype(np.int32),
            work["pr_hoi"][of_detections].astype(np.int32),
            work["pair_h"][pair].astype(np.float64),
            work["pair_o"][pair].astype(np.float64),
        )
        return Workload(n, truth, Detections(pairs, work["pr_score"][of_detections], 1))


def bundle_of(work: Workload, draws: int) -> Bundle:
    """A bundle that holds the workload's truth."""
    truth = work.truth
    ids = [f"HICO_test2015_{number + 1:08d}" for number in range(work.n_images)]
    begins = np.searchsorted(truth.image, np.arange(work.n_images + 1))
    return Bundle(
        benchmark=Benchmark(
            name="workload",
            title="Workload",
            family="hoi_detection",
            version="1",
            tracks=(TrackPlan(slug=TRACK, title=TRACK, answers="public", partial=True),),
            rules="official",
            cluster="image",
            bootstrap=BootstrapPlan(draws=draws, seed=SEED),
            classes=tuple(hico_det_classes()),
        ),
        questions=json_lines({"track": TRACK, "id": id_, "image": f"{id_}.jpg"} for id_ in ids),
        truth=json_lines(
            {
                "track": TRACK,
                "id": id_,
                "hoi": truth.label[start:stop].tolist(),
                "human": truth.human[start:stop].tolist(),
                "object": truth.object[start:stop].tolist(),
            }
            for id_, start, stop in zip(ids, begins[:-1], begins[1:], strict=True)
        ),
    )


def file_of(work: Workload) -> bytes:
    """The detections as a predictions file."""
    pairs = work.detections.pairs
    items = [
        {
            "image_id": image + 1,
            "hoi_id": label,
            "human_box": human,
            "object_box": thing,
            "score": s,
        }
        for image, label, human, thing, s in zip(
            pairs.image.tolist(),
            pairs.label.tolist(),
            pairs.human.tolist(),
            pairs.object.tolist(),
            work.detections.scores.tolist(),
            strict=True,
        )
    ]
    head = {"benchmark": "workload", "track": TRACK, "box_base": 1, "class_ids": "hoi0"}
    return msgspec.json.encode({**head, "predictions": items})


def plain_loop(work: Workload, n_classes: int) -> list[float]:
    """AP of each class, detection by detection, as public evaluators count it."""
    truth: dict[tuple[int, int], list[tuple[Box, Box]]] = defaultdict(list)
    n_truth = np.bincount(work.truth.label, minlength=n_classes).tolist()
    for image, label, human, thing in zip(*_rows(work.truth), strict=True):
        truth[label, image].append((human, thing))
    by_class: list[list[tuple[float, int, Box, Box]]] = [[] for _ in range(n_classes)]
    scores = work.detections.scores.tolist()
    for score, image, label, human, thing in zip(
        scores, *_rows(work.detections.pairs), strict=True
    ):
        by_class[label].append((score, image, human, thing))
    values = []
    for label, found in enumerate(by_class):
        found.sort(key=lambda row: -row[0])
        used: set[tuple[int, int]] = set()
        hits = 0
        curve = []
        for n_named, (_, image, human, thing) in enumerate(found, start=1):
            best, chosen = 0.0, -1
            for number, (true_human, true_thing) in enumerate(truth.get((label, image), ())):
                shared = min(_overlap(true_human, human), _overlap(true_thing, thing))
                if shared > best:
                    best, chosen = shared, number
            if best >= 0.5 and (image, chosen) not in used:
                used.add((image, chosen))
                hits += 1
            curve.append((hits / max(n_truth[label], 1), hits / n_named))
        recall, precision = np.array(curve).reshape(-1, 2).T
        values.append(
            sum(float(precision[recall >= point].max(initial=0.0)) for point in POINTS) / 11
        )
    return values


def _rows(pairs: Pairs) -> tuple[list[int], list[int], list[Box], list[Box]]:
    columns = (pairs.image, pairs.label, pairs.human, pairs.object)
    image, label, human, thing = (column.tolist() for column in columns)
    return image, label, human, thing


def _overlap(a: Box, b: Box) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0]) + 1
    height = min(a[3], b[3]) - max(a[1], b[1]) + 1
    if width <= 0 or height <= 0:
        return 0.0
    area = (a[2] - a[0] + 1) * (a[3] - a[1] + 1) + (b[2] - b[0] + 1) * (b[3] - b[1] + 1)
    return width * height / (area - width * height)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workload", type=Path)
    parser.add_argument("--images", type=int)
    parser.add_argument("--draws", type=int, default=1_000)
    args = parser.parse_args()
    work = load(args.workload, args.images)
    bundle = bundle_of(work, args.draws)
    classes = bundle.benchmark.classes
    addresses = [(FAMILY.slice("all"), FAMILY.metric(slug)) for slug in ("map", "ave_map")]
    data = file_of(work)
    FAMILY.example(bundle, TRACK)  # reads the images once, as a site does

    start = time.perf_counter()
    outcome = FAMILY.match(bundle, TRACK, work.detections, "official")
    value = point_values(FAMILY, outcome, addresses)[0]
    array_seconds = time.perf_counter() - start

    start = time.perf_counter()
    read = FAMILY.read_predictions(bundle, TRACK, data, "official")
    again = FAMILY.match(bundle, TRACK, read, "official")
    file_value = point_values(FAMILY, again, addresses)[0]
    file_seconds = time.perf_counter() - start

    start = time.perf_counter()
    score_outcome(bundle.benchmark, TRACK, outcome)
    draw_seconds = time.perf_counter() - start

    start = time.perf_counter()
    plain = np.array(plain_loop(work, len(classes)))
    plain_seconds = time.perf_counter() - start
    has_truth: NDArray[np.bool_] = np.bincount(work.truth.label, minlength=len(classes)) > 0
    print(
        json.dumps(
            {
                "detections": len(work.detections.pairs),
                "map": round(float(value), 6),
                "loop_seconds": round(plain_seconds, 3),
                "array_seconds": round(array_seconds, 3),
                "ratio": round(plain_seconds / array_seconds, 1),
                "value_differs_by": abs(float(value - plain[has_truth].mean())),
                "file_megabytes": round(len(data) / 1e6, 1),
                "file_seconds": round(file_seconds, 3),
                "file_value_differs_by": abs(float(file_value - value)),
                "draws": args.draws,
                "interval_seconds": round(draw_seconds, 3),
            }
        )
    )


if __name__ == "__main__":
    main()
