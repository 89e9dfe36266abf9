"""The `plumbline` command with an environment of its own: in this process, or as one."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from plumbline.cli import main

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
    """Runs `plumbline` with the configuration folder `home` and nobody signed in."""

    def __init__(self, home: Path) -> None:
        self.credentials = home / "plumbline" / "credentials.json"
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PLUMBLINE_", "PYTHON"))}
        path = os.pathsep.join((str(ROOT), str(ROOT / "platform")))
        self.environment = {**kept, "XDG_CONFIG_HOME": str(home), "PYTHONPATH": path}

    def __call__(
        self,
        *arguments: str | Path,
        stdin: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> Run:
        """In this process: quick, and the same but for the interpreter's own start and end."""
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, {**self.environment, **(environment or {})}, clear=True),
            mock.patch.object(sys, "stdin", io.StringIO(stdin)),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                code = main([str(argument) for argument in arguments])
            except SystemExit as ended:
                code = int(ended.code or 0)
        return Run(int(code), out.getvalue(), err.getvalue())

    def process(self, *arguments: str | Path) -> Run:
        """As a process of its own."""
        done = subprocess.run(
            self.line(arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=120,
            check=False,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    def line(self, arguments: Sequence[str | Path]) -> list[str]:
        return [sys.executable, "-m", "plumbline", *map(str, arguments)]
