"""Systems and submissions for maintainers."""

from __future__ import annotations

from django.contrib import admin

from portal.readonly import ReadOnlyAdmin, ReadOnlyInline
from portal.submissions.models import Submission, System, Upload


class SubmissionInline(ReadOnlyInline):
    model = Submission
    fields = ("id", "track", "source", "visibility", "created_at", "published_at")


@admin.register(System)
class SystemAdmin(ReadOnlyAdmin):
    list_display = ("name", "benchmark", "kind", "team", "created_at")
    list_filter = ("kind", "benchmark")
    list_select_related = ("benchmark", "team")
    search_fields = ("name", "slug")
    fields = ("name", "slug", "benchmark", "kind", "team", "facets", "url", "description")
    inlines = (SubmissionInline,)


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ("id", "system", "track", "source", "team", "visibility", "created_at")
    list_filter = ("source", "visibility", "track__version__benchmark")
    list_select_related = ("system", "track__version__benchmark", "team")
    search_fields = ("id", "system__name", "team__name", "file_digest")
    date_hierarchy = "created_at"
    fields = (
        "id",
        "system",
        "track",
        "team",
        "source",
        "visibility",
        "published_at",
        "file_name",
        "file_bytes",
        "file_digest",
        "file_key",
        "created_by",
        "created_at",
    )


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    list_display = ("id", "file_name", "file_bytes", "team", "state", "created_at", "expires_at")
    list_filter = ("state",)
    list_select_related = ("team",)
    search_fields = ("id", "team__name", "file_digest")
    date_hierarchy = "created_at"
    fields = (
        "id",
        "team",
        "created_by",
        "track",
        "file_name",
        "file_bytes",
        "file_digest",
        "part_bytes",
        "state",
        "submission",
        "created_at",
        "expires_at",
    )
