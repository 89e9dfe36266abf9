"""A detections file of real size: 965,800 detections, 99 MB."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

GENERATOR = Path("../shared/bench/hoi_detection/gen_workload.py")
MAX_CPU_SECONDS = 2.5
MAX_MIB = 800


@pytest.mark.slow
@pytest.mark.skipif(not GENERATOR.exists(), reason="the workload is not at ../shared")
def test_a_million_detections_are_read_within_their_budget(tmp_path: Path) -> None:
    made = tmp_path / "workload.npz"
    subprocess.run([sys.executable, str(GENERATOR), str(made), "--json"], check=True)
    child = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.evaluator.reading.reading_child",
            "hico",
            str(made.with_suffix(".json")),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    report = json.loads(child.stdout)
    assert report["code"] == ""
    assert report["seconds"] <= MAX_CPU_SECONDS
    assert report["mib"] <= MAX_MIB
