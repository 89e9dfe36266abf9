"""`manage.py grant_application_role ROLE [--create]`: rights of the processes that serve."""

from __future__ import annotations

import argparse

from django.core.management.base import BaseCommand, CommandError

from portal import environment, services

PASSWORD = "PLUMBLINE_APPLICATION_PASSWORD"


class Command(BaseCommand):
    help = (
        "Give a role of the database exactly the rights that web, workers and housekeeping need. "
        "Run it as the owner of the tables, after each migrate."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("role", help="the role in their DATABASE_URL")
        parser.add_argument(
            "--create",
            action="store_true",
            help=f"make the role if there is none, with the password in {PASSWORD}",
        )

    def handle(self, *, role: str, create: bool, **options: object) -> None:
        try:
            granted = services.grant_application_role(
                role=role,
                password=environment.text("PLUMBLINE_APPLICATION_PASSWORD", "") if create else "",
                may_create=create,
            )
        except services.RoleRefused as error:
            raise CommandError(str(error)) from error
        how = "made, with rights" if granted.is_new else "has rights"
        self.stdout.write(f"{granted.role} {how} on {granted.n_tables} tables")
