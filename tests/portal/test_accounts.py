"""Teams and tokens."""

from __future__ import annotations

import pytest
from django.test import Client

from portal import services
from portal.accounts.models import Token
from portal.accounts.teams import team_of
from portal.errors import NotFound
from portal.evaluations.models import Event
from tests import factories

pytestmark = pytest.mark.django_db


def test_every_user_has_a_team_of_one() -> None:
    person = factories.user("ada")
    team = team_of(person)
    assert team_of(person) == team
    assert (team.slug, list(team.members.all())) == ("ada", [person])
    assert team_of(factories.user("Ada")).slug.startswith("ada-")
    assert services.team_names(user=person) == ["ada"]


def test_token_is_kept_as_a_digest_only() -> None:
    person = factories.user()
    text = services.issue_token(user=person, name="laptop")
    token = Token.objects.get()
    assert text.startswith("plb_") and text.startswith(token.prefix)
    assert text not in (token.digest, token.name)
    assert services.user_of_token(token=text) == person
    token.refresh_from_db()
    assert token.last_used_at is not None
    for wrong in ("", "plb_", text[:-1], text + "x", text.upper()):
        assert services.user_of_token(token=wrong) is None


def test_revoked_token_opens_nothing() -> None:
    person = factories.user()
    text = services.issue_token(user=person, name="laptop")
    prefix = services.my_tokens(user=person)[0]["prefix"]
    with pytest.raises(NotFound):
        services.revoke_token(user=factories.user(), prefix=prefix)
    services.revoke_token(user=person, prefix=prefix)
    services.revoke_token(user=person, prefix=prefix)
    assert services.user_of_token(token=text) is None
    assert services.my_tokens(user=person)[0]["revoked_at"] is not None
    kinds = Event.objects.filter(actor=person.username).values_list("kind", flat=True)
    assert list(kinds) == ["token.issued", "token.revoked"]


def test_inactive_user_is_nobody() -> None:
    person = factories.user()
    text = services.issue_token(user=person, name="laptop")
    person.is_active = False
    person.save()
    assert services.user_of_token(token=text) is None


def test_maintainers_see_and_nobody_changes_the_log(client: Client) -> None:
    client.force_login(factories.user(is_staff=True, is_superuser=True))
    services.issue_token(user=factories.user(), name="laptop")
    event = Event.objects.get(kind="token.issued")
    assert client.get("/admin/evaluations/event/").status_code == 200
    page = client.get(f"/admin/evaluations/event/{event.id}/change/")
    assert page.status_code == 200 and b"_save" not in page.content
    assert client.get("/admin/evaluations/event/add/").status_code == 403
    assert client.post(f"/admin/evaluations/event/{event.id}/delete/").status_code == 403


@pytest.mark.parametrize(
    "table",
    [
        "accounts/user",
        "accounts/team",
        "accounts/token",
        "benchmarks/benchmark",
        "benchmarks/benchmarkversion",
        "submissions/system",
        "submissions/submission",
        "evaluations/evaluation",
        "evaluations/event",
    ],
)
def test_admin_lists_open_for_maintainers_only(client: Client, table: str) -> None:
    assert client.get(f"/admin/{table}/").status_code == 302
    client.force_login(factories.user())
    assert client.get(f"/admin/{table}/").status_code == 302
    client.force_login(factories.user(is_staff=True, is_superuser=True))
    assert client.get(f"/admin/{table}/?q=x").status_code == 200
