"""People, the teams they submit for, and the tokens of their scripts."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Now


class User(AbstractUser):
    """A person with an account; submissions belong to their team."""


class Team(models.Model):
    """Who a submission belongs to. Every user has a team of one from the first submission."""

    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=100, help_text="Shown beside the team's rows.")
    members = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="Membership", related_name="teams"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user in a team."""

    class Role(models.TextChoices):
        OWNER = "OWNER", "owner"
        MEMBER = "MEMBER", "member"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=6, choices=Role.choices, default=Role.OWNER)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "team"), name="membership_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=("OWNER", "MEMBER")), name="membership_role_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class Token(models.Model):
    """A key for scripts. Only its digest is kept; the key is shown once."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100, help_text="What the owner calls it.")
    prefix = models.CharField(
        max_length=12, unique=True, help_text="The first characters, to tell tokens apart."
    )
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the whole token.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.name})"
