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
from evaluator.scorecard import Scorecard
from evaluator.scoring import score_with_draws
from portal import logs, services
from portal.exchange import jobs
from portal.exchange.queue import app, post
from portal.exchange.storage import open_store
from portal.services import IntervalsBrief, Material, failures
from worker.draws import DrawsLost, StoredDraws, store_draws
from worker.faults import code_of_fault
from worker.heartbeat import Heartbeat
from worker.ids import id_in
from worker.persisting import persist
from worker.standings import FULL_SLICE, differences_of, standings_of

logger = logging.getLogger(__name__)

LOOK_SECONDS = 5.0  # while more is on its way, a board is built no more often
MAX_RANKED_EVERYWHERE = 50  # measured rows; beyond, only the full slice gets rank intervals


@app.task(name=jobs.INTERVALS)
def intervals(evaluation_id: str) -> None:
    """Give the scores of an evaluation their intervals; a letter may come twice."""
    if (known := id_in(evaluation_id)) is not None:
        complete_intervals(known)


@app.task(name=jobs.REBUILD)
def rebuild(version_id: str, track: str) -> None:
    """Bring the stored board of a track up to date; a letter may come twice."""
    known = id_in(version_id)
    if known is not None and not rebuild_board(known, track):
        post(jobs.REBUILD, known, track)  # behind what waits already


def complete_intervals(evaluation_id: UUID) -> bool:
    """Intervals from the stored outcome, and its draws kept; False if nothing was to do."""
    brief = services.begin_intervals(evaluation_id=evaluation_id)
    if brief is None:
        return False
    with logs.about(
        submission=brief.submission_id, evaluation=evaluation_id, attempt=brief.attempt
    ):
        return _complete(brief)


def _complete(brief: IntervalsBrief) -> bool:
    evaluation_id, attempt = brief.evaluation_id, brief.attempt

    def extend() -> bool:
        return services.extend_intervals_lease(evaluation_id=evaluation_id, attempt=attempt)

    def release(*, is_setback: bool) -> None:
        services.release_intervals(
            evaluation_id=evaluation_id, attempt=attempt, is_setback=is_setback
        )

    with Heartbeat(f"intervals of evaluation {evaluation_id}", extend):
        try:
            card, digest = _intervals(brief)
        except Exception as error:  # noqa: BLE001  # the rim: three strikes, and it is given up
            code = code_of_fault(f"intervals of evaluation {evaluation_id}", error)
            release(is_setback=failures.FAILURES[code].is_setback)
            return False
        return persist(
            lambda: services.record_intervals(
                evaluation_id=evaluation_id, attempt=attempt, card=card, draws_digest=digest
            )
        )


def _intervals(brief: IntervalsBrief) -> tuple[Scorecard, str]:
    """The card with its bounds, and where the draws lie."""
    store = open_store("outcomes")
    benchmark = msgspec.convert(brief.definition, type=Benchmark)
    outcome = Outcome.from_bytes(store.get(brief.outcome_digest))
    card, draws = score_with_draws(benchmark, brief.track, outcome)
    addresses = [(score.slice, score.metric) for score in card.scores]
    return card, store_draws(store, addresses, draws) if draws is not None else ""


def rebuild_board(version_id: UUID, track: str) -> bool:
    """One step towards an up-to-date board; False if another step is due.

    First a look with all values and the ranks of the full slice, in seconds;
    then, once nothing more is on its way, the ranks of every slice.
    """
    stage = services.board_stage(version_id=version_id, track=track)
    if stage == "complete":
        return True
    if not services.board_is_settled(version_id=version_id, track=track):
        age = services.board_age(version_id=version_id, track=track)
        # More is coming and rings again: do not build for every one of many.
        if stage == "first look" or (age is not None and age < LOOK_SECONDS):
            return True
    with services.sole_builder(version_id=version_id, track=track) as is_ours:
        material = services.board_material(version_id=version_id, track=track)
        if not is_ours or material is None:
            return True
        try:
            _build(material, completely=services.has_first_look(material=material))
        except DrawsLost as lost:
            _renew(material, lost)
    # Whoever was turned away meanwhile relies on this second look.
    return services.board_stage(version_id=version_id, track=track) == "complete"


def _build(material: Material, *, completely: bool) -> None:
    store = open_store("outcomes")
    family = FAMILIES.get(material.benchmark.family)
    if family is None:  # published results of a family that is not scored here
        services.store_board(material=material, standings={}, is_complete=True)
        return
    draws = {
        row.system: StoredDraws(store, row.draws_digest)
        for row in material.rows
        if row.draws_digest
    }
    others = {slice_.slug for slice_ in family.slices} - {FULL_SLICE}
    n_measured = sum(row.is_measured for row in material.rows)
    drawn_elsewhere = draws if completely and n_measured <= MAX_RANKED_EVERYWHERE else {}
    elsewhere = standings_of(material, family, drawn_elsewhere, others)
    if not completely:
        lasting = services.stored_pairs(material=material)
        services.store_comparisons(
            material=material,
            differences=differences_of(material, family, draws, lasting.keys()),
            lasting=lasting,
        )
    services.store_board(
        material=material,
        standings=standings_of(material, family, draws, {FULL_SLICE}) | elsewhere,
        is_complete=completely or not elsewhere or n_measured > MAX_RANKED_EVERYWHERE,
    )


def _renew(material: Material, lost: DrawsLost) -> None:
    """Order lost draws anew; until they are there, their row is ranked by value alone."""
    for row in material.rows:
        if row.draws_digest == lost.digest:
            with logs.about(submission=row.submission, evaluation=row.evaluation):
                logger.error("evaluation %s: %s", row.evaluation, lost)
                services.renew_intervals(evaluation_id=row.evaluation, draws_digest=lost.digest)
