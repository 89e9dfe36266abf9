"""The arrows of the house: they hold, and a planted arrow that points up is found."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("evaluator", "platform", "worker", "frontend_gradio", "infra")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Judge a copy of the house by its contracts."""
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache", str(folder / "pyproject.toml")],
        cwd=folder,
        env={
            "PYTHONPATH": f"{folder}:{folder / 'platform'}",
            "COLUMNS": "200",
            "LC_ALL": "C.UTF-8",
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources in which things may be planted."""
    folder = tmp_path_factory.mktemp("house")
    for part in PARTS:
        unwanted = shutil.ignore_patterns("__pycache__", "static", "templates", "assets")
        shutil.copytree(ROOT / part, folder / part, ignore=unwanted)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_the_contracts_hold(house: Path) -> None:
    done = lint(house)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 broken." in done.stdout


PLANTED = [
    ("evaluator/errors.py", "import django.conf", "The evaluator knows"),
    ("evaluator/errors.py", "import socket", "The evaluator knows"),
    ("evaluator/errors.py", "import portal.errors", "The parts stand"),
    ("platform/plumbline/errors.py", "import boto3", "What entrants install"),
    ("platform/plumbline/errors.py", "import portal.errors", "The parts stand"),
    ("platform/portal/errors.py", "import worker.app", "The parts stand"),
    ("platform/portal/errors.py", "import evaluator.scoring", "The portal computes no metric"),
    ("platform/portal/errors.py", "import portal.accounts.models", "Inside the portal"),
    (
        "platform/portal/benchmarks/models.py",
        "import portal.evaluations.models",
        "Inside the portal",
    ),
    ("platform/portal/leaderboard/models.py", "import portal.services", "Inside the portal"),
    ("frontend_gradio/markup.py", "import portal.errors", "The board shows"),
    ("frontend_gradio/markup.py", "import worker.app", "The parts stand"),
    ("worker/boards.py", "import portal.evaluations.models", "The worker enters"),
    ("worker/boards.py", "import frontend_gradio.app", "The parts stand"),
    ("worker/boards.py", "import infra.site", "The parts stand"),
]


@pytest.mark.parametrize(("file", "line", "contract"), PLANTED)
def test_a_planted_arrow_is_found(house: Path, file: str, line: str, contract: str) -> None:
    module = house / file
    sound = module.read_text()
    module.write_text(f"{sound}\n{line}\n")
    try:
        done = lint(house)
    finally:
        module.write_text(sound)
    assert done.returncode == 1
    broken = [row for row in done.stdout.splitlines() if " BROKEN" in row]
    assert any(row.startswith(contract) for row in broken), done.stdout
