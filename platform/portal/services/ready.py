"""Whether this process can serve people: what it needs is there and fits its code."""

from __future__ import annotations

from typing import TypedDict

from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor

from portal.services.probes import reach


class PartDocument(TypedDict):
    """One thing that must be so, and what is amiss in words; empty if nothing is."""

    name: str
    is_ready: bool
    sentence: str


class ReadyDocument(TypedDict):
    is_ready: bool
    parts: list[PartDocument]


def readiness() -> ReadyDocument:
    """Database, its tables, and the stores that web processes use, each by name.

    The broker is not asked: without it everything works, a little later.
    """
    found = reach()
    parts = [
        _part("database", found.database, "The database does not answer."),
        _part(
            "migrations",
            found.database and _are_migrations_applied(),
            "The tables are not those of this release: migrate, or wait until that is done.",
        ),
        _part("uploads", found.uploads, "The store of uploads does not answer."),
        _part("questions", found.questions, "The store of questions does not answer."),
    ]
    return {"is_ready": all(part["is_ready"] for part in parts), "parts": parts}


def _part(name: str, is_ready: bool, sentence: str) -> PartDocument:
    return {"name": name, "is_ready": is_ready, "sentence": "" if is_ready else sentence}


_are_applied = False  # once they are, they stay so for this code


def _are_migrations_applied() -> bool:
    global _are_applied
    if not _are_applied:
        try:
            executor = MigrationExecutor(connection)
        except Error:
            return False
        _are_applied = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _are_applied
