"""`manage.py set_quota NAME@VERSION [--per-day N] [--in-all N]`: what a team may submit to it."""

from __future__ import annotations

import argparse
import getpass

from django.core.management.base import BaseCommand, CommandError

from portal import services
from portal.errors import PortalError

SITE = "site"


def limit(word: str) -> int | None:
    """A number, or None for what the site's settings say."""
    if word == SITE:
        return None
    if not word.isdecimal():
        raise argparse.ArgumentTypeError(f"{word!r} is neither a number nor {SITE!r}")
    return int(word)


class Command(BaseCommand):
    help = (
        "Set how many scored submissions a team may have of a version. Rejected files and our "
        "faults are never counted. What is not given is as the site's settings say."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("address", help="NAME@VERSION")
        words = f"a number, 0 for no limit, {SITE!r} for the site's (default)"
        parser.add_argument("--per-day", type=limit, default=None, help=f"per UTC day: {words}")
        parser.add_argument("--in-all", type=limit, default=None, help=f"in all: {words}")

    def handle(
        self, *, address: str, per_day: int | None, in_all: int | None, **options: object
    ) -> None:
        try:
            services.set_quota(
                version_id=services.version_id(address=address),
                per_day=per_day,
                in_all=in_all,
                actor=f"{getpass.getuser()} at the command line",
            )
        except PortalError as error:
            raise CommandError(error.detail) from error
        shown = f"per day {said(per_day)}, in all {said(in_all)}"
        self.stdout.write(f"{address}: {shown}")


def said(limit: int | None) -> str:
    return "as the site says" if limit is None else str(limit or "without limit")
