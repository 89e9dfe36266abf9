"""What the ledger adds up to: what was lost, what is wrong, what proves too little."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any
from uuid import UUID

from infra.chaos.ledger import FINAL, Row
from infra.chaos.load import Paper
from infra.chaos.papers import light_bundle, values_of

CLAIMED_WITHIN = 30.0  # seconds after a recovery
N_CHECKED = 40  # scored submissions whose values are computed again


def faults_of(
    found: Mapping[str, Any],
    targets: Sequence[str],
    *,
    n_submissions: int,
    least_kills: int,
    least_interrupted: int,
) -> Iterator[str]:
    """A sentence on each figure that should not be so, or that proves too little."""
    if found["submitted"] != n_submissions:
        yield f"{found['submitted']} of {n_submissions} submissions were accepted"
    if found["lost"]:
        yield f"{found['lost']} submissions were lost: missing, without an end, or with a wrong one"
    if found["double"]:
        yield f"{found['double']} submissions were stored or ended more than once"
    if found["wrong"]:
        yield f"{found['wrong']} of {N_CHECKED} scores differ from those computed here"
    if found["slowest_claim_after_recovery_seconds"] > CLAIMED_WITHIN:
        late = found["slowest_claim_after_recovery_seconds"]
        yield f"a row was claimed only {late} s after the recovery"
    for target in targets:
        n_kills = found["kills"].get(target, 0)
        if n_kills < least_kills:
            yield f"{target} was killed {n_kills} times, which proves too little"
    if found["claims_interrupted"] < least_interrupted:
        yield f"{found['claims_interrupted']} claims were interrupted, which proves too little"


def lost(accepted: Mapping[int, str], rows: Sequence[Row], written: Sequence[Paper]) -> list[int]:
    """Papers that were accepted and are not there, have no end, or one that they do not deserve."""
    by_submission = {row.submission: row for row in rows}
    lost = []
    for paper in written:
        row = by_submission.get(accepted.get(paper.number, ""))
        undeserved = "REJECTED" if paper.is_sound else "SCORED"
        if (
            row is None
            or row.status not in FINAL
            or row.status == undeserved
            or (row.status == "SCORED" and row.intervals != "READY")
        ):
            lost.append(paper.number)
    return lost


def n_wrong(
    rows: Sequence[Row],
    values: Mapping[UUID, Mapping[str, float | None]],
    written: Sequence[Paper],
    chance: Random,
) -> int:
    """Of some scored papers, those whose values are not the ones that they must have."""
    bundle = light_bundle()
    by_key = {paper.key: paper for paper in written}
    scored = [row for row in rows if row.status == "SCORED"]
    chosen = chance.sample(scored, min(N_CHECKED, len(scored)))
    return sum(
        not _agree(values[row.evaluation], values_of(bundle, by_key[row.key])) for row in chosen
    )


def _agree(first: Mapping[str, float | None], second: Mapping[str, float | None]) -> bool:
    """Alike but for the last digits, in which a sum depends on how many threads add it up."""
    return first.keys() == second.keys() and all(
        a == b if a is None or b is None else math.isclose(a, b, rel_tol=1e-12)
        for a, b in ((first[metric], second[metric]) for metric in first)
    )
