"""Do 95 % intervals hold what they promise? Benchmarks are simulated again and again.

Each repetition draws new images from one endless population: images differ in
difficulty, classes in difficulty and frequency, so questions of an image hang
together and rare classes come and go. The promise is kept if the interval
contains the metric's expectation in 90 to 97 of 100 repetitions (STATISTICS, 2).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from evaluator.bundle import Benchmark, BootstrapPlan, Bundle, LabelClass, TrackPlan, json_lines
from evaluator.scorecard import Scorecard
from evaluator.scoring import score_predictions

TRACK = "detect-then-answer"
TARGET = (0.0, 0.0, 100.0, 100.0)
METRICS = (
    "macro_f1",
    "instance_f1",
    "micro_f1",
    "exact_match",
    "precision",
    "recall",
    "precision_per_question",
    "recall_per_question",
    "abstention_rate",
    "misattribution",
    "detection_rate",
)
LOWEST, HIGHEST = 0.90, 0.97


@dataclass(frozen=True)
class Population:
    """Where the images of a simulated benchmark come from."""

    n_images: int
    n_classes: int
    seed: int

    def names(self) -> list[str]:
        return [f"do thing{number}" for number in range(self.n_classes)]

    def sample(self, number: int) -> tuple[Bundle, bytes]:
        """One benchmark and one system's answers to it."""
        rng = np.random.Generator(np.random.PCG64([self.seed, number]))
        names = self.names()
        frequency = 1.0 / np.arange(1, self.n_classes + 1) ** 0.7
        frequency /= frequency.sum()
        skill = np.random.Generator(np.random.PCG64(self.seed)).normal(0.0, 0.7, self.n_classes)
        questions, truth, items = [], [], []
        for image in range(self.n_images):
            ease = rng.normal(0.0, 0.8)
            for place in range(int(rng.integers(1, 3))):
                name = f"{image}-{place}"
                classes = rng.choice(self.n_classes, size=4, replace=False, p=frequency)
                right = np.arange(4) < rng.integers(1, 3)
                other = ~right & (rng.random(4) < 0.3)
                order = rng.permutation(4)
                classes, right, other = classes[order], right[order], other[order]
                drive = np.where(right, 1.0 + ease, -1.0 - ease + 0.8 * other) + skill[classes]
                picks = rng.random(4) < 1 / (1 + np.exp(-drive))
                letters = np.array(list("ABCD"))
                key = {"track": TRACK, "id": name}
                choices = [names[c] for c in classes]
                questions.append({**key, "image": f"{image}.jpg", "choices": choices})
                truth.append(
                    {
                        **key,
                        "right": letters[right].tolist(),
                        "others": [names[c] for c in classes[other]],
                        "person_box": TARGET,
                    }
                )
                is_found = rng.random() < 1 / (1 + np.exp(-1.5 - ease))
                person = {"box": TARGET, "answer": letters[picks].tolist()}
                items.append({"question_id": name, "people": [person] if is_found else []})
        benchmark = Benchmark(
            name="simulated",
            title="Simulated",
            family="hoi_choice",
            version="1",
            tracks=(TrackPlan(slug=TRACK, title=TRACK, answers="public"),),
            rules="paper",
            cluster="image",
            bootstrap=BootstrapPlan(draws=0, seed=number),
            classes=tuple(LabelClass(name=name) for name in sorted(names)),
        )
        bundle = Bundle(
            benchmark=benchmark, questions=json_lines(questions), truth=json_lines(truth)
        )
        head = {"benchmark": "simulated@1", "track": TRACK, "predictions": items}
        return bundle, json.dumps(head).encode()

    def cards(self, numbers: range, draws: int) -> Iterator[Scorecard]:
        for number in numbers:
            bundle, data = self.sample(number)
            yield score_predictions(bundle, TRACK, data, draws=draws)


def coverage(population: Population, *, repetitions: int, draws: int) -> dict[str, float]:
    """Share of repetitions whose interval contains the expectation, by metric.

    The expectation is the mean over these repetitions and as many again.
    """
    cards = list(population.cards(range(repetitions), draws))
    more = list(population.cards(range(repetitions, 3 * repetitions), 0))
    shares = {}
    for metric in METRICS:
        values = [card.score("all", metric).value for card in (*cards, *more)]
        expectation = np.mean([value for value in values if value is not None])
        intervals = [card.score("all", metric).interval for card in cards]
        shares[metric] = float(
            np.mean([interval is not None and expectation in interval for interval in intervals])
        )
    return shares


def check(shares: dict[str, float]) -> None:
    off = {metric: share for metric, share in shares.items() if not LOWEST <= share <= HIGHEST}
    assert not off, f"outside {LOWEST:.0%} to {HIGHEST:.0%}: {off}; all: {shares}"


def test_intervals_cover_in_a_small_simulation() -> None:
    check(coverage(Population(150, 40, seed=11), repetitions=150, draws=300))


@pytest.mark.slow
def test_intervals_cover_at_the_size_of_the_release() -> None:
    check(coverage(Population(850, 548, seed=12), repetitions=300, draws=1000))
