"""The append-only log: what happened, by whom, to what."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from portal import logs
from portal.evaluations.models import Event

logger = logging.getLogger(__name__)

HOUSE = "house"  # the actor where nobody in particular acted

VERSION_LOADED = "version.loaded"
VERSION_OPENED = "version.opened"
VERSION_CLOSED = "version.closed"
VERSION_PROMOTED = "version.promoted"
VERSION_QUOTA_SET = "version.quota_set"
SUBMISSION_ACCEPTED = "submission.accepted"
SUBMISSION_PUBLISHED = "submission.published"
SUBMISSION_WITHDRAWN = "submission.withdrawn"
EVALUATION_QUEUED = "evaluation.queued"
EVALUATION_STARTED = "evaluation.started"
EVALUATION_SCORED = "evaluation.scored"
EVALUATION_REJECTED = "evaluation.rejected"
EVALUATION_FAILED = "evaluation.failed"
EVALUATION_WITHDRAWN = "evaluation.withdrawn"
INTERVALS_READY = "intervals.ready"
INTERVALS_LOST = "intervals.lost"  # their draws were; they are computed anew
INTERVALS_GIVEN_UP = "intervals.given_up"
CANARY_LATE = "canary.late"
CANARY_FAILED = "canary.failed"
CANARY_RECOVERED = "canary.recovered"
QUEUE_STALLED = "queue.stalled"
QUEUE_MOVING = "queue.moving"
SUBMISSION_ALIKE = "submission.alike"  # to another team's; for maintainers' eyes
ALERTS_SENT = "alerts.sent"
TOKEN_ISSUED = "token.issued"  # a name, not a secret
TOKEN_REVOKED = "token.revoked"


def record(
    kind: str,
    *,
    actor: str,
    version_id: UUID | None = None,
    submission_id: UUID | None = None,
    evaluation_id: UUID | None = None,
    **data: Any,  # JSON values
) -> None:
    """Add one event; call it inside the transaction of the change that it tells of.

    Once that is committed, a line of the log tells the same, without names and digests.
    """
    Event.objects.create(
        kind=kind,
        actor=actor[:150],
        version_id=version_id,
        submission_id=submission_id,
        evaluation_id=evaluation_id,
        data=data,
    )
    transaction.on_commit(partial(_tell, kind, submission_id, evaluation_id, data))


def _tell(
    kind: str, submission_id: UUID | None, evaluation_id: UUID | None, data: Mapping[str, Any]
) -> None:
    words = [kind]
    if data.get("after"):
        words.append(f"{data['before'] or 'nothing'} -> {data['after']}")
    if data.get("code"):
        words.append(str(data["code"]))
    with logs.about(
        submission=submission_id, evaluation=evaluation_id, attempt=data.get("attempt") or None
    ):
        logger.info(" ".join(words))
