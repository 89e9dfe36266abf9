"""What entrants install: an HTTP client of a Plumbline site and the `plumbline` command.

Knows the site through its API only, and the evaluator for offline work.
"""

from __future__ import annotations

DISTRIBUTION = "plumbline-board"


def version() -> str:
    """Version of the installed distribution; `0+source` in a tree that is not installed."""
    from importlib import metadata  # 20 ms that most commands need not spend

    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "0+source"
