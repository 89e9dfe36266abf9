"""`python -m infra.chaos`: kill, mend, count; one JSON line says what came of it."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from infra.chaos.trial import Plan, run


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if nothing was lost or counted twice, and enough was broken to say so."""
    parser = argparse.ArgumentParser(prog="python -m infra.chaos", description=__doc__)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--submissions", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least-kills", type=int, default=5, help="of each target")
    parser.add_argument("--least-interrupted", type=int, default=20, help="claims in mid-score")
    parser.add_argument("--folder", type=Path, help="where to keep data and logs")
    said = parser.parse_args(arguments)
    plan = Plan(
        n_kills=said.kills,
        n_submissions=said.submissions,
        seed=said.seed,
        least_kills=said.least_kills,
        least_interrupted=said.least_interrupted,
    )
    if said.folder is not None:
        report = run(plan, said.folder)
    else:
        with tempfile.TemporaryDirectory(prefix="plumbline-chaos-") as folder:
            report = run(plan, Path(folder))
    print(json.dumps(report.document), flush=True)
    for fault in report.faults:
        print(fault, file=sys.stderr)
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
