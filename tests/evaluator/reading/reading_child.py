"""Reads one file in a process of its own and says what that took.

`python reading_child.py SCHEMA FILE` prints one line of JSON.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from pathlib import Path

from evaluator.errors import PredictionsInvalid
from tests.evaluator.reading.demo import SCHEMAS


def _peak_mib() -> float:
    """Peak memory of this process; ru_maxrss would begin with the parent's."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    peak = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
    assert peak is not None
    return int(peak[1]) / 1024


def main(schema: str, file: Path) -> None:
    data = file.read_bytes()
    before = resource.getrusage(resource.RUSAGE_SELF)
    code = where = ""
    try:
        SCHEMAS[schema](data)
    except PredictionsInvalid as invalid:
        code, where = invalid.problems[0].code, invalid.problems[0].where
    after = resource.getrusage(resource.RUSAGE_SELF)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report = {"code": code, "where": where, "seconds": spent, "mib": _peak_mib()}
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
