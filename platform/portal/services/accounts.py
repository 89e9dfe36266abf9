"""Whom a user submits for, and the tokens of their scripts."""

from __future__ import annotations

from django.db import transaction

from portal.accounts import tokens
from portal.accounts.models import Token, User
from portal.accounts.teams import team_of
from portal.errors import TokenNotFound
from portal.evaluations import events
from portal.services.values import TokenDocument


def team_names(*, user: User) -> list[str]:
    """The user's teams by name, the one they submit for first."""
    team_of(user)
    return list(user.memberships.order_by("id").values_list("team__name", flat=True))


def issue_token(*, user: User, name: str) -> str:
    """A new token of the user; its text is shown this once."""
    with transaction.atomic():
        token, text = tokens.issue(user, name)
        events.record(events.TOKEN_ISSUED, actor=user.username, prefix=token.prefix)
    return text


def user_of_token(*, token: str) -> User | None:
    """Who sends this token; None if it is unknown or revoked."""
    return tokens.owner(token)


def my_tokens(*, user: User) -> list[TokenDocument]:
    """The user's tokens, latest first, the revoked ones among them."""
    return [
        {
            "prefix": token.prefix,
            "name": token.name,
            "created_at": token.created_at,
            "last_used_at": token.last_used_at,
            "revoked_at": token.revoked_at,
        }
        for token in Token.objects.filter(user=user).order_by("-created_at")
    ]


def revoke_token(*, user: User, prefix: str) -> None:
    """Refuse a token from now on; a revoked one stays revoked.

    Raises:
        TokenNotFound: the user has no such token.
    """
    with transaction.atomic():
        if tokens.revoke(user, prefix):
            events.record(events.TOKEN_REVOKED, actor=user.username, prefix=prefix)
        elif not Token.objects.filter(user=user, prefix=prefix).exists():
            raise TokenNotFound("There is no such token among yours.")
