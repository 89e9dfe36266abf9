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
from portal.exchange.storage import Guarded

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


class StoredDraws:
    """The draws of one evaluation."""

    def __init__(self, store: Guarded, digest: str) -> None:
        index = json.loads(store.get(digest))
        if index["format"] != FORMAT:
            raise ValueError(f"draws of format {index['format']}, this worker reads {FORMAT}")
        self._store = store
        self._slices = index["slices"]

    def of_slice(self, slice_: str) -> dict[str, FloatArray]:
        """(B,) values by metric; empty for a slice that the evaluation lacks."""
        listed = self._slices.get(slice_)
        if listed is None:
            return {}
        data = io.BytesIO(self._store.get(listed["digest"]))
        with np.load(data, allow_pickle=False) as archive:
            draws: FloatArray = archive["draws"]
        return dict(zip(listed["metrics"], draws, strict=True))
