"""Teams: every user has one, of one person until more join."""

from __future__ import annotations

import secrets

from django.db import transaction
from django.utils.text import slugify

from portal.accounts.models import Membership, Team, User


def team_of(user: User) -> Team:
    """The team that the user submits for, made at the first need."""
    team = first_team(user)
    if team is not None:
        return team
    with transaction.atomic():
        # The user's row is the lock: two first submissions make one team.
        User.objects.select_for_update().get(pk=user.pk)
        team = first_team(user)
        if team is None:
            team = Team.objects.create(slug=_free_slug(user.username), name=user.username[:100])
            Membership.objects.create(user=user, team=team, role=Membership.Role.OWNER)
    return team


def first_team(user: User) -> Team | None:
    """The team that the user submits for, if there is one yet."""
    first = Membership.objects.filter(user=user).select_related("team").order_by("id").first()
    return first.team if first else None


def _free_slug(username: str) -> str:
    slug = slugify(username)[:50] or "team"
    if Team.objects.filter(slug=slug).exists():
        return f"{slug}-{secrets.token_hex(4)}"
    return slug
