"""Faults as pages, in words.

Django calls these where nothing of ours could answer. A script asking under
`/api/` gets the same as a problem document. Pages of faults of ours read no
database and no session: they may be what is at fault.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from http import HTTPStatus

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from evaluator.errors import Problem
from portal.errors import Unavailable
from portal.middleware import problem_response

API = "/api/"
RETRY_AFTER = 5  # seconds
HTML = "text/html; charset=utf-8"

LINKS = (
    {"url": "/board/", "title": "Boards"},
    {"url": "/submit/", "title": "Submit"},
    {"url": "/submissions/", "title": "My submissions"},
)


def is_for_script(request: HttpRequest) -> bool:
    return request.path.startswith(API)


def fault_page(
    request: HttpRequest,
    *,
    status: int,
    title: str,
    detail: str,
    code: str = "",
    problems: Sequence[Problem] = (),
) -> str:
    """The markup of a fault's page."""
    context = {
        "status": status,
        "title": title,
        "detail": detail,
        "code": code,
        "problems": problems,
        "n_problems": len(problems),
        "links": LINKS,
    }
    is_ours = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return render_to_string("site/errors/error.html", context, None if is_ours else request)


def _fault(request: HttpRequest, status: int, code: str, title: str, detail: str) -> HttpResponse:
    retry_after = RETRY_AFTER if status == HTTPStatus.SERVICE_UNAVAILABLE else None
    if is_for_script(request):
        return problem_response(
            status=status, code=code, title=title, detail=detail, retry_after=retry_after
        )
    page = fault_page(request, status=status, title=title, detail=detail, code=code)
    headers = {"Retry-After": str(retry_after)} if retry_after else None
    return HttpResponse(page, status=status, headers=headers)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _fault(
        request,
        400,
        "request.malformed",
        "This request could not be read",
        "Its address or its content is malformed. Nothing was changed; go back and try again.",
    )


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _fault(
        request,
        403,
        "auth.forbidden",
        "This is not yours to open",
        "You are signed in as somebody who may not do this. Nothing was changed.",
    )


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """What a form gets that does not come from a page of this site, or comes too late."""
    return _fault(
        request,
        403,
        "auth.csrf",
        "This form is no longer valid",
        "It was opened before you signed in or in another browser, or cookies are switched off. "
        "Nothing was changed: go back, reload the page and send it again.",
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _fault(
        request,
        404,
        "not_found",
        "No such page",
        "Nothing stands at this address, or it is not yours to see.",
    )


def failed(request: HttpRequest) -> HttpResponse:
    """A fault of ours; one of a service that is away says so and asks for patience."""
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return _fault(
            request,
            Unavailable.status,
            Unavailable.code,
            "Away for a moment",
            "A service of this site does not answer. Nothing was lost; try again in a few seconds.",
        )
    return _fault(
        request,
        500,
        "infra.internal",
        "Something broke here",
        "The fault is ours and has been logged. What you sent before is safe; "
        "this one request was not carried out.",
    )
