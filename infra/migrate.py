"""`python -m infra.migrate`: tables as the code wants them, then the rights of who serves.

Runs as the owner of the database, in a maintainer's process of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import django
from django.core.management import CommandError, call_command


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.migrate", description=__doc__)
    parser.add_argument("--application-role", help="the role that web and workers connect as")
    parser.add_argument("--create", action="store_true", help="make that role if there is none")
    said = parser.parse_args(arguments)
    django.setup()
    try:
        call_command("migrate", "--no-input")
        if said.application_role:
            call_command("grant_application_role", said.application_role, create=said.create)
    except CommandError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
