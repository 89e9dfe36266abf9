"""The one bootstrap: weights drawn once for all systems, draws reduced by families.

A metric is a function of cluster weights. Weights of one give the value,
multinomial counts of resampled clusters give its draws, and the same weights
for two systems give a paired difference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evaluator.bundle import BootstrapPlan
from evaluator.errors import DrawsChanged
from evaluator.family import Family, FloatArray, Metric, Slice, WeightArray
from evaluator.outcome import Outcome

BATCH = 500  # draws weighed at once: keeps a batch of totals in the processor's cache


@lru_cache(maxsize=4)
def draw_weights(n_clusters: int, draws: int, seed: int) -> NDArray[np.int16]:
    """How often each cluster occurs in each draw, (B, C); read only.

    Source: STATISTICS, section 1. Row b of the index matrix names the
    clusters of draw b; clusters are in code point order of their ids.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    index = generator.integers(0, n_clusters, size=(draws, n_clusters), dtype=np.int64)
    offset = np.arange(draws, dtype=np.int64)[:, None] * n_clusters
    counts = np.bincount((index + offset).ravel(), minlength=draws * n_clusters)
    weights = counts.reshape(draws, n_clusters).astype(np.int16)
    weights.setflags(write=False)
    return weights


def weights_digest(n_clusters: int, draws: int, seed: int) -> str:
    """SHA-256 (hex) of the int16 weight matrix, little-endian, row by row."""
    weights = draw_weights(n_clusters, draws, seed)
    return hashlib.sha256(weights.astype("<i2", copy=False).tobytes()).hexdigest()


def checked_weights(n_clusters: int, plan: BootstrapPlan) -> NDArray[np.int16]:
    """The version's weights, (B, C).

    Raises:
        DrawsChanged: their digest is not the one that the version fixed; a
            library changed its stream, and a maintainer must decide.
    """
    digest = weights_digest(n_clusters, plan.draws, plan.seed)
    if plan.weights_sha256 and digest != plan.weights_sha256:
        raise DrawsChanged(
            f"the {plan.draws} draws of seed {plan.seed} have digest {digest[:12]}…, the version "
            f"fixed {plan.weights_sha256[:12]}…; no interval is computed until a maintainer decides"
        )
    return draw_weights(n_clusters, plan.draws, plan.seed)


def values_under(
    family: Family,
    outcome: Outcome,
    addresses: Sequence[tuple[Slice, Metric]],
    weights: WeightArray,
    progress: Callable[[int, int], None] | None = None,
) -> FloatArray:
    """Values of all addresses under each row of weights, (B, A).

    NaN marks a draw in which an address has nothing to count.
    """
    n_draws = weights.shape[0]
    values = np.empty((n_draws, len(addresses)))
    for start in range(0, n_draws, BATCH):
        batch = slice(start, min(start + BATCH, n_draws))
        weighed = family.weigh(outcome, weights[batch])
        for column, (slice_, metric) in enumerate(addresses):
            values[batch, column] = metric.compute(weighed, slice_.slug)
        if progress:
            progress(batch.stop, n_draws)
    return values
