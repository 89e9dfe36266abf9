"""Hostile files cost little: read in a child process whose time and memory are measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.evaluator.reading.bombs import BOMBS, Bomb

MAX_CPU_SECONDS = 2.0
MAX_MIB = 512


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.name)
def test_a_bomb_is_defused(bomb: Bomb, tmp_path: Path) -> None:
    file = tmp_path / "predictions.json"
    file.write_bytes(bomb.make())
    child = subprocess.run(
        [sys.executable, "-m", "tests.evaluator.reading.reading_child", bomb.schema, str(file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    file.unlink()
    assert child.returncode == 0, child.stderr[-2000:]
    report = json.loads(child.stdout)
    assert report["code"] == bomb.code
    if bomb.where is not None:
        assert report["where"] == bomb.where
    assert report["seconds"] <= MAX_CPU_SECONDS
    assert report["mib"] <= MAX_MIB
