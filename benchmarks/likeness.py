"""`python -m benchmarks.likeness`: one submission's answers held against a thousand others'.

Fingerprints are stored as the worker stores them, in a folder, and read, compared and judged
as the worker does; the database's part, a query for their digests, is left out. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence

import numpy as np


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.likeness", description=__doc__)
    parser.add_argument("--systems", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=6701)
    parser.add_argument("--store", default="", help="address of the store; default: a folder")
    said = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="plumbline-likeness-") as folder:
        os.environ["DJANGO_SETTINGS_MODULE"] = "portal.settings.testing"
        os.environ["PLUMBLINE_ROLE"] = "scoring"
        for name in ("UPLOADS", "QUESTIONS", "TRUTH", "OUTCOMES"):
            os.environ[f"PLUMBLINE_STORE_{name}"] = f"folder:{folder}/{name}"
        if said.store:
            os.environ["PLUMBLINE_STORE_OUTCOMES"] = said.store
        print(json.dumps(measure(said.systems, said.questions)))
    return 0


def measure(n_systems: int, n_questions: int) -> dict[str, float]:
    """Seconds to read and compare, the first time and once they are in memory."""
    import django

    django.setup()
    from evaluator.likeness import fingerprint_bytes, likeness_of
    from portal.exchange.storage import open_store
    from worker.likeness import Shelf

    generator = np.random.default_rng(1)
    right = generator.integers(1, 5, n_questions)
    store, digests, n_bytes = open_store("outcomes"), [], 0
    for _ in range(n_systems):
        # Right in seven of ten questions: agreeing as much as good systems do.
        guessed = generator.integers(1, 5, n_questions)
        told = np.where(generator.random(n_questions) < 0.7, right, guessed).astype(np.uint64)
        data = fingerprint_bytes(told)
        n_bytes += len(data)
        digests.append(store.put(data).digest)
    shelf, found = Shelf(), {}
    for name in ("cold", "warm"):
        began = time.perf_counter()
        mine, *others = shelf.take(digests)
        assert mine is not None
        n_alike = sum(likeness_of(mine, each).is_telling for each in others if each is not None)
        found[f"{name}_seconds"] = round(time.perf_counter() - began, 4)
        assert n_alike == 0
    return {
        "systems": n_systems,
        "questions": n_questions,
        "stored_bytes_each": n_bytes // n_systems,
        **found,
    }


if __name__ == "__main__":
    sys.exit(main())
