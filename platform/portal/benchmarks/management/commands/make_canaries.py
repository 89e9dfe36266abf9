"""`manage.py make_canaries [NAME@VERSION ...]`: a canary for open versions that have none."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from django.core.management.base import BaseCommand, CommandError

from portal import services
from portal.errors import PortalError
from portal.exchange.storage import StoreError


class Command(BaseCommand):
    help = (
        "Make and send a canary for each track of open versions that has none: those that were "
        "opened before there were canaries, or while their files could not be stored."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("addresses", nargs="*", metavar="NAME@VERSION", help="default: all")

    def handle(self, *, addresses: Sequence[str], **options: object) -> None:
        try:
            for address in addresses or [state.version for state in services.canaries()]:
                n_made = services.make_canaries(version_id=services.version_id(address=address))
                self.stdout.write(f"{address}: {n_made} made")
        except PortalError as error:
            raise CommandError(error.detail) from error
        except StoreError as error:
            raise CommandError(str(error)) from error
