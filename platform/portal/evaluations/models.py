"""Evaluations, their scores, and the event log.

The evaluation's row is the queue of record: status, attempt and lease live here,
on the database's clock.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models
from django.db.models.functions import Now

from portal.benchmarks.models import BenchmarkVersion
from portal.submissions.models import Submission


class Evaluation(models.Model):
    """One scoring of one submission."""

    class Status(models.TextChoices):
        QUEUED = "QUEUED", "waiting"
        RUNNING = "RUNNING", "running"
        SCORED = "SCORED", "scored"
        REJECTED = "REJECTED", "rejected"
        FAILED = "FAILED", "failed"
        WITHDRAWN = "WITHDRAWN", "withdrawn"

    class Priority(models.IntegerChoices):
        ENTRANT = 0, "somebody waits for it"
        BACKGROUND = 1, "nobody waits for it"

    class Queue(models.TextChoices):
        SCORE = "score", "files as they usually are"
        LARGE = "large", "files that take minutes and gigabytes"
        INFER = "infer", "models to be run first"

    class Intervals(models.TextChoices):
        PENDING = "PENDING", "pending"
        READY = "READY", "ready"
        NONE = "NONE", "none"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    submission = models.ForeignKey(Submission, models.PROTECT, related_name="evaluations")
    version = models.ForeignKey(BenchmarkVersion, models.PROTECT, related_name="evaluations")
    evaluator_version = models.CharField(max_length=32)
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.QUEUED)
    priority = models.PositiveSmallIntegerField(choices=Priority.choices, default=Priority.ENTRANT)
    queue = models.CharField(max_length=5, choices=Queue.choices, default=Queue.SCORE)
    attempt = models.PositiveSmallIntegerField(
        default=0, help_text="Counts claims; every later write names it, so a late one is refused."
    )
    strikes = models.PositiveSmallIntegerField(
        default=0, help_text="Attempts that the file itself may have ended: three are the end."
    )
    setbacks = models.PositiveSmallIntegerField(
        default=0, help_text="Attempts that a service of ours ended by being away; not counted."
    )
    lease_until = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(
        db_default=Now(), help_text="Not claimed before; later after a fault of ours."
    )
    worker = models.CharField(max_length=100, blank=True)
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    problems: models.JSONField[list[Any], list[Any]] = models.JSONField(default=list, blank=True)
    n_problems = models.PositiveIntegerField(default=0)
    failure_code = models.CharField(max_length=40, blank=True)
    outcome_digest = models.CharField(max_length=64, blank=True)
    answers_digest = models.CharField(
        max_length=64, blank=True, help_text="The answers in short, to find those that are alike."
    )
    compared_at = models.DateTimeField(
        null=True, blank=True, help_text="When its answers were held against those of others."
    )
    draws_digest = models.CharField(
        max_length=64, blank=True, help_text="Values of all addresses under the version's draws."
    )
    intervals = models.CharField(max_length=7, choices=Intervals.choices, default=Intervals.PENDING)
    intervals_attempt = models.PositiveSmallIntegerField(default=0)
    intervals_strikes = models.PositiveSmallIntegerField(default=0)
    queued_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("submission", "version", "evaluator_version"), name="evaluation_once"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    status__in=("QUEUED", "RUNNING", "SCORED", "REJECTED", "FAILED", "WITHDRAWN")
                ),
                name="evaluation_status_known",
            ),
            models.CheckConstraint(
                condition=models.Q(queue__in=("score", "large", "infer")),
                name="evaluation_queue_known",
            ),
            models.CheckConstraint(
                condition=models.Q(intervals__in=("PENDING", "READY", "NONE")),
                name="evaluation_intervals_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="RUNNING") | models.Q(lease_until__isnull=False),
                name="evaluation_running_has_lease",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="REJECTED") | models.Q(n_problems__gt=0),
                name="evaluation_rejected_has_problems",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="FAILED") | ~models.Q(failure_code=""),
                name="evaluation_failed_has_code",
            ),
        )
        indexes = (
            models.Index(
                fields=("queue", "priority", "due_at", "queued_at"),
                name="evaluation_unfinished",
                condition=models.Q(status__in=("QUEUED", "RUNNING")),
            ),
            models.Index(
                fields=("finished_at",),
                name="evaluation_wants_intervals",
                condition=models.Q(status="SCORED", intervals="PENDING"),
            ),
            models.Index(fields=("-finished_at",), name="evaluation_latest"),
            # How long scorings take, and when a track last saw one.
            models.Index(
                fields=("queue", "-finished_at"),
                name="evaluation_pace",
                condition=models.Q(status="SCORED", started_at__isnull=False),
            ),
            models.Index(
                fields=("version", "-finished_at"),
                name="evaluation_last_scored",
                condition=models.Q(status="SCORED", started_at__isnull=False),
            ),
            models.Index(
                fields=("finished_at",),
                name="evaluation_wants_comparison",
                condition=models.Q(status="SCORED", compared_at__isnull=True)
                & ~models.Q(answers_digest=""),
            ),
        )

    def __str__(self) -> str:
        return f"{self.submission_id} under {self.version_id}: {self.status}"


class Score(models.Model):
    """One number at (slice, metric) of an evaluation."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="scores")
    slice = models.SlugField(max_length=64)
    metric = models.CharField(max_length=64)
    value = models.FloatField(
        null=True, blank=True, help_text="A fraction, or empty with a reason."
    )
    reason = models.CharField(max_length=200, blank=True)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    level = models.FloatField(null=True, blank=True)
    method = models.CharField(max_length=16, blank=True)
    interval_reason = models.CharField(max_length=200, blank=True)
    n = models.PositiveIntegerField(null=True, blank=True)
    n_clusters = models.PositiveIntegerField(null=True, blank=True)
    n_dropped_draws = models.PositiveIntegerField(default=0)
    printed = models.CharField(
        max_length=32, blank=True, help_text="A reported value as printed, in percent."
    )
    printed_low = models.CharField(max_length=32, blank=True)
    printed_high = models.CharField(max_length=32, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("evaluation", "slice", "metric"), name="score_once"),
            # In PostgreSQL NaN is greater than every number, so a bound keeps it out.
            models.CheckConstraint(
                condition=models.Q(value__isnull=True) | models.Q(value__range=(-1000.0, 1000.0)),
                name="score_value_finite",
            ),
            models.CheckConstraint(
                condition=models.Q(value__isnull=False, reason="")
                | (models.Q(value__isnull=True) & ~models.Q(reason="")),
                name="score_value_or_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(low__isnull=True, high__isnull=True)
                | models.Q(low__lte=models.F("high")),
                name="score_interval_in_order",
            ),
        )

    def __str__(self) -> str:
        return f"{self.slice}/{self.metric}"


class Event(models.Model):
    """One thing that happened. Rows are only ever added: a trigger refuses the rest.

    Subjects are plain ids, not foreign keys: the log outlives what it speaks of.
    """

    at = models.DateTimeField(db_default=Now(), editable=False)
    kind = models.CharField(max_length=40)
    actor = models.CharField(max_length=150, help_text="A user, a worker, or the house itself.")
    version_id = models.UUIDField(null=True, blank=True)
    submission_id = models.UUIDField(null=True, blank=True)
    evaluation_id = models.UUIDField(null=True, blank=True)
    data: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(
        default=dict, blank=True
    )

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(fields=("submission_id", "id"), name="event_of_submission"),
            models.Index(fields=("kind", "at"), name="event_by_kind"),
        )

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.kind}"


class Flag(Event):
    """An event that wants a maintainer's eye: answers that are those of another team."""

    class Meta:
        proxy = True
        ordering = ("-id",)


class Presence(models.Model):
    """A process that serves queues, as it last said of itself; the clock is the database's."""

    name = models.CharField(max_length=100, unique=True)
    queues = models.CharField(max_length=100, help_text="Separated by commas.")
    n_slots = models.PositiveSmallIntegerField(help_text="Rows that it works on at once.")
    evaluator_version = models.CharField(max_length=32)
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = (models.Index(fields=("seen_at",), name="presence_latest"),)

    def __str__(self) -> str:
        return self.name
