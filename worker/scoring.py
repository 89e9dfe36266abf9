"""Scoring: claim a row, let a child do it, record what came out. Here truth is opened.

The task is thin and may run twice: what counts is the row.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import BinaryIO, cast
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from evaluator.errors import PredictionsInvalid, Problem
from evaluator.scorecard import Scorecard
from portal import logs, services
from portal.errors import EvaluationNotFound
from portal.exchange import jobs
from portal.exchange.queue import app
from portal.exchange.storage import StoreDamaged, StoreMissing, open_store
from portal.services import ScoringBrief, failures
from worker.faults import code_of_fault
from worker.heartbeat import Heartbeat
from worker.persisting import persist
from worker.presence import process_name
from worker.sandbox import Limits, NotOursAnyMore, ScoringFailed, run_child

logger = logging.getLogger(__name__)


@app.task(name=jobs.SCORE)
def score(evaluation_id: str) -> None:
    """Score one evaluation if it still waits."""
    try:
        brief = services.begin_scoring(evaluation_id=UUID(evaluation_id), worker=process_name())
    except (ValueError, EvaluationNotFound):
        logger.warning("a letter names no evaluation: %.40r", evaluation_id)
        return
    if brief is not None:
        score_claimed(brief)


def score_claimed(brief: ScoringBrief) -> None:
    """Score what was claimed and record the result, whatever it is."""
    with logs.about(
        submission=brief.submission_id, evaluation=brief.evaluation_id, attempt=brief.attempt
    ):
        _score_and_record(brief)


def _score_and_record(brief: ScoringBrief) -> None:
    began = time.monotonic()
    with Heartbeat(f"evaluation {brief.evaluation_id}", lambda: _extend(brief)) as heartbeat:
        try:
            said = _record(brief, lambda: _scored(brief, heartbeat))
        except NotOursAnyMore:
            said = "lost its claim"
        except ScoringFailed as failure:
            logger.error("evaluation %s: %s", brief.evaluation_id, failure)
            said = _failed(brief, failure.code)
        except Exception as error:  # noqa: BLE001  # the rim: whatever it was has a code
            said = _failed(brief, code_of_fault(f"evaluation {brief.evaluation_id}", error))
    seconds = time.monotonic() - began
    logger.info(
        "evaluation %s attempt %d: %s in %.2f s", brief.evaluation_id, brief.attempt, said, seconds
    )


Record = Callable[[], bool]


def _scored(brief: ScoringBrief, heartbeat: Heartbeat) -> tuple[str, Record]:
    """What came out, and the call that records it."""
    with ExitStack() as stack:
        files = {name: stack.enter_context(file) for name, file in _opened(brief).items()}
        answer = run_child(
            {"definition": brief.definition, "track": brief.track, "trivial": brief.trivial},
            files,
            limits=Limits(
                memory_bytes=settings.SCORING_MEMORY_BYTES,
                cpu_seconds=settings.SCORING_CPU_SECONDS,
                wall_seconds=settings.SCORING_WALL_SECONDS,
            ),
            on_progress=lambda done, total: _report(brief, done, total),
            is_ours=lambda: heartbeat.is_ours,
        )
        if "problems" in answer:
            problems = [msgspec.convert(problem, type=Problem) for problem in answer["problems"]]
            invalid = PredictionsInvalid(problems, answer["n_problems"])
            return "rejected", lambda: services.record_rejection(
                evaluation_id=brief.evaluation_id, attempt=brief.attempt, invalid=invalid
            )
        digest = _kept(files["outcome"]) if answer["has_outcome"] else ""
        answers_digest = _kept(files["answers"]) if answer["has_answers"] else ""
    card = msgspec.convert(answer["card"], type=Scorecard)
    return "scored", lambda: services.record_scorecard(
        evaluation_id=brief.evaluation_id,
        attempt=brief.attempt,
        card=card,
        outcome_digest=digest,
        answers_digest=answers_digest,
        intervals_follow=bool(digest),
    )


def _kept(file: BinaryIO) -> str:
    """The digest under which what the child wrote lies in the store of outcomes."""
    file.seek(0)
    return open_store("outcomes").put(file).digest


def _opened(brief: ScoringBrief) -> dict[str, BinaryIO]:
    """The files that the child may use, each checked against its digest."""
    files: dict[str, BinaryIO] = {}
    try:
        files["questions"] = open_store("questions").open(brief.questions_digest)
        files["truth"] = open_store("truth").open(brief.truth_digest)
    except (StoreMissing, StoreDamaged) as error:
        raise ScoringFailed(failures.VERSION_UNUSABLE, str(error)) from error
    if not brief.trivial:
        try:
            files["predictions"] = open_store("uploads").open(
                brief.predictions_digest,
                key=brief.predictions_key,
                n_bytes=brief.predictions_bytes,
            )
        except (StoreMissing, StoreDamaged) as error:
            raise ScoringFailed(failures.FILE_DAMAGED, str(error)) from error
    for written in ("outcome", "answers"):
        files[written] = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  # closed above
    return files


def _extend(brief: ScoringBrief) -> bool:
    return services.extend_lease(evaluation_id=brief.evaluation_id, attempt=brief.attempt)


def _report(brief: ScoringBrief, done: int, total: int) -> None:
    """Say how far it is; a database that is away for a moment costs no attempt."""
    try:
        services.report_progress(
            evaluation_id=brief.evaluation_id, attempt=brief.attempt, done=done, total=total
        )
    except (OperationalError, InterfaceError) as error:
        logger.warning("evaluation %s: progress not noted: %s", brief.evaluation_id, error)
        connection.close()


def _record(brief: ScoringBrief, produce: Callable[[], tuple[str, Record]]) -> str:
    said, record = produce()
    return said if persist(record) else "lost its claim"


def _failed(brief: ScoringBrief, code: str) -> str:
    recorded = persist(
        lambda: services.record_failure(
            evaluation_id=brief.evaluation_id, attempt=brief.attempt, code=code
        )
    )
    return f"failed ({code})" if recorded else "lost its claim"
