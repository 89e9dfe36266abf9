"""Systems and their answers. The content of a submission never changes."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from portal.accounts.models import Team
from portal.benchmarks.models import Benchmark, Track


class System(models.Model):
    """The model or method that a board names."""

    class Kind(models.TextChoices):
        ENTRANT = "entrant", "entrant"
        REPORTED = "reported", "reported in a publication"
        HUMAN = "human", "human reference"
        TRIVIAL = "trivial", "trivial"
        CANARY = "canary", "sent by the house to see whether the road is open"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    benchmark = models.ForeignKey(Benchmark, models.PROTECT, related_name="systems")
    team = models.ForeignKey(Team, models.PROTECT, null=True, blank=True, related_name="systems")
    name = models.CharField(max_length=100)
    slug = models.SlugField(max_length=100)
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.ENTRANT)
    facets: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(
        default=dict, blank=True, help_text="Properties that split a board into groups."
    )
    url = models.URLField(blank=True, help_text="Paper or page; https only.")
    description = models.TextField(blank=True, help_text="Source of a reported row, or a note.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("benchmark", "slug"), name="system_slug_once"),
            models.CheckConstraint(
                condition=models.Q(kind__in=("entrant", "reported", "human", "trivial", "canary")),
                name="system_kind_known",
            ),
            models.CheckConstraint(
                condition=models.Q(kind="entrant", team__isnull=False)
                | (~models.Q(kind="entrant") & models.Q(team__isnull=True)),
                name="system_team_iff_entrant",
            ),
        )

    def __str__(self) -> str:
        return self.name


class Submission(models.Model):
    """One system's answers for one track."""

    class Source(models.TextChoices):
        UPLOAD = "UPLOAD", "predictions were uploaded"
        HUB = "HUB", "the model was run here"
        REPORTED = "REPORTED", "reported in a publication"
        TRIVIAL = "TRIVIAL", "computed without a model"
        CANARY = "CANARY", "sent by the house to see whether the road is open"

    class Visibility(models.TextChoices):
        PRIVATE = "PRIVATE", "private"
        PUBLISHED = "PUBLISHED", "published"
        WITHDRAWN = "WITHDRAWN", "withdrawn"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    system = models.ForeignKey(System, models.PROTECT, related_name="submissions")
    track = models.ForeignKey(Track, models.PROTECT, related_name="submissions")
    team = models.ForeignKey(
        Team, models.PROTECT, null=True, blank=True, related_name="submissions"
    )
    source = models.CharField(max_length=8, choices=Source.choices)
    file_digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the file.")
    file_bytes = models.PositiveBigIntegerField(default=0)
    file_key = models.CharField(
        max_length=100,
        blank=True,
        help_text="Where the file lies if not under its digest: it came straight to the store.",
    )
    file_name = models.CharField(
        max_length=200, blank=True, help_text="What the sender called it: a label, never a path."
    )
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001  # NULLs do not collide
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    visibility = models.CharField(
        max_length=9, choices=Visibility.choices, default=Visibility.PRIVATE
    )
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("team", "idempotency_key"), name="submission_once_per_key"
            ),
            models.CheckConstraint(
                condition=models.Q(source__in=("UPLOAD", "HUB", "REPORTED", "TRIVIAL", "CANARY")),
                name="submission_source_known",
            ),
            models.CheckConstraint(
                condition=models.Q(visibility__in=("PRIVATE", "PUBLISHED", "WITHDRAWN")),
                name="submission_visibility_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(source="UPLOAD")
                | (~models.Q(file_digest="") & models.Q(team__isnull=False)),
                name="submission_upload_has_file",
            ),
        )
        indexes = (
            models.Index(fields=("team", "track", "file_digest"), name="submission_same_answers"),
            models.Index(fields=("team", "-created_at"), name="submission_of_team"),
        )

    def __str__(self) -> str:
        return f"{self.system} on {self.track.slug}"


class Upload(models.Model):
    """A file that comes straight to the store in parts, until a submission names it."""

    class State(models.TextChoices):
        OPEN = "OPEN", "open"
        USED = "USED", "used"
        ENDED = "ENDED", "ended"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.PROTECT, related_name="uploads")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    track = models.ForeignKey(Track, models.PROTECT, related_name="+")
    file_name = models.CharField(
        max_length=200, blank=True, help_text="What the sender called it: a label, never a path."
    )
    file_digest = models.CharField(
        max_length=64, help_text="SHA-256 as the sender says; checked when the file is scored."
    )
    file_bytes = models.PositiveBigIntegerField(help_text="As the sender says; checked on arrival.")
    part_bytes = models.PositiveBigIntegerField(help_text="Of each part but the last.")
    store_upload = models.TextField(help_text="The store's own name of this upload.")
    state = models.CharField(max_length=5, choices=State.choices, default=State.OPEN)
    submission = models.OneToOneField(
        Submission, models.PROTECT, null=True, blank=True, related_name="upload"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(help_text="An upload that is still open then is ended.")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("team", "track", "file_digest"),
                condition=models.Q(state="OPEN"),
                name="upload_open_once",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=("OPEN", "USED", "ENDED")), name="upload_state_known"
            ),
            models.CheckConstraint(
                condition=models.Q(state="USED", submission__isnull=False)
                | (~models.Q(state="USED") & models.Q(submission__isnull=True)),
                name="upload_used_iff_submitted",
            ),
            models.CheckConstraint(
                condition=models.Q(file_bytes__gt=0, part_bytes__gt=0), name="upload_has_bytes"
            ),
        )
        indexes = (models.Index(fields=("state", "expires_at"), name="upload_to_end"),)

    def __str__(self) -> str:
        return f"{self.file_name} ({self.get_state_display()})"
