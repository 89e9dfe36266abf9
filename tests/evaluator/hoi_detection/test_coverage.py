"""Do 95 % intervals of mAP and its kin hold what they promise? Benchmarks drawn again and again.

Each repetition draws new images from one endless population, in which images
differ in ease and classes in skill and frequency. The promise is kept if the
interval contains the metric's expectation in 90 to 97 of 100 repetitions
(STATISTICS, 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluator.bundle import (
    Benchmark,
    BootstrapPlan,
    Bundle,
    LabelClass,
    TrackPlan,
    json_lines,
)
from evaluator.families.hoi_detection import FAMILY
from evaluator.families.hoi_detection.class_list import grouped_classes
from evaluator.families.hoi_detection.matching import Pairs
from evaluator.families.hoi_detection.schema import TRACK
from evaluator.families.hoi_detection.scorer import Detections
from evaluator.scorecard import Scorecard
from evaluator.scoring import score_outcome

LOWEST, HIGHEST = 0.90, 0.97
VERBS_PER_OBJECT = 4
SIDE = 40.0  # of every box, in pixels

Row = tuple[int, int, float, float, float]  # image, class, shift of human, of object, score


@dataclass(frozen=True)
class Population:
    """Where the images of a simulated benchmark come from."""

    n_images: int
    n_objects: int
    seed: int

    @cached_property
    def frequency(self) -> NDArray[np.float64]:
        """(K,) how often each class is done; a long tail, shuffled over objects."""
        rng = np.random.Generator(np.random.PCG64(self.seed))
        n_classes = self.n_objects * VERBS_PER_OBJECT
        frequency = rng.permutation(1.0 / np.arange(1, n_classes + 1) ** 0.8)
        return frequency / frequency.sum()

    @cached_property
    def skill(self) -> NDArray[np.float64]:
        rng = np.random.Generator(np.random.PCG64([self.seed, 99]))
        return rng.normal(0.0, 0.8, self.frequency.size)

    @cached_property
    def classes(self) -> tuple[LabelClass, ...]:
        counts = np.round(self.frequency * 500).astype(int).tolist()
        return tuple(
            grouped_classes(
                [
                    (f"verb{n % VERBS_PER_OBJECT}", f"thing{n // VERBS_PER_OBJECT:03d}", count)
                    for n, count in enumerate(counts)
                ]
            )
        )

    def sample(self, number: int) -> tuple[Bundle, Detections]:
        """One benchmark, and what one system detects on it."""
        rng = np.random.Generator(np.random.PCG64([self.seed, number]))
        images, truths = [], []
        found: list[Row] = []
        for image in range(self.n_images):
            ease = rng.normal(0.3, 0.8)
            labels = rng.choice(self.frequency.size, size=int(rng.integers(0, 4)), p=self.frequency)
            boxes = [_box(200.0 * place) for place in range(labels.size)]
            images.append({"track": TRACK, "id": f"{image:05d}", "image": f"{image:05d}.jpg"})
            truths.append(
                {"track": TRACK, "id": f"{image:05d}", "hoi": labels.tolist()}
                | {"human": boxes, "object": boxes}
            )
            for place, label in enumerate(labels.tolist()):
                first = label - label % VERBS_PER_OBJECT
                for other in range(first, first + VERBS_PER_OBJECT):
                    drive = (1.2 if other == label else -1.2) + 0.6 * ease + self.skill[other]
                    shift = 200.0 * place + rng.normal(0.0, 9.0 * np.exp(-0.3 * ease))
                    found.append((image, other, shift, shift, _score(rng, drive)))
            for stray in rng.choice(self.frequency.size, size=2, p=self.frequency).tolist():
                found.append((image, stray, 900.0, 900.0, _score(rng, -1.5 + self.skill[stray])))
        return self._bundle(number, images, truths), _detections(found)

    def _bundle(self, number: int, images: list[object], truths: list[object]) -> Bundle:
        return Bundle(
            benchmark=Benchmark(
                name="simulated",
                title="Simulated",
                family="hoi_detection",
                version="1",
                tracks=(TrackPlan(slug=TRACK, title=TRACK, answers="public", partial=True),),
                rules="official",
                cluster="image",
                bootstrap=BootstrapPlan(draws=0, seed=number),
                classes=self.classes,
            ),
            questions=json_lines(images),
            truth=json_lines(truths),
        )

    def cards(self, numbers: range, draws: int) -> Iterator[Scorecard]:
        for number in numbers:
            bundle, detections = self.sample(number)
            outcome = FAMILY.match(bundle, TRACK, detections, "official")
            yield score_outcome(bundle.benchmark, TRACK, outcome, draws=draws)


def _box(shift: float) -> tuple[float, float, float, float]:
    return (1.0 + shift, 1.0, SIDE + shift, SIDE)


def _score(rng: np.random.Generator, drive: float) -> float:
    return float(1 / (1 + np.exp(-drive - rng.normal(0.0, 1.2))))


def _detections(found: list[Row]) -> Detections:
    human = np.array([_box(row[2]) for row in found])
    pairs = Pairs(
        np.array([row[0] for row in found], dtype=np.int32),
        np.array([row[1] for row in found], dtype=np.int32),
        human,
        np.array([_box(row[3]) for row in found]),
    )
    return Detections(pairs, np.array([row[4] for row in found]), 1)


def coverage(
    population: Population, *, repetitions: int, draws: int
) -> dict[tuple[str, str], float]:
    """Share of repetitions whose interval contains the expectation, by address.

    The expectation is the mean over these repetitions and twice as many more.
    """
    cards = list(population.cards(range(repetitions), draws))
    more = list(population.cards(range(repetitions, 3 * repetitions), 0))
    shares = {}
    for address in [(score.slice, score.metric) for score in cards[0].scores]:
        values = [card.score(*address).value for card in (*cards, *more)]
        expectation = np.mean([value for value in values if value is not None])
        intervals = [card.score(*address).interval for card in cards]
        shares[address] = float(
            np.mean([interval is not None and expectation in interval for interval in intervals])
        )
    return shares


def check(shares: dict[tuple[str, str], float]) -> None:
    off = {address: share for address, share in shares.items() if not LOWEST <= share <= HIGHEST}
    assert not off, f"outside {LOWEST:.0%} to {HIGHEST:.0%}: {off}; all: {shares}"


def test_intervals_cover_in_a_small_simulation() -> None:
    check(coverage(Population(500, 6, seed=21), repetitions=100, draws=200))


@pytest.mark.slow
def test_intervals_cover_with_as_many_pairs_to_a_class_as_hico_det_has() -> None:
    check(coverage(Population(2_000, 12, seed=22), repetitions=200, draws=400))
