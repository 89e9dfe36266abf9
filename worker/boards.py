"""Intervals, boards and comparisons, computed from stored outcomes: no truth is opened here.

Both tasks may run twice, and late: they look at the rows, not at the letter.
"""

from __future__ import annotations

import logging
from uuid import UUID

import msgspec

from evaluator.bundle import Benchmark
from evaluator.families import FAMILIES
from evaluator.outcome import Outcome
from evaluator.scoring import score_with_draws
from portal import services
from portal.exchange import jobs
from portal.exchange.queue import app
from portal.exchange.storage import open_store
from portal.services import Material
from worker.draws import StoredDraws, store_draws
from worker.standings import FULL_SLICE, differences_of, standings_of

logger = logging.getLogger(__name__)

MAX_RANKED_EVERYWHERE = 50  # measured rows; beyond, only the full slice gets rank intervals


@app.task(name=jobs.INTERVALS)
def intervals(evaluation_id: str) -> None:
    """Give the scores of an evaluation their intervals; a letter may come twice."""
    if (known := _id(evaluation_id)) is not None:
        complete_intervals(known)


@app.task(name=jobs.REBUILD)
def rebuild(version_id: str, track: str) -> None:
    """Bring the stored board of a track up to date; a letter may come twice."""
    if (known := _id(version_id)) is not None:
        rebuild_board(known, track)


def complete_intervals(evaluation_id: UUID) -> bool:
    """Intervals from the stored outcome, and its draws kept; False if nothing was to do."""
    brief = services.begin_intervals(evaluation_id=evaluation_id)
    if brief is None:
        return False
    store = open_store("outcomes")
    try:
        benchmark = msgspec.convert(brief.definition, type=Benchmark)
        outcome = Outcome.from_bytes(store.get(brief.outcome_digest))
        card, draws = score_with_draws(benchmark, brief.track, outcome)
        addresses = [(score.slice, score.metric) for score in card.scores]
        digest = store_draws(store, addresses, draws) if draws is not None else ""
    except Exception:  # the rim: three tries, then the sweeper gives up and says so
        logger.exception("intervals of evaluation %s", evaluation_id)
        services.release_intervals(evaluation_id=evaluation_id, attempt=brief.attempt)
        return False
    return services.record_intervals(
        evaluation_id=evaluation_id, attempt=brief.attempt, card=card, draws_digest=digest
    )


def rebuild_board(version_id: UUID, track: str) -> None:
    """Build until the stored board matches the database, or leave it to who is at it."""
    # Whoever holds the lock looks once more after letting go: no change falls between two builders.
    while not services.board_is_fresh(version_id=version_id, track=track):
        with services.sole_builder(version_id=version_id, track=track) as is_ours:
            material = services.board_material(version_id=version_id, track=track)
            if not is_ours or material is None:
                return
            if not services.board_is_fresh(version_id=version_id, track=track):
                _build(material)


def _build(material: Material) -> None:
    """Store a board soon, with ranks of the full slice; then again with those of all slices."""
    store = open_store("outcomes")
    family = FAMILIES.get(material.benchmark.family)
    if family is None:  # published results of a family that is not scored here
        services.store_board(material=material, standings={}, differences={}, lasting={})
        return
    draws = {
        row.system: StoredDraws(store, row.draws_digest)
        for row in material.rows
        if row.draws_digest
    }
    lasting = services.stored_pairs(material=material)
    differences = differences_of(material, family, draws, lasting.keys())
    others = {slice_.slug for slice_ in family.slices} - {FULL_SLICE}
    standings = standings_of(material, family, draws, {FULL_SLICE})
    by_value = standings_of(material, family, {}, others)
    n_measured = sum(row.is_measured for row in material.rows)
    is_complete = not by_value or n_measured > MAX_RANKED_EVERYWHERE
    services.store_board(
        material=material,
        standings=standings | by_value,
        differences=differences,
        lasting=lasting,
        is_complete=is_complete,
    )
    if not is_complete:
        services.store_board(
            material=material,
            standings=standings | standings_of(material, family, draws, others),
            differences=differences,
            lasting=lasting,
        )


def _id(text: str) -> UUID | None:
    """The id in a letter; a letter that carries none is laid aside."""
    try:
        return UUID(text)
    except ValueError:
        logger.warning("a letter names no row: %.40r", text)
        return None
