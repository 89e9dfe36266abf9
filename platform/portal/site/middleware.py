"""Refusals meant for people become pages; scripts under `/api/` keep their problem documents."""

from __future__ import annotations

import json
from collections.abc import Callable

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from portal.errors import PortalError, SignInRequired
from portal.site.views.faults import HTML, fault_page, is_for_script

PROBLEM = "application/problem+json"


class FaultPages:
    """Writes a page where the portal refuses a request that a person made."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        is_problem = response.headers.get("Content-Type") == PROBLEM
        if is_problem and isinstance(response, HttpResponse) and not is_for_script(request):
            problem = json.loads(response.content)
            page = fault_page(request, problem["code"], problem["detail"])
            response.content = page.encode()
            response.headers["Content-Type"] = HTML
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, PortalError) or is_for_script(request):
            return None
        if isinstance(exception, SignInRequired):
            return redirect_to_login(request.get_full_path())
        page = fault_page(request, exception.code, exception.detail, problems=exception.problems)
        response = HttpResponse(page, status=exception.status)
        if exception.retry_after is not None:
            response.headers["Retry-After"] = str(exception.retry_after)
        return response
