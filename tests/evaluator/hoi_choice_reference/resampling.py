"""Intervals, spelt out: draw images, gather their questions, compute again; nothing of ours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.evaluator.hoi_choice_reference.reference import Address, Asked, Json, evaluate

RECENTRED = ("macro_f1",)
Z = 1.959963984540054  # 0.975 quantile of the standard normal

Bounds = tuple[float, float]


def resamples(images: Sequence[str], n_draws: int, seed: int) -> list[list[str]]:
    """The images of every draw, with repeats."""
    by_code_point = sorted(set(images))
    generator = np.random.Generator(np.random.PCG64(seed))
    size = (n_draws, len(by_code_point))
    index = generator.integers(0, len(by_code_point), size=size, dtype=np.int64)
    return [[by_code_point[number] for number in row] for row in index]


def drawn_values(
    every: Sequence[Asked],
    classes: Sequence[Json],
    track: str,
    rules: str,
    draws: Sequence[Sequence[str]],
) -> dict[Address, list[float | None]]:
    """Values of every draw by address; None where a draw has nothing to count."""
    by_address: dict[Address, list[float | None]] = {}
    for images in draws:
        for address, value in evaluate(every, classes, track, rules, images).items():
            by_address.setdefault(address, []).append(value)
    return by_address


def interval(
    metric: str, value: float, draws: Sequence[float | None], n_clusters: int
) -> Bounds | None:
    """95 % interval of a value, or None where the rules give none."""
    if n_clusters < 5:
        return None
    if value in (0.0, 1.0):
        reach = Z * Z / (n_clusters + Z * Z)
        return (0.0, reach) if value == 0.0 else (1.0 - reach, 1.0)
    usable = [draw for draw in draws if draw is not None]
    if len(draws) - len(usable) > 0.05 * len(draws):
        return None
    low, high = np.quantile(usable, [0.025, 0.975])
    if metric in RECENTRED:
        shift = value - float(np.mean(usable))
        low, high = low + shift, high + shift
    bounds = (float(low), float(high))
    return bounds if bounds[0] <= value <= bounds[1] else None
