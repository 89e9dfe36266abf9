"""`manage.py load_bundle DIR [--open]`: a bundle in a folder becomes a version."""

from __future__ import annotations

import argparse
import getpass
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from portal import services
from portal.errors import PortalError
from portal.exchange.storage import StoreError


class Command(BaseCommand):
    help = (
        "Load a benchmark bundle (benchmark.json, questions.jsonl, truth.jsonl, references.csv) "
        "as a draft version. The same bundle twice is one version."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="folder of the bundle")
        parser.add_argument(
            "--open", action="store_true", help="open it at once; an opened version never changes"
        )

    def handle(self, *, folder: Path, open: bool, **options: object) -> None:
        actor = f"{getpass.getuser()} at the command line"
        try:
            loaded = services.load_bundle(folder=folder, actor=actor, open_now=open)
        except PortalError as error:
            raise CommandError(error.detail) from error
        except StoreError as error:
            raise CommandError(str(error)) from error
        how = "loaded" if loaded.is_new else "was here already"
        self.stdout.write(
            f"{loaded.address} {how}, state {loaded.state}: {loaded.n_questions} questions, "
            f"{loaded.n_reported} reported rows, {loaded.n_trivial} trivial rows"
        )
