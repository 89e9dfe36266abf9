"""Teams: every user has one, of one person until more join."""

from __future__ import annotations

import secrets

from django.db import transaction
from django.utils.text import slugify

from portal.accounts.models import Membership, Team, User


def team_of(user: User) -> Team:
    """The team that the user submits for, made at the first need."""
    with transaction.atomic():
        # The user's row is the lock: two first submissions make one team.
        User.objects.select_for_update().get(pk=user.pk)
        team = Team.objects.filter(memberships__user=user).order_by("memberships__id").first()
        if team is None:
            team = Team.objects.create(slug=_free_slug(user.username), name=user.username[:100])
            Membership.objects.create(user=user, team=team, role=Membership.Role.OWNER)
    return team


def _free_slug(username: str) -> str:
    slug = slugify(username)[:50] or "team"
    if Team.objects.filter(slug=slug).exists():
        return f"{slug}-{secrets.token_hex(4)}"
    return slug
