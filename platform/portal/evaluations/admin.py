"""The queue and the log for maintainers: who waits, who failed and why, what happened."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery, UUIDField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from portal.benchmarks.models import BenchmarkVersion
from portal.evaluations import events
from portal.evaluations.models import Evaluation, Event, Flag
from portal.readonly import ReadOnlyAdmin
from portal.submissions.models import Submission


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


@admin.register(Flag)
class FlagAdmin(ReadOnlyAdmin):
    """Submissions of different teams with the same answers or hardly others, newest first."""

    list_display = ("at", "where", "submission", "team", "other", "other_team", "differing")
    list_display_links = ("at",)
    search_fields = ("submission_id", "data__other")
    date_hierarchy = "at"
    fields = ("at", "where", "submission", "team", "other", "other_team", "differing")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Flag]:
        flags = Flag.objects.filter(kind=events.SUBMISSION_ALIKE).annotate(
            other_id=Cast(KeyTextTransform("other", "data"), UUIDField())
        )
        mine = Submission.objects.filter(pk=OuterRef("submission_id"))
        others = Submission.objects.filter(pk=OuterRef("other_id"))
        versions = BenchmarkVersion.objects.filter(pk=OuterRef("version_id"))
        return flags.annotate(
            benchmark=Subquery(versions.values("benchmark__name")[:1]),
            version=Subquery(versions.values("version")[:1]),
            track=Subquery(mine.values("track__slug")[:1]),
            system=Subquery(mine.values("system__name")[:1]),
            team_name=Subquery(mine.values("team__name")[:1]),
            other_system=Subquery(others.values("system__name")[:1]),
            other_team_name=Subquery(others.values("team__name")[:1]),
        ).order_by("-id")

    @admin.display(description="track")
    def where(self, flag: Any) -> str:
        return f"{flag.benchmark}@{flag.version}, {flag.track}"

    @admin.display(description="submission")
    def submission(self, flag: Any) -> SafeString:
        return _linked(flag.submission_id, flag.system)

    @admin.display(description="team")
    def team(self, flag: Any) -> str:
        return flag.team_name or ""

    @admin.display(description="earlier submission")
    def other(self, flag: Any) -> SafeString:
        return _linked(flag.other_id, flag.other_system)

    @admin.display(description="its team")
    def other_team(self, flag: Any) -> str:
        return flag.other_team_name or ""

    @admin.display(description="answers that differ")
    def differing(self, flag: Any) -> str:
        data = flag.data
        return f"{data['n_different']:,} of {data['n']:,} ({100 * data['share']:.2f} %)"


def _linked(submission_id: UUID, system: str | None) -> SafeString:
    """The submission's page in the admin, under its system's name."""
    address = reverse("admin:submissions_submission_change", args=(submission_id,))
    return format_html('<a href="{}">{}</a>', address, system or submission_id)
