"""The address that Prometheus asks: figures for whoever knows the token, nothing for others."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST

from portal import services


@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """All figures; 404 without PLUMBLINE_METRICS_TOKEN as Bearer, or where there is none."""
    given = request.headers.get("Authorization", "")
    wanted = f"Bearer {settings.METRICS_TOKEN}"
    if not settings.METRICS_TOKEN or not hmac.compare_digest(given.encode(), wanted.encode()):
        raise Http404
    answer = HttpResponse(services.metrics_text(), content_type=CONTENT_TYPE_LATEST)
    answer.headers["Cache-Control"] = "no-store"
    return answer
