"""The application's role in the database: what it may do is what the code does, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, connections, transaction
from django.test import Client
from psycopg import errors

from portal import environment, services
from portal.evaluations.models import Event
from portal.services import RoleRefused, database_role, grant_application_role
from tests import factories
from tests.conftest import APPLICATION_PASSWORD, APPLICATION_ROLE, Stores, database_url

pytestmark = pytest.mark.django_db(transaction=True)

OTHER = "plumbline_other"


@pytest.fixture
def application() -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A connection as web and workers have it."""
    with psycopg.connect(database_url(), autocommit=True) as line:
        yield line


@pytest.fixture
def serving(tmp_path: Path, stores: Stores) -> Iterator[None]:
    """An open version; from then on this very process connects as the application's role."""
    factories.version(tmp_path, stores)
    owner = dict(connections["default"].settings_dict)
    connection.close()
    connections["default"].settings_dict.update(environment.postgresql(database_url()))
    try:
        yield
    finally:
        connection.close()
        connections["default"].settings_dict.update(owner)


DENIED = (
    "UPDATE evaluations_event SET kind = 'x'",
    "DELETE FROM evaluations_event",
    "TRUNCATE evaluations_event",
    "SELECT setval('evaluations_event_id_seq', 1)",
    "DROP TRIGGER event_stays ON evaluations_event",
    "ALTER TABLE evaluations_event DISABLE TRIGGER ALL",
    "ALTER TABLE evaluations_event OWNER TO CURRENT_USER",
    "DROP TABLE evaluations_event",
    "CREATE OR REPLACE FUNCTION plumbline_event_stays() RETURNS trigger LANGUAGE plpgsql "
    "AS 'BEGIN RETURN NULL; END'",
    "SET session_replication_role = replica",
    "BEGIN; LOCK evaluations_event IN ACCESS EXCLUSIVE MODE",
    "UPDATE evaluations_score SET value = 1",
    "DELETE FROM evaluations_score",
    "DELETE FROM evaluations_evaluation",
    "UPDATE submissions_submission SET team_id = NULL",
    "DELETE FROM submissions_submission",
    "UPDATE benchmarks_benchmarkversion SET truth_digest = ''",
    "INSERT INTO django_migrations (app, name, applied) VALUES ('x', 'y', now())",
    "UPDATE django_migrations SET app = 'x'",
    "DELETE FROM django_migrations",
    "UPDATE django_admin_log SET change_message = ''",
    "DELETE FROM accounts_user",
    "TRUNCATE accounts_team CASCADE",
    "ALTER TABLE accounts_user ADD COLUMN more text",
    "CREATE TABLE more (it text)",
    "CREATE TEMPORARY TABLE more (it text)",
    "CREATE SCHEMA more",
    "CREATE ROLE more",
)


def test_the_application_can_change_no_event_and_no_table(
    application: psycopg.Connection[tuple[object, ...]],
) -> None:
    Event.objects.create(kind="test", actor="nobody")
    for statement in DENIED:
        with pytest.raises(errors.InsufficientPrivilege):
            application.execute(statement.encode())
            pytest.fail(f"allowed: {statement}")
        application.rollback()
    assert Event.objects.get().kind == "test"


def test_the_application_adds_events_and_reads_them(
    application: psycopg.Connection[tuple[object, ...]],
) -> None:
    application.execute("INSERT INTO evaluations_event (kind, actor, data) VALUES ('t', 'a', '{}')")
    assert application.execute("SELECT kind FROM evaluations_event").fetchall() == [("t",)]


def test_events_are_refused_to_the_owner_by_their_trigger() -> None:
    Event.objects.create(kind="test", actor="nobody")
    for statement in DENIED[:2]:
        with (
            pytest.raises(IntegrityError, match="only ever added"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


def test_pages_and_sessions_of_people_need_no_more(serving: None) -> None:
    browser = Client()
    words = "a-long-word-of-passage-7"
    fields = {"username": "ada", "password1": words, "password2": words}
    assert browser.post("/account/sign-up/", fields).status_code == 302
    token = browser.post(
        "/api/v1/tokens",
        {"username": "ada", "password": words},
        content_type="application/json",
    ).json()["token"]
    bearer = {"Authorization": f"Bearer {token}"}
    for path in ("/submissions/", "/submit/", "/account/", "/api/v1/me"):
        assert browser.get(path, headers=bearer).status_code == 200, path
    assert browser.delete(f"/api/v1/tokens/{token[:12]}", headers=bearer).status_code == 204
    assert browser.post("/account/sign-out/").status_code == 302


def test_submitting_scoring_and_withdrawing_need_no_more(serving: None) -> None:
    person = factories.user()
    first = factories.submit(person, publish=True)
    brief = services.begin_scoring(worker="test")
    assert brief is not None
    assert services.extend_lease(evaluation_id=brief.evaluation_id, attempt=brief.attempt)
    services.record_failure(
        evaluation_id=brief.evaluation_id, attempt=brief.attempt, code="scorer.memory"
    )
    second = factories.submit(person)
    for step in (services.publish_submission, services.withdraw_submission):
        step(user=person, submission_id=second.id)
    services.sweep()
    assert services.submission_state(user=person, submission_id=first.id)["state"] == "failed"


def test_maintainers_pages_need_no_more(serving: None) -> None:
    factories.user("mia", is_staff=True, is_superuser=True)
    browser = Client()
    assert browser.login(username="mia", password="secret")
    added = browser.post("/admin/auth/group/add/", {"name": "curators"})
    assert added.status_code == 302
    group = Group.objects.get()
    gone = browser.post(f"/admin/auth/group/{group.pk}/delete/", {"post": "yes"})
    assert gone.status_code == 302
    assert browser.get("/admin/accounts/user/").status_code == 200
    # What the role could not do is not offered.
    person = factories.user("leaver")
    for path in (f"/admin/accounts/user/{person.pk}/delete/", "/admin/benchmarks/benchmark/add/"):
        assert browser.post(path, {"post": "yes"}).status_code == 403, path


def test_named_tables_and_columns_exist() -> None:
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        assert set(database_role.RIGHTS) <= tables
        for table, named in database_role.CHANGING.items():
            columns = connection.introspection.get_table_description(cursor, table)
            assert set(named) <= {column.name for column in columns}


@pytest.fixture
def other_role() -> Iterator[str]:
    """The name of a role that a test may make."""
    yield OTHER
    with connection.cursor() as cursor:
        cursor.execute(f"DROP OWNED BY {OTHER}")
        cursor.execute(f"DROP ROLE {OTHER}")


def test_granting_makes_the_role_once_and_says_no_secret(
    other_role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLUMBLINE_APPLICATION_PASSWORD", "not-to-be-seen")
    said = StringIO()
    for _ in range(2):
        call_command("grant_application_role", other_role, "--create", stdout=said)
    first, second = said.getvalue().splitlines()
    assert first.startswith(f"{other_role} made") and second.startswith(f"{other_role} has rights")
    assert "not-to-be-seen" not in said.getvalue()
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", [other_role])
        assert cursor.fetchone()[0].startswith("SCRAM-SHA-256$")


def test_granting_takes_away_what_is_too_much(other_role: str) -> None:
    grant_application_role(role=other_role, may_create=True)
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT ALL ON evaluations_event TO {other_role}")
        cursor.execute(f"GRANT CREATE ON SCHEMA public TO {other_role}")
        grant_application_role(role=other_role)
        cursor.execute(
            "SELECT has_table_privilege(%s, 'evaluations_event', 'UPDATE'), "
            "has_schema_privilege(%s, 'public', 'CREATE')",
            [other_role, other_role],
        )
        assert cursor.fetchone() == (False, False)


def test_rights_that_come_by_another_way_are_found(other_role: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("GRANT DELETE ON evaluations_event TO PUBLIC")
        try:
            with pytest.raises(RoleRefused, match="DELETE on evaluations_event"):
                grant_application_role(role=other_role, may_create=True)
        finally:
            cursor.execute("REVOKE DELETE ON evaluations_event FROM PUBLIC")
        cursor.execute(f"CREATE ROLE {other_role}")


def test_tables_of_later_migrations_can_be_used(
    application: psycopg.Connection[tuple[object, ...]],
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE later (id bigint GENERATED BY DEFAULT AS IDENTITY, it text)")
        try:
            application.execute("INSERT INTO later (it) VALUES ('x')")
            application.execute("DELETE FROM later")
        finally:
            cursor.execute("DROP TABLE later")


def test_the_owner_is_no_application_role() -> None:
    owner = connections["default"].settings_dict["USER"]
    with pytest.raises(CommandError, match="is the owner"):
        call_command("grant_application_role", owner)
    with pytest.raises(CommandError, match="There is no role"):
        call_command("grant_application_role", "nobody-of-that-name")


def test_a_role_without_the_right_to_make_roles_is_told(serving: None) -> None:
    assert connections["default"].settings_dict["USER"] == APPLICATION_ROLE
    assert connections["default"].settings_dict["PASSWORD"] == APPLICATION_PASSWORD
    with pytest.raises(RoleRefused, match="may not make"):
        grant_application_role(role=OTHER, may_create=True)
