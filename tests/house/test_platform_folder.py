"""The folder named `platform` is a source root; the module of that name stays Python's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_it_holds_no_init() -> None:
    assert not (ROOT / "platform" / "__init__.py").exists()
    assert (
        sorted(path.name for path in (ROOT / "platform").glob("*/__init__.py"))
        == ["__init__.py"] * 2
    )


@pytest.mark.parametrize("folder", [".", "platform", "platform/portal", "tests", "/"])
def test_import_platform_is_the_standard_library(folder: str) -> None:
    program = "import platform, portal, plumbline; print(platform.python_version())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT / folder,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == ".".join(map(str, sys.version_info[:3])), done.stderr
