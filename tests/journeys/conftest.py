"""A whole site as `make demo` starts it, for journeys across all processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from infra.processes import free_port
from infra.seed import ACCOUNT
from infra.site import Site, kept_secret, running_site
from tests.journeys.fragile_site import FragileSite, fragile_site

ROOT = Path(__file__).resolve().parents[2]
OURS = ("PLUMBLINE_", "DATABASE_URL", "BROKER_URL", "DJANGO_SETTINGS_MODULE")
PATIENCE_SECONDS = 300  # for one command, on a busy machine


@dataclass(frozen=True, slots=True)
class Journey:
    """A running site, and the command line of an entrant who signed in."""

    site: Site
    password: str
    home: Path

    @property
    def address(self) -> str:
        return self.site.address

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "XDG_CONFIG_HOME": str(self.home),
            "PLUMBLINE_SERVER": self.address,
        }

    def plumbline(self, *arguments: str | Path, code: int = 0) -> Any:
        """What `plumbline --json ...` prints; fails unless it exits with `code`."""
        done = subprocess.run(
            [sys.executable, "-m", "plumbline", *map(str, arguments), "--json"],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else None

    def load(self, bundle: Path) -> None:
        """`manage.py load_bundle BUNDLE --open`, as a maintainer does it."""
        self.site.run("load", "manage.py", "load_bundle", str(bundle), "--open")


@pytest.fixture(scope="module")
def clean_environment() -> Iterator[None]:
    """No setting of the tests' own, which name other servers."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(OURS):
                patch.delenv(name)
        yield


@pytest.fixture(scope="module")
def journey(clean_environment: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journey]:
    folder = tmp_path_factory.mktemp("site")
    with running_site(folder, host="127.0.0.1", port=free_port(), is_durable=False) as site:
        password_file = folder / "password"
        password = kept_secret(password_file, n_bytes=9)
        site.run("seed", "-m", "infra.seed", "--password-file", str(password_file))
        home = tmp_path_factory.mktemp("home")
        walk = Journey(site, password, home)
        done = subprocess.run(
            [sys.executable, "-m", "plumbline", "login", "--user", ACCOUNT, "--password-stdin"],
            input=password + "\n",
            env=walk.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode == 0, done.stderr
        yield walk


@pytest.fixture(scope="package")
def fragile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FragileSite]:
    """A site whose services a test may take away, and must give back."""
    with fragile_site(tmp_path_factory.mktemp("fragile")) as site:
        yield site
