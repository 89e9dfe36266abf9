#!/usr/bin/env python
"""Django's command line for the portal."""

import os
import sys
from pathlib import Path


def main() -> None:
    # `platform/` is a source root, not a package: see ARCHITECTURE in docs.
    root = Path(__file__).resolve().parent
    sys.path[:0] = [str(root), str(root / "platform")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings.development")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
