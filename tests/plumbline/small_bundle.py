"""A benchmark of twelve questions, small enough to be scored by eye."""

from __future__ import annotations

import json
from pathlib import Path

from evaluator.bundle import Benchmark, BootstrapPlan, Bundle, TrackPlan, json_lines, write_bundle
from evaluator.families.hoi_choice.labels import class_list
from evaluator.statistics.bootstrap import weights_digest

TRACK = "target-box"
N_QUESTIONS = 12
DRAWS, SEED = 200, 7
CHOICES = ("ride a/an bicycle", "hold a/an bicycle", "wash a/an bicycle", "walk a/an bicycle")
RIGHT = ("A", "B", "C", "D")


def write_small_bundle(folder: Path, *, with_truth: bool = True) -> Path:
    """Write it into `folder`: question n has the one right choice n mod 4."""
    names = [choice.replace(" a/an ", " ") for choice in CHOICES]
    benchmark = Benchmark(
        name="small-hoi",
        title="Small",
        family="hoi_choice",
        version="1",
        tracks=(TrackPlan(slug=TRACK, title="Target box", answers="public"),),
        rules="paper",
        cluster="image",
        bootstrap=BootstrapPlan(
            draws=DRAWS, seed=SEED, weights_sha256=weights_digest(N_QUESTIONS, DRAWS, SEED)
        ),
        classes=tuple(class_list(names)),
    )
    questions = [
        {
            "track": TRACK,
            "id": f"i{n}-q0",
            "image": f"i{n}.jpg",
            "choices": CHOICES,
            "person_box": (1, 1, 9, 9),
        }
        for n in range(N_QUESTIONS)
    ]
    truth = [
        {"track": TRACK, "id": f"i{n}-q0", "right": [RIGHT[n % 4]]} for n in range(N_QUESTIONS)
    ]
    write_bundle(
        Bundle(
            benchmark=benchmark,
            questions=json_lines(questions),
            truth=json_lines(truth) if with_truth else None,
        ),
        folder,
    )
    return folder


def write_predictions(path: Path, *, n_right: int = N_QUESTIONS) -> Path:
    """Answers of which the first `n_right` are right, the others empty."""
    items = [
        {"question_id": f"i{n}-q0", "answer": [RIGHT[n % 4]] if n < n_right else []}
        for n in range(N_QUESTIONS)
    ]
    head = {"benchmark": "small-hoi@1", "track": TRACK, "predictions": items}
    path.write_text(json.dumps(head))
    return path
