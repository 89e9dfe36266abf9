"""Do 95 % intervals hold what they promise? Benchmarks are simulated again and again.

Each repetition draws new videos from one endless population: videos differ in
difficulty, in size and in what they ask, so questions of a video hang together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluator.families.actionlens import FAMILY
from evaluator.families.actionlens.evidence import outcome_of, tally_of
from evaluator.families.actionlens.schema import Layout, Question, TruthLayout
from evaluator.outcome import Outcome
from evaluator.scoring import point_values
from evaluator.statistics.bootstrap import draw_weights, values_under
from evaluator.statistics.intervals import interval_of

N_VIDEOS, N_REPETITIONS, DRAWS = 64, 240, 600
LOWEST, HIGHEST = 0.90, 0.97
ADDRESSES = [
    (FAMILY.slice(slice_), FAMILY.metric(metric))
    for slice_, metric in (
        ("all", "question_micro"),
        ("all", "diagnostic_macro"),
        ("all", "equal_video"),
        ("all", "invalid_rate"),
        ("gaze-detection", "accuracy"),
        ("actor-disambiguation", "accuracy"),
        ("actor-disambiguation", "trap_rate"),
        ("actor-disambiguation", "trap_lift"),
    )
]
MIX = np.array([0.05, 0.3, 0.3, 0.2, 0.15])  # of D1 to D5
CODES = np.array(["D1", "D2", "D3", "D4", "D5"])


@dataclass(frozen=True)
class Questions:
    """Simulated questions, each (Q,)."""

    video: NDArray[np.int64]
    diagnostic: NDArray[np.int64]
    picked: NDArray[np.int64]


def simulate(n_videos: int, seed: int) -> Questions:
    rng = np.random.Generator(np.random.PCG64(seed))
    sizes = 4 + rng.poisson(12 * rng.gamma(4.0, 0.25, n_videos))
    video = np.repeat(np.arange(n_videos), sizes)
    diagnostic = rng.choice(5, size=video.size, p=MIX)
    ease = rng.normal(0.4, 0.6, n_videos)[video] - 0.3 * (diagnostic == 4)
    lure = rng.normal(0.2, 0.5, n_videos)[video]
    # The key is A, the trap is B; some say nothing readable.
    strength = np.stack((ease + 1.0, lure, np.zeros(video.size), np.zeros(video.size)), axis=1)
    picked = (strength + rng.gumbel(size=strength.shape)).argmax(axis=1)
    silent = rng.random(video.size) < 0.04 + 0.04 * (ease < 0)
    return Questions(video, diagnostic, np.where(silent, -1, picked))


def outcome(found: Questions, n_videos: int) -> Outcome:
    n = found.video.size
    question = Question(
        track="t", id="q", diagnostic="D1", video="v", clip=(0, 5), text="", options=("a", "b")
    )
    layout = Layout(
        questions=(question,) * n,
        index={},
        n_options=np.full(n, 4),
        diagnostic=CODES[found.diagnostic],
        review=np.zeros(n, dtype=bool),
        cluster=found.video,
        clusters=tuple(f"{number:05d}" for number in range(n_videos)),
    )
    truth = TruthLayout(
        key=np.zeros(n, dtype=np.int64),
        kind=np.full((n, 4), -1),
        trap=np.where(found.diagnostic == 1, 1, -1),
        transition=np.full(n, ""),
        gaze=np.full(n, ""),
        n_people=np.zeros(n, dtype=np.int64),
    )
    return outcome_of(layout, truth, tally_of(truth, found.picked), "paper", [])


def test_intervals_hold_what_they_promise() -> None:
    many = 20_000
    expected = point_values(FAMILY, outcome(simulate(many, 0), many), ADDRESSES)
    weights = draw_weights(N_VIDEOS, DRAWS, 7)
    held = np.zeros(len(ADDRESSES))
    for repetition in range(1, N_REPETITIONS + 1):
        sample = outcome(simulate(N_VIDEOS, repetition), N_VIDEOS)
        values = point_values(FAMILY, sample, ADDRESSES)
        draws = values_under(FAMILY, sample, ADDRESSES, weights)
        for number, (_, metric) in enumerate(ADDRESSES):
            interval, why, _ = interval_of(
                float(values[number]),
                draws[:, number],
                rule=metric.interval,
                level=0.95,
                n_clusters=N_VIDEOS,
                scale=metric.scale,
            )
            assert interval is not None, why
            held[number] += expected[number] in interval
    coverage = {
        (slice_.slug, metric.slug): float(share)
        for (slice_, metric), share in zip(ADDRESSES, held / N_REPETITIONS, strict=True)
    }
    off = {place: share for place, share in coverage.items() if not LOWEST <= share <= HIGHEST}
    assert not off, coverage
