"""Addresses: the API, the admin for maintainers, and the pages for people."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from portal.api.metrics import metrics

urlpatterns = [
    path("api/v1/", include("portal.api.urls")),
    path("metrics", metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("", include("portal.site.urls")),
]

handler400 = "portal.site.views.faults.bad_request"
handler403 = "portal.site.views.faults.forbidden"
handler404 = "portal.site.views.faults.not_found"
handler500 = "portal.site.views.faults.failed"

handler400 = "portal.site.views.faults.bad_request"
handler403 = "portal.site.views.faults.forbidden"
handler404 = "portal.site.views.faults.not_found"
handler500 = "portal.site.views.faults.failed"
