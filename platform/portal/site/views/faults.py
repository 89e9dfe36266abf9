"""Faults as pages, in words.

Django calls these where nothing of ours could answer. A script asking under
`/api/` gets the same as a problem document. Pages of faults of ours read no
database and no session: they may be what is at fault.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from evaluator.errors import Problem
from portal.codes import code_of
from portal.errors import Unavailable
from portal.middleware import problem_response
from portal.outages import outage_of

API = "/api/"
HTML = "text/html; charset=utf-8"

LINKS = (
    {"url": "/board/", "title": "Boards"},
    {"url": "/submit/", "title": "Submit"},
    {"url": "/submissions/", "title": "My submissions"},
    {"url": "/status/", "title": "Status"},
)


def is_for_script(request: HttpRequest) -> bool:
    return request.path.startswith(API)


def fault_page(
    request: HttpRequest, code: str, detail: str, *, problems: Sequence[Problem] = ()
) -> str:
    """The markup of a fault's page."""
    entry = code_of(code)
    context = {
        "entry": entry,
        "detail": detail,
        "problems": problems,
        "n_problems": len(problems),
        "links": LINKS,
    }
    # What is at fault may be what the page of a signed-in person would ask.
    asked = None if entry.fault == "ours" else request
    return render_to_string("site/errors/error.html", context, asked)


def fault(request: HttpRequest, code: str, detail: str) -> HttpResponse:
    """A page for people, a problem document for scripts, with the same status and headers."""
    response = problem_response(code, detail)
    if not is_for_script(request):
        response.content = fault_page(request, code, detail).encode()
        response.headers["Content-Type"] = HTML
    return response


def outage(request: HttpRequest, away: Unavailable) -> HttpResponse:
    """Which service is away, and when to try again."""
    return fault(request, away.code, away.detail)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, DisallowedHost):
        return fault(request, "policy.host", "Open the site by its own address.")
    if isinstance(exception, RequestDataTooBig):
        detail = "The upload went on beyond the limit; nothing was stored."
        return fault(request, "policy.too_large", detail)
    return fault(
        request,
        "input.malformed",
        "Its address or its content is malformed. Nothing was changed; go back and try again.",
    )


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return fault(
        request,
        "policy.forbidden",
        "You are signed in as somebody who may not do this. Nothing was changed.",
    )


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """What a form gets that does not come from a page of this site, or comes too late."""
    return fault(
        request,
        "policy.csrf",
        "It was opened before you signed in or in another browser, or cookies are switched off. "
        "Nothing was changed: go back, reload the page and send it again.",
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return fault(
        request,
        "policy.not_found",
        "Nothing stands at this address, or it is not yours to see.",
    )


def failed(request: HttpRequest) -> HttpResponse:
    """A fault of ours; one of a service that is away says so and asks for patience."""
    away = outage_of(sys.exc_info()[1])
    if away is not None:
        return outage(request, away)
    return fault(
        request,
        "infra.internal",
        "The fault is ours and has been logged. What you sent before is safe; "
        "this one request was not carried out.",
    )
