"""How the house is doing, for everybody; it answers while parts of it are away."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET

from portal import services
from portal.site.requests import live_page
from portal.site.states import service_lines

RETRY_AFTER = 5  # seconds


@require_GET
def status(request: HttpRequest) -> HttpResponse:
    """Services, queues, open tracks and faults of ours, kept fresh while one looks."""
    found = services.site_status()
    context: dict[str, object] = {"here": "status", "status": found, "lines": service_lines(found)}
    if found["status"] == "down":
        # Without the request: who is signed in, only the database knows.
        page = render_to_string("site/status/status.html", context)
        return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_AFTER)})
    return live_page(
        request, "site/status/status.html", "site/status/_status.html", context, is_settled=False
    )
