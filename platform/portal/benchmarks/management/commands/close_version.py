"""`manage.py close_version NAME@VERSION`: take no more submissions; the board stays."""

from __future__ import annotations

import argparse
import getpass

from django.core.management.base import BaseCommand, CommandError

from portal import services
from portal.errors import PortalError


class Command(BaseCommand):
    help = "Close an open version for good. Its boards stay."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("address", help="NAME@VERSION")

    def handle(self, *, address: str, **options: object) -> None:
        try:
            services.close_version(
                version_id=services.version_id(address=address),
                actor=f"{getpass.getuser()} at the command line",
            )
        except PortalError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"{address} is closed")
