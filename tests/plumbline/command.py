"""The `plumbline` command, run as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Run:
    """How the command ended and what it said where."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:  # Any: JSON
        return json.loads(self.out)


class Command:
    """Runs `plumbline` in a process of its own, with its own configuration folder."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.credentials = home / "plumbline" / "credentials.json"
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PLUMBLINE_")}
        path = os.pathsep.join((str(ROOT), str(ROOT / "platform")))
        self.environment = {**kept, "XDG_CONFIG_HOME": str(home), "PYTHONPATH": path}

    def __call__(
        self,
        *arguments: str | Path,
        stdin: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> Run:
        done = subprocess.run(
            self.line(arguments),
            input=stdin,
            capture_output=True,
            text=True,
            env={**self.environment, **(environment or {})},
            timeout=120,
            check=False,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    def line(self, arguments: Sequence[str | Path]) -> list[str]:
        return [sys.executable, "-m", "plumbline", *map(str, arguments)]
