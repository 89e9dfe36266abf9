"""Benchmarks for maintainers. Versions are loaded, opened and closed by commands."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from portal.benchmarks.models import Benchmark, BenchmarkVersion, Track
from portal.readonly import ReadOnlyAdmin, ReadOnlyInline


class VersionInline(ReadOnlyInline):
    model = BenchmarkVersion
    fk_name = "benchmark"
    fields = ("version", "state", "n_questions", "is_reference_only", "opened_at", "closed_at")


class TrackInline(ReadOnlyInline):
    model = Track
    fields = ("position", "slug", "title", "answers", "partial", "note")


@admin.register(Benchmark)
class BenchmarkAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not generic at run time
    list_display = ("name", "title", "family", "promoted")
    search_fields = ("name", "title")
    fields = ("name", "title", "family", "description", "promoted", "maintainers", "created_at")
    readonly_fields = ("name", "title", "family", "description", "promoted", "created_at")
    filter_horizontal = ("maintainers",)
    inlines = (VersionInline,)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # a bundle makes it

    def has_delete_permission(self, request: HttpRequest, obj: Benchmark | None = None) -> bool:
        return False


@admin.register(BenchmarkVersion)
class BenchmarkVersionAdmin(ReadOnlyAdmin):
    list_display = ("address", "state", "n_questions", "is_reference_only", "opened_at")
    list_filter = ("state", "is_reference_only")
    list_select_related = ("benchmark",)
    fields = (
        "benchmark",
        "version",
        "state",
        "n_questions",
        "is_reference_only",
        "questions_digest",
        "created_at",
        "opened_at",
        "closed_at",
    )
    inlines = (TrackInline,)
