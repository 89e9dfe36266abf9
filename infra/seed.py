"""`python -m infra.seed`: what a new demo site holds before anybody submits.

Runs as a maintainer's process of its own: it loads bundles and makes the demo account.
What is there already stays as it is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import django
from django.core.management import call_command

ACCOUNT = "demo"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.seed", description=__doc__)
    parser.add_argument("--password-file", type=Path, required=True)
    parser.add_argument("bundles", type=Path, nargs="*", help="folders to load and open")
    said = parser.parse_args(arguments)
    django.setup()
    for bundle in said.bundles:
        call_command("load_bundle", str(bundle), "--open")
    make_account(said.password_file.read_text().strip())
    return 0


def make_account(password: str) -> None:
    """An account that may do everything on this machine's own site."""
    from django.contrib.auth import get_user_model

    people = get_user_model().objects
    person = people.filter(username=ACCOUNT).first()
    if person is None:
        people.create_superuser(ACCOUNT, "demo@example.org", password)
    elif not person.check_password(password):
        person.set_password(password)
        person.save()


if __name__ == "__main__":
    sys.exit(main())
