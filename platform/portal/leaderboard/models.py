"""Boards and comparisons as they are served: made by the worker, read by everybody."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from portal.benchmarks.models import BenchmarkVersion


class StoredDocument(models.Model):
    """One JSON document of a track, disclosed and ready to send."""

    class Kind(models.TextChoices):
        BOARD = "board", "board"
        COMPARISONS = "comparisons", "comparisons of one system with the others"

    version = models.ForeignKey(BenchmarkVersion, models.CASCADE, related_name="documents")
    track = models.SlugField(max_length=64)
    kind = models.CharField(max_length=11, choices=Kind.choices)
    system = models.SlugField(
        max_length=100, blank=True, help_text="Whose comparisons; empty for a board."
    )
    body = models.BinaryField(help_text="JSON, gzip.")
    etag = models.CharField(max_length=64, help_text="SHA-256 of the JSON.")
    fingerprint = models.CharField(
        max_length=64, help_text="What it was made from; differs as soon as that changes."
    )
    built_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("version", "track", "kind", "system"), name="document_once"
            ),
            models.CheckConstraint(
                condition=models.Q(kind="board", system="")
                | (models.Q(kind="comparisons") & ~models.Q(system="")),
                name="document_kind_known",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} of {self.version_id} {self.track} {self.system}".rstrip()
