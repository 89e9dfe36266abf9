"""The queue and the log for maintainers: who waits, who failed and why, what happened."""

from __future__ import annotations

from django.contrib import admin

from portal.evaluations.models import Evaluation, Event
from portal.readonly import ReadOnlyAdmin


@admin.register(Evaluation)
class EvaluationAdmin(ReadOnlyAdmin):
    list_display = (
        "id",
        "submission",
        "version",
        "status",
        "attempt",
        "intervals",
        "failure_code",
        "queued_at",
        "finished_at",
    )
    list_filter = ("status", "intervals", "failure_code", "version__benchmark")
    list_select_related = ("submission__system", "submission__track", "version__benchmark")
    search_fields = ("id", "submission__id", "submission__system__name")
    fields = (
        "id",
        "submission",
        "version",
        "evaluator_version",
        "status",
        "attempt",
        "worker",
        "lease_until",
        "due_at",
        "progress_done",
        "progress_total",
        "n_problems",
        "failure_code",
        "intervals",
        "intervals_attempt",
        "queued_at",
        "started_at",
        "finished_at",
    )


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ("at", "kind", "actor", "submission_id", "evaluation_id", "version_id")
    list_filter = ("kind",)
    search_fields = ("actor", "submission_id", "evaluation_id", "version_id")
    date_hierarchy = "at"
    ordering = ("-id",)
    fields = ("at", "kind", "actor", "version_id", "submission_id", "evaluation_id", "data")
