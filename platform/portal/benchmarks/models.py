"""Benchmarks and their editions. What an opened version holds never changes."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class Benchmark(models.Model):
    """A named benchmark of one family."""

    name = models.SlugField(max_length=64, unique=True)
    title = models.CharField(max_length=200)
    family = models.SlugField(max_length=64, help_text="Which arithmetic it follows.")
    description = models.TextField(blank=True)
    maintainers = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="maintained_benchmarks"
    )
    promoted = models.ForeignKey(
        "BenchmarkVersion",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The version that a bare benchmark name stands for.",
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return self.name


class BenchmarkVersion(models.Model):
    """One fixed edition: digests of questions and truth, bootstrap plan, state."""

    class State(models.TextChoices):
        DRAFT = "DRAFT", "draft"
        REHEARSED = "REHEARSED", "rehearsed"
        OPEN = "OPEN", "open"
        CLOSED = "CLOSED", "closed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    benchmark = models.ForeignKey(Benchmark, models.PROTECT, related_name="versions")
    version = models.CharField(max_length=32)
    state = models.CharField(max_length=9, choices=State.choices, default=State.DRAFT)
    definition: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(
        help_text="The content of benchmark.json."
    )
    questions_digest = models.CharField(max_length=64, blank=True)
    truth_digest = models.CharField(max_length=64, blank=True)
    n_questions = models.PositiveIntegerField(default=0)
    is_reference_only = models.BooleanField(
        default=False, help_text="Holds published results only; nothing can be submitted."
    )
    per_day = models.PositiveIntegerField(
        null=True, blank=True, help_text="Scored submissions of a team per day; empty: the site's."
    )
    in_all = models.PositiveIntegerField(
        null=True, blank=True, help_text="Scored submissions of a team in all; empty: the site's."
    )
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    reported_differences: models.JSONField[list[Any], list[Any]] = models.JSONField(
        default=list, blank=True, help_text="Published paired differences, as printed."
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("benchmark", "version"), name="benchmark_version_once"),
            models.CheckConstraint(
                condition=models.Q(state__in=("DRAFT", "REHEARSED", "OPEN", "CLOSED")),
                name="benchmark_version_state_known",
            ),
            models.CheckConstraint(
                condition=models.Q(is_reference_only=True)
                | (~models.Q(questions_digest="") & ~models.Q(truth_digest="")),
                name="benchmark_version_has_files",
            ),
        )

    def __str__(self) -> str:
        return self.address

    @property
    def address(self) -> str:
        return f"{self.benchmark.name}@{self.version}"

    @property
    def accepts_submissions(self) -> bool:
        return self.state == self.State.OPEN and not self.is_reference_only


class Track(models.Model):
    """How the questions of a version are asked; one predictions file each."""

    class Answers(models.TextChoices):
        PUBLIC = "public", "public"
        HIDDEN = "hidden", "hidden"
        PARTLY = "partly", "partly public"

    version = models.ForeignKey(BenchmarkVersion, models.CASCADE, related_name="tracks")
    slug = models.SlugField(max_length=64)
    title = models.CharField(max_length=200)
    answers = models.CharField(
        max_length=6, choices=Answers.choices, help_text="How far the world knows the answers."
    )
    partial = models.BooleanField(default=False, help_text="Incomplete files are accepted.")
    note = models.CharField(max_length=300, blank=True, help_text="Shown on the board.")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("version", "position")
        constraints = (
            models.UniqueConstraint(fields=("version", "slug"), name="track_once"),
            models.CheckConstraint(
                condition=models.Q(answers__in=("public", "hidden", "partly")),
                name="track_answers_known",
            ),
        )

    def __str__(self) -> str:
        return f"{self.version} {self.slug}"
