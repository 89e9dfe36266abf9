"""Whether somebody else's answers are the same: fingerprints held against each other.

They show what was answered, so they stay in the store of outcomes. A letter may come twice.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from evaluator.errors import EvaluatorError
from evaluator.likeness import Fingerprint, likeness_of, read_fingerprint
from portal import services
from portal.exchange import jobs
from portal.exchange.queue import app
from portal.exchange.storage import StoreDamaged, StoreMissing, open_store
from portal.services import Alike
from worker.ids import id_in

logger = logging.getLogger(__name__)

MAX_KEPT_BYTES = 64 * 1024 * 1024  # of fingerprints, in the memory of a process
N_READERS = 8  # at once: a bucket takes its time for each file


class Shelf:
    """Fingerprints by digest, read once: what a digest names never changes."""

    def __init__(self, max_bytes: int = MAX_KEPT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, Fingerprint] = OrderedDict()
        self._n_bytes = 0

    def take(self, digests: Sequence[str]) -> list[Fingerprint | None]:
        """The fingerprints of these digests; None for one that is lost or of another format.

        Raises:
            StoreUnavailable: the store is away.
        """
        found = {digest: self._kept[digest] for digest in digests if digest in self._kept}
        missing = [digest for digest in dict.fromkeys(digests) if digest not in found]
        if missing:
            with ThreadPoolExecutor(N_READERS) as readers:
                for digest, read in zip(missing, readers.map(_read, missing), strict=True):
                    if read is not None:
                        found[digest] = read
        for digest in found:
            self._keep(digest, found[digest])
        return [found.get(digest) for digest in digests]

    def _keep(self, digest: str, fingerprint: Fingerprint) -> None:
        """Put it at the end; what was not asked for lately goes first."""
        if digest not in self._kept:
            self._kept[digest] = fingerprint
            self._n_bytes += fingerprint.nbytes
        self._kept.move_to_end(digest)
        while self._n_bytes > self._max_bytes and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._n_bytes -= dropped.nbytes


def _read(digest: str) -> Fingerprint | None:
    try:
        return read_fingerprint(open_store("outcomes").get(digest))
    except (StoreMissing, StoreDamaged, EvaluatorError) as error:
        logger.error("answers %s…: %s", digest[:12], error)
        return None


shelf = Shelf()


@app.task(name=jobs.COMPARE)
def compare(evaluation_id: str) -> None:
    """Hold the answers of an evaluation against those of other teams, if nobody did."""
    if (known := id_in(evaluation_id)) is not None:
        compare_answers(known)


def compare_answers(evaluation_id: UUID) -> int | None:
    """How many pairs were flagged now; None if nothing was to do.

    Answers that cannot be read any more are passed over: there is nothing to compare.

    Raises:
        StoreUnavailable: the store is away; the sweeper rings again.
    """
    brief = services.begin_comparison(evaluation_id=evaluation_id)
    if brief is None:
        return None
    digests = [brief.answers_digest, *(other.answers_digest for other in brief.others)]
    mine, *fingerprints = shelf.take(digests)
    alike = []
    for other, theirs in zip(brief.others, fingerprints, strict=True):
        if mine is None or theirs is None or len(mine) != len(theirs):
            continue
        likeness = likeness_of(mine, theirs)
        if likeness.is_telling:
            alike.append(Alike(other.submission_id, likeness.n, likeness.n_different))
    return services.record_comparison(evaluation_id=evaluation_id, alike=alike)
