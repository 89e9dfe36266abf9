"""Values under the version's draws, kept beside the outcomes, so that boards need no recomputing.

One npz per slice (never pickled) and a JSON list of them, all keyed by digest:
a board then reads the slices that it ranks, for all systems, one at a time.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import numpy as np

from evaluator.family import FloatArray
from portal.exchange.storage import Guarded, StoreDamaged, StoreMissing

FORMAT = 1
Address = tuple[str, str]  # slice, metric


def store_draws(store: Guarded, addresses: Sequence[Address], draws: FloatArray) -> str:
    """Store the draws (B, A) of all addresses; the digest of the list that finds them."""
    columns: dict[str, list[int]] = {}
    for column, (slice_, _) in enumerate(addresses):
        columns.setdefault(slice_, []).append(column)
    listed = {}
    for slice_, chosen in columns.items():
        buffer = io.BytesIO()
        np.savez(buffer, draws=np.ascontiguousarray(draws[:, chosen].T))
        stored = store.put(buffer.getvalue())
        metrics = [addresses[column][1] for column in chosen]
        listed[slice_] = {"digest": stored.digest, "metrics": metrics}
    index = {"format": FORMAT, "slices": listed}
    return store.put(json.dumps(index, sort_keys=True).encode()).digest


class DrawsLost(Exception):
    """A file of draws is missing, damaged or of another format: they must be computed anew.

    Attributes:
        digest: of the list that finds them.
    """

    def __init__(self, digest: str, why: str) -> None:
        super().__init__(f"draws {digest[:12]}…: {why}")
        self.digest = digest


class StoredDraws:
    """The draws of one evaluation."""

    def __init__(self, store: Guarded, digest: str) -> None:
        """Raises:
        DrawsLost: there is no such list, or this worker cannot read it.
        """
        self._store = store
        self._digest = digest
        index = json.loads(self._get(digest))
        if index["format"] != FORMAT:
            raise DrawsLost(digest, f"format {index['format']}, this worker reads {FORMAT}")
        self._slices = index["slices"]

    def of_slice(self, slice_: str) -> dict[str, FloatArray]:
        """(B,) values by metric; empty for a slice that the evaluation lacks.

        Raises:
            DrawsLost: the file of the slice is gone or damaged.
        """
        listed = self._slices.get(slice_)
        if listed is None:
            return {}
        data = io.BytesIO(self._get(listed["digest"]))
        with np.load(data, allow_pickle=False) as archive:
            draws: FloatArray = archive["draws"]
        return dict(zip(listed["metrics"], draws, strict=True))

    def _get(self, digest: str) -> bytes:
        try:
            return self._store.get(digest)
        except (StoreMissing, StoreDamaged) as error:
            raise DrawsLost(self._digest, str(error)) from error
