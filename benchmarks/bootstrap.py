"""Paired bootstrap of 18 systems against the loop spelt out, in one run.

`python -m benchmarks.bootstrap WORKLOAD [DRAWS]`: WORKLOAD is a folder with
`gen_workload.py`, `common.py` and `spelt_out_loop.py`. Prints seconds of both,
their ratio, and whether every bound is the same to the last bit.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import Benchmark, BootstrapPlan, Bundle, TrackPlan, json_lines
from evaluator.families.actionlens import FAMILY
from evaluator.families.actionlens.predictions import Answers
from evaluator.family import FloatArray
from evaluator.outcome import Outcome
from evaluator.scoring import point_values
from evaluator.statistics.bootstrap import draw_weights, values_under
from evaluator.statistics.comparison import difference_of
from evaluator.statistics.intervals import interval_of

SEED = 20260928  # of common.py
TRACK = "tracked-boxes"
METRICS = ("question_micro", "diagnostic_macro")


@dataclass(frozen=True)
class Intervals:
    """Bounds by metric: of systems (2, M), of pairs in the order of combinations (2, P)."""

    systems: dict[str, FloatArray]
    pairs: dict[str, FloatArray]
    seconds: float


def outcomes(
    video: NDArray[np.int64], diag: NDArray[np.int64], score: NDArray[np.uint8]
) -> list[Outcome]:
    """Outcomes of the workload's systems: the key is A, and who is wrong says B."""
    names = [f"q{number:05d}" for number in range(len(video))]
    bundle = Bundle(
        benchmark=Benchmark(
            name="workload",
            title="Workload",
            family="actionlens",
            version="1",
            tracks=(TrackPlan(slug=TRACK, title=TRACK, answers="public"),),
            rules="paper",
            cluster="video",
            bootstrap=BootstrapPlan(draws=10_000, seed=SEED),
        ),
        questions=json_lines(
            {
                "track": TRACK,
                "id": name,
                "diagnostic": f"D{d + 1}",
                "video": f"video-{v:02d}",
                "clip": [0, 5],
                "text": "",
                "options": ["one", "two", "three", "four"],
            }
            for name, v, d in zip(names, video.tolist(), diag.tolist(), strict=True)
        ),
        truth=json_lines({"track": TRACK, "id": name, "right": "A"} for name in names),
    )
    return [
        FAMILY.match(bundle, TRACK, Answers(np.where(right, 0, 1)), "paper") for right in score.T
    ]


def ours(systems: list[Outcome], draws: int) -> Intervals:
    """All intervals, as the site computes them."""
    addresses = [(FAMILY.slice("all"), FAMILY.metric(slug)) for slug in METRICS]
    draw_weights.cache_clear()
    start = time.perf_counter()
    n_clusters = systems[0].n_clusters
    weights = draw_weights(n_clusters, draws, SEED)
    values = [point_values(FAMILY, outcome, addresses) for outcome in systems]
    resampled = [
        np.ascontiguousarray(values_under(FAMILY, outcome, addresses, weights).T)
        for outcome in systems
    ]
    of_systems: dict[str, FloatArray] = {}
    of_pairs: dict[str, FloatArray] = {}
    for number, (_, metric) in enumerate(addresses):
        single = [
            interval_of(
                float(value[number]),
                drawn[number],
                rule="percentile",
                level=0.95,
                n_clusters=n_clusters,
            )[0]
            for value, drawn in zip(values, resampled, strict=True)
        ]
        paired = [
            difference_of(
                "all",
                metric,
                (float(values[i][number]), float(values[j][number])),
                (resampled[i][number], resampled[j][number]),
                level=0.95,
                n_clusters=n_clusters,
            ).interval
            for i, j in combinations(range(len(systems)), 2)
        ]
        for into, intervals in ((of_systems, single), (of_pairs, paired)):
            into[metric.slug] = np.array([(i.low, i.high) for i in intervals if i]).T
    return Intervals(of_systems, of_pairs, time.perf_counter() - start)


def spelt_out(workload: Path, draws: int) -> tuple[Intervals, list[Outcome]]:
    """The loop's intervals, from its own script in a process of its own, and the systems."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in ("gen_workload.py", "common.py", "spelt_out_loop.py"):
            shutil.copy(workload / file, folder / file)
        environment = {**os.environ, "B": str(draws), "SEED": str(SEED)}
        reports = [
            subprocess.run(
                [sys.executable, *command],
                cwd=folder,
                env=environment,
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            for command in (("gen_workload.py", "synth.npz"), ("spelt_out_loop.py",))
        ]
        with np.load(folder / "synth.npz") as work, np.load(folder / "out_loop.npz") as out:
            systems = outcomes(work["video"], work["diag"], work["score"])
            found = Intervals(
                {"question_micro": out["micro_ci"], "diagnostic_macro": out["macro_ci"]},
                {"question_micro": out["micro_diff_ci"], "diagnostic_macro": out["macro_diff_ci"]},
                json.loads(reports[1])["seconds"],
            )
    return found, systems


def is_bit_equal(first: Intervals, second: Intervals) -> bool:
    return all(
        np.array_equal(one[metric], two[metric])
        for one, two in ((first.systems, second.systems), (first.pairs, second.pairs))
        for metric in METRICS
    )


def main() -> None:
    workload = Path(sys.argv[1])
    draws = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    loop, systems = spelt_out(workload, draws)
    mine = ours(systems, draws)
    print(
        json.dumps(
            {
                "draws": draws,
                "loop_seconds": round(loop.seconds, 3),
                "our_seconds": round(mine.seconds, 3),
                "ratio": round(loop.seconds / mine.seconds, 1),
                "bit_equal": is_bit_equal(mine, loop),
            }
        )
    )


if __name__ == "__main__":
    main()
