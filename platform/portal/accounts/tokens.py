"""Tokens for scripts: random, shown once, kept as a digest."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.db.models import Q
from django.db.models.functions import Now

from portal.accounts.models import Token, User

SCHEME = "plb_"
PREFIX_LENGTH = len(SCHEME) + 8
USE_NOTED_EVERY = timedelta(minutes=1)


def issue(user: User, name: str) -> tuple[Token, str]:
    """A new token and its text, which nobody can read again."""
    text = SCHEME + secrets.token_urlsafe(30)
    token = Token.objects.create(
        user=user, name=name[:100], prefix=text[:PREFIX_LENGTH], digest=_digest(text)
    )
    return token, text


def owner(text: str) -> User | None:
    """The active user whose unrevoked token this is."""
    if not text.startswith(SCHEME):
        return None
    unnoted = Q(last_used_at__isnull=True) | Q(last_used_at__lt=Now() - USE_NOTED_EVERY)
    token = (
        Token.objects.select_related("user")
        .annotate(is_unnoted=unnoted)
        .filter(digest=_digest(text), revoked_at__isnull=True, user__is_active=True)
        .first()
    )
    if token is None:
        return None
    if token.is_unnoted:
        Token.objects.filter(unnoted, pk=token.pk).update(last_used_at=Now())
    return token.user


def revoke(user: User, prefix: str) -> bool:
    """Whether a token of the user was revoked now."""
    tokens = Token.objects.filter(user=user, prefix=prefix, revoked_at__isnull=True)
    return tokens.update(revoked_at=Now()) == 1


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
