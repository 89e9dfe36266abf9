"""What the processes that serve the site may do in the database, as rights of a role.

The owner of the tables migrates and curates; web, workers and housekeeping connect as
another role, which reads and adds, and changes only what the code changes. See decision 0017.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import LiteralString

from django.db import ProgrammingError, connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import errors, sql

ROWS = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"})  # of tables that are not named below
READ = frozenset({"SELECT"})
ADD = READ | {"INSERT"}
CHANGE = ADD | {"UPDATE"}

# Tables whose rows the site must keep. TRUNCATE, REFERENCES and TRIGGER are given on none.
RIGHTS: Mapping[str, frozenset[str]] = {
    "django_migrations": READ,
    "django_content_type": READ,
    "auth_permission": READ,
    "django_admin_log": ADD,
    "accounts_user": CHANGE,
    "accounts_token": CHANGE,
    "benchmarks_benchmark": READ | {"UPDATE"},
    "benchmarks_benchmarkversion": READ,
    "benchmarks_track": READ,
    "submissions_system": CHANGE,
    "submissions_submission": ADD,
    "submissions_upload": CHANGE,
    "evaluations_evaluation": CHANGE,
    "evaluations_score": ADD,
    "evaluations_event": ADD,
}
# Of these only some columns change: what an owner decides, and bounds that follow their values.
CHANGING: Mapping[str, tuple[str, ...]] = {
    "submissions_submission": ("visibility", "published_at"),
    "evaluations_score": (
        "low",
        "high",
        "level",
        "method",
        "interval_reason",
        "n_dropped_draws",
    ),
}
ALL_RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER")
LOCK = 0x706C756D  # of this work: two at once would stumble over each other
MAX_NAME = 63  # bytes; PostgreSQL cuts off the rest

_TABLES = """
    SELECT relname FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
    ORDER BY relname
"""
_ATTRIBUTES = """
    SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls,
           pg_has_role(oid, current_user, 'MEMBER')
    FROM pg_roles WHERE rolname = %s
"""
_HELD = """
    SELECT relname, "right" FROM pg_class, unnest(%s::text[]) AS "right"
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
      AND has_table_privilege(%s, oid, "right")
"""
_MAY_CREATE = """
    SELECT has_schema_privilege(%(role)s, current_schema(), 'CREATE')
        OR has_database_privilege(%(role)s, current_database(), 'CREATE, TEMPORARY')
"""


class RoleRefused(Exception):
    """The role cannot be what it should; the message says what to do."""


@dataclass(frozen=True, slots=True)
class GrantedRole:
    """What was done: `is_new` if the role was made, `n_tables` on which it has rights."""

    role: str
    is_new: bool
    n_tables: int


def grant_application_role(
    *, role: str, password: str = "", may_create: bool = False
) -> GrantedRole:
    """Give a role exactly the rights that the serving processes need; twice does no harm.

    Call it as the owner of the tables, after each migration. What is more is taken away.

    Args:
        password: given to the role where `may_create`; it travels as a SCRAM verifier.
        may_create: make the role if there is none.

    Raises:
        RoleRefused: no such role, one that would have more rights, or no right to give them.
    """
    if not role or len(role.encode()) > MAX_NAME:
        raise RoleRefused(f"The name of a role has 1 to {MAX_NAME} bytes.")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        is_new = _ensure_role(cursor, role, password, may_create=may_create)
        cursor.execute(_TABLES)
        tables = [name for (name,) in cursor.fetchall()]
        _grant(cursor, role, tables)
        _refuse_excess(cursor, role, tables)
    return GrantedRole(role=role, is_new=is_new, n_tables=len(tables))


def _ensure_role(cursor: CursorWrapper, role: str, password: str, *, may_create: bool) -> bool:
    """Whether the role was made now; one that exists must be harmless."""
    cursor.execute(_ATTRIBUTES, [role])
    found = cursor.fetchone()
    if found is None and not may_create:
        raise RoleRefused(f"There is no role {role!r}; make it, or ask for it with --create.")
    if found is not None and any(found):
        raise RoleRefused(
            f"Role {role!r} is the owner, belongs to it, or may do more than use tables "
            "(superuser, CREATEROLE, CREATEDB, REPLICATION, BYPASSRLS): name another one."
        )
    try:
        if found is None:
            _say(cursor, "CREATE ROLE {} LOGIN NOINHERIT", sql.Identifier(role))
        if password and may_create:
            verifier = connection.connection.pgconn.encrypt_password(
                password.encode(), role.encode(), b"scram-sha-256"
            )
            _say(
                cursor,
                "ALTER ROLE {} PASSWORD {}",
                sql.Identifier(role),
                sql.Literal(verifier.decode()),
            )
    except ProgrammingError as error:
        if isinstance(error.__cause__, errors.InsufficientPrivilege):
            raise RoleRefused(
                f"This connection may not make or change role {role!r}: have an administrator "
                "make it (CREATE ROLE … LOGIN NOINHERIT PASSWORD …), then ask without --create."
            ) from error
        raise
    return found is None


def _grant(cursor: CursorWrapper, role: str, tables: list[str]) -> None:
    cursor.execute("SELECT current_schema(), current_database()")
    schema, database = (sql.Identifier(name) for name in cursor.fetchone() or ())
    name = sql.Identifier(role)
    _say(cursor, "REVOKE CREATE ON SCHEMA {} FROM PUBLIC, {}", schema, name)
    _say(cursor, "REVOKE CREATE, TEMPORARY ON DATABASE {} FROM PUBLIC, {}", database, name)
    _say(cursor, "GRANT CONNECT ON DATABASE {} TO {}", database, name)
    _say(cursor, "GRANT USAGE ON SCHEMA {} TO {}", schema, name)
    _say(cursor, "REVOKE ALL ON ALL TABLES IN SCHEMA {} FROM {}", schema, name)
    _say(cursor, "REVOKE ALL ON ALL SEQUENCES IN SCHEMA {} FROM {}", schema, name)
    _say(cursor, "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {} TO {}", schema, name)
    for table in tables:
        rights = _words(RIGHTS.get(table, ROWS))
        _say(cursor, "GRANT {} ON {} TO {}", rights, sql.Identifier(table), name)
        if table in CHANGING:
            columns = sql.SQL(", ").join(map(sql.Identifier, CHANGING[table]))
            _say(cursor, "GRANT UPDATE ({}) ON {} TO {}", columns, sql.Identifier(table), name)
    # What later migrations make, until this runs again.
    later = "ALTER DEFAULT PRIVILEGES IN SCHEMA {} GRANT {} ON {} TO {}"
    _say(cursor, later, schema, _words(ROWS), sql.SQL("TABLES"), name)
    _say(cursor, later, schema, _words({"USAGE", "SELECT"}), sql.SQL("SEQUENCES"), name)


def _refuse_excess(cursor: CursorWrapper, role: str, tables: list[str]) -> None:
    """Rights that come by other ways, as from PUBLIC or another role, would make this a show."""
    wanted = {(table, right) for table in tables for right in RIGHTS.get(table, ROWS)}
    cursor.execute(_HELD, [list(ALL_RIGHTS), role])
    held = set(cursor.fetchall())
    if held != wanted:
        odd = ", ".join(f"{right} on {table}" for table, right in sorted(held ^ wanted)[:5])
        raise RoleRefused(f"Role {role!r} has other rights than were given: {odd}.")
    cursor.execute(_MAY_CREATE, {"role": role})
    if (cursor.fetchone() or (True,))[0]:
        raise RoleRefused(
            f"Role {role!r} may still create tables here: the owner of the schema and of the "
            "database must revoke CREATE and TEMPORARY from PUBLIC."
        )


def _words(rights: Set[str]) -> sql.Composed:
    return sql.SQL(", ").join([sql.SQL(right) for right in sorted(rights)])


def _say(cursor: CursorWrapper, statement: LiteralString, *parts: sql.Composable) -> None:
    cursor.execute(sql.SQL(statement).format(*parts).as_string(connection.connection))
