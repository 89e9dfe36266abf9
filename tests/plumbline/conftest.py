"""A scripted site, and the command with a configuration folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plumbline.command import Command
from tests.plumbline.scripted_site import ScriptedSite


@pytest.fixture
def site() -> Iterator[ScriptedSite]:
    server = ScriptedSite()
    yield server
    server.close()


@pytest.fixture
def plumbline(tmp_path: Path) -> Command:
    return Command(tmp_path / "config")
