"""Outcome: what remains of a submission after its answers met truth.

Sums per cluster and label group, enough for any interval or paired difference
without truth. It shows which items were right, so it stays with the worker.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.errors import EvaluatorError

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """Sufficient statistics of one submission.

    Attributes:
        family: slug of the family that made it and can reduce it.
        rules: named rule set used in matching.
        clusters: ids of the version's clusters in code point order, (C,).
        arrays: the family's own tables; their meaning is documented there.
        facts: small JSON values: `slices` that exist, `notes` on the file,
            `reasons` by slice or metric where there can be no value.
    """

    family: str
    rules: str
    clusters: tuple[str, ...]
    arrays: Mapping[str, NDArray[Any]]
    facts: Mapping[str, Any]

    @property
    def n_clusters(self) -> int:
        return len(self.clusters)

    def to_bytes(self) -> bytes:
        """A zip of .npy files and one JSON head; equal outcomes give equal bytes."""
        head = {
            "format": FORMAT,
            "family": self.family,
            "rules": self.rules,
            "clusters": list(self.clusters),
            "facts": dict(self.facts),
        }
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            _put(archive, "head.json", json.dumps(head, sort_keys=True).encode())
            for name in sorted(self.arrays):
                member = io.BytesIO()
                np.save(member, np.ascontiguousarray(self.arrays[name]), allow_pickle=False)
                _put(archive, f"{name}.npy", member.getvalue())
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Outcome:
        """Inverse of `to_bytes`.

        Raises:
            EvaluatorError: written by another format of this module.
        """
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            head = json.loads(archive.read("head.json"))
            if head["format"] != FORMAT:
                raise EvaluatorError(
                    f"outcome format {head['format']}, this evaluator reads {FORMAT}"
                )
            arrays = {
                name.removesuffix(".npy"): np.load(
                    io.BytesIO(archive.read(name)), allow_pickle=False
                )
                for name in archive.namelist()
                if name.endswith(".npy")
            }
        return cls(
            family=head["family"],
            rules=head["rules"],
            clusters=tuple(head["clusters"]),
            arrays=arrays,
            facts=head["facts"],
        )

    def digest(self) -> str:
        """SHA-256 (hex) of the bytes."""
        return hashlib.sha256(self.to_bytes()).hexdigest()


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    # A fixed date: the bytes depend on the content alone.
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)
