"""Ranks, rank intervals and paired differences of a board, from its material and draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from itertools import combinations, zip_longest

import numpy as np

from evaluator.family import Family, FloatArray, Metric
from evaluator.scorecard import Difference
from evaluator.statistics.comparison import difference_of
from evaluator.statistics.ranking import MAX_ALL_PAIRS, rank_systems
from portal.services import Material, MaterialRow, Place, Standing
from worker.draws import Address, StoredDraws

FULL_SLICE = "all"
NEIGHBOURS = 5  # rows on either side whose differences are kept on boards beyond 200 systems

Pair = tuple[str, str]


def standings_of(
    material: Material, family: Family, draws: Mapping[str, StoredDraws], slices: Set[str]
) -> dict[Address, Standing]:
    """The ranking at every address of the named slices.

    Args:
        draws: by system; measured systems without are ranked by value alone.
    """
    measured = [row for row in material.rows if row.is_measured]
    level = material.benchmark.bootstrap.level
    standings = {}
    for slice_ in (slice_.slug for slice_ in family.slices if slice_.slug in slices):
        drawn = {
            row.system: draws[row.system].of_slice(slice_)
            for row in measured
            if row.system in draws
        }
        for metric in family.metrics:
            address = (slice_, metric.slug)
            if any(address in row.scores for row in measured):
                of_metric = {
                    system: values[metric.slug]
                    for system, values in drawn.items()
                    if metric.slug in values
                }
                standings[address] = _standing(measured, address, metric, of_metric, level)
    return standings


def differences_of(
    material: Material, family: Family, draws: Mapping[str, StoredDraws], lasting: Set[Pair]
) -> dict[Pair, list[Difference]]:
    """Differences of the full slice, all metrics, for pairs that are not kept already."""
    rows = {row.system: row for row in material.rows if row.system in draws}
    wanted = [pair for pair in _pairs(rows, family) if pair not in lasting]
    needed = {system for pair in wanted for system in pair}
    values_drawn = {system: draws[system].of_slice(FULL_SLICE) for system in needed}
    return {
        (first, second): list(
            _differences(
                (rows[first], rows[second]),
                (values_drawn[first], values_drawn[second]),
                family,
                material.benchmark.bootstrap.level,
            )
        )
        for first, second in wanted
    }


def _standing(
    measured: list[MaterialRow],
    address: Address,
    metric: Metric,
    drawn: Mapping[str, FloatArray],
    level: float,
) -> Standing:
    sign = 1.0 if metric.higher_is_better else -1.0
    values = {
        row.system: number.value
        for row in measured
        if (number := row.scores.get(address)) is not None and number.value is not None
    }
    names = {row.system: row.name.casefold() for row in measured}
    order = sorted(values, key=lambda system: (-sign * values[system], names[system]))
    # Who has no interval here has too few draws to be told apart from others.
    sure = [
        row.system
        for row in measured
        if row.system in values and row.system in drawn and row.scores[address].low is not None
    ]
    place_of = {system: position for position, system in enumerate(sure)}
    ranking = None
    if sure:
        ranking = rank_systems(
            np.array([values[system] for system in sure]),
            np.stack([drawn[system] for system in sure]),
            recentred=metric.interval == "recentred",
            higher_is_better=metric.higher_is_better,
            level=level,
        )
    places = {}
    for system, below in zip_longest(order, order[1:]):
        rank = 1 + sum(sign * other > sign * values[system] for other in values.values())
        is_close = below is not None and values[below] == values[system]
        if ranking is None or system not in place_of:
            places[system] = Place(rank=rank, unresolved_from_next=is_close)
            continue
        here = place_of[system]
        if below in place_of:
            is_close = bool(ranking.unresolved[here, place_of[below]])
        places[system] = Place(
            rank=rank,
            low=int(ranking.low[here]),
            # Each of those without draws may yet stand above.
            high=int(ranking.high[here]) + len(order) - len(sure),
            unresolved_from_next=is_close,
        )
    detectable = ranking.minimum_detectable if ranking is not None else None
    return Standing(places=places, minimum_detectable=detectable)


def _pairs(rows: Mapping[str, MaterialRow], family: Family) -> Iterator[Pair]:
    """Pairs of slugs in alphabetical order: all, or neighbours on the primary metric."""
    if len(rows) <= MAX_ALL_PAIRS:
        yield from combinations(sorted(rows), 2)
        return
    address = (FULL_SLICE, family.primary_metric)
    valued = {
        system: number.value
        for system, row in rows.items()
        if (number := row.scores.get(address)) is not None and number.value is not None
    }
    order = sorted(valued, key=lambda system: (valued[system], system))
    for position, first in enumerate(order):
        for second in order[position + 1 : position + 1 + NEIGHBOURS]:
            yield min(first, second), max(first, second)


def _differences(
    rows: tuple[MaterialRow, MaterialRow],
    drawn: tuple[Mapping[str, FloatArray], Mapping[str, FloatArray]],
    family: Family,
    level: float,
) -> Iterator[Difference]:
    """First minus second at every metric of the full slice that both have."""
    for metric in family.metrics:
        numbers = [row.scores.get((FULL_SLICE, metric.slug)) for row in rows]
        if numbers[0] is None or numbers[1] is None:
            continue
        if metric.slug not in drawn[0] or metric.slug not in drawn[1]:
            continue
        yield difference_of(
            FULL_SLICE,
            metric,
            (numbers[0].value, numbers[1].value),
            (drawn[0][metric.slug], drawn[1][metric.slug]),
            level=level,
            n_clusters=min(numbers[0].n_clusters or 0, numbers[1].n_clusters or 0),
        )
