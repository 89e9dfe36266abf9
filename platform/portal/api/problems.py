"""Every refusal as `application/problem+json` (RFC 9457): stable code, a sentence that helps."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from ninja import NinjaAPI
from ninja.errors import HttpError, Throttled, ValidationError

from evaluator.errors import MAX_PROBLEMS, Problem, quote
from portal.codes import CODES, OWNERS, address_of
from portal.errors import PortalError
from portal.middleware import problem_response, refusal_response

View = Callable[..., HttpResponseBase]
# The handler of a kind of exception is never given another kind; ninja's types cannot say so.
Answer = Callable[[HttpRequest, Any], HttpResponse]


def portal_refusal(request: HttpRequest, error: PortalError) -> HttpResponse:
    """The answer to what a service refuses."""
    response = refusal_response(error)
    if error.status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="plumbline"'
    return response


def answer_in_problems(api: NinjaAPI) -> None:
    """Let every exception of an operation end as a problem document."""
    answers: tuple[tuple[type[Exception], Answer], ...] = (
        (PortalError, portal_refusal),
        (ValidationError, _fields),
        (HttpError, _http),
        (Http404, _not_found),
        (RequestDataTooBig, _too_large),
        (MultiPartParserError, _malformed),
        (TooManyFilesSent, _malformed),
        (TooManyFieldsSent, _malformed),
        (Exception, _ours),
    )
    for kind, answer in answers:
        api.add_exception_handler(kind, answer)


def refusing_methods(view: View) -> View:
    """The view, whose 405 is a problem document too."""

    @functools.wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code != 405:
            return response
        allowed = response["Allow"]
        problem = problem_response("input.method", f"{request.method} is not one of {allowed}.")
        problem["Allow"] = allowed
        return problem

    return answered


def known_codes() -> Iterator[dict[str, object]]:
    """The closed list of codes, by owner and word; details vary with the case."""
    order = list(OWNERS)
    for entry in sorted(CODES.values(), key=lambda entry: (order.index(entry.owner), entry.code)):
        yield {
            "code": entry.code,
            "owner": entry.owner,
            "fault": entry.fault,
            "status": entry.status,
            "title": entry.title,
            "meaning": entry.meaning,
            "remedy": entry.remedy,
            "retry_after": entry.retry_after,
            "is_retried": entry.is_retried,
            "url": settings.BASE_URL + address_of(entry.code),
        }


def _fields(request: HttpRequest, error: ValidationError) -> HttpResponse:
    problems = [
        Problem(
            code="FIELD",
            where="/".join(["", *(str(part) for part in fault["loc"][:4])]),
            found=quote(fault.get("input")) if _may_be_quoted(fault) else "nothing",
            wanted=str(fault["msg"]),
        )
        for fault in error.errors[:MAX_PROBLEMS]
    ]
    return problem_response(
        "input.fields",
        "Nothing was stored. The problems name each field and what it wants.",
        problems=problems,
    )


def _may_be_quoted(fault: dict[str, Any]) -> bool:
    """Short plain values only, and never a password."""
    return isinstance(fault.get("input"), str | int | float) and "password" not in fault["loc"]


def _http(request: HttpRequest, error: HttpError) -> HttpResponse:
    if isinstance(error, Throttled):
        return problem_response(
            "policy.too_many_requests",
            "Wait a little before the next try.",
            retry_after=error.wait,
        )
    return problem_response(
        "input.malformed", "Its content cannot be read as what its header says."
    )


def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem_response(
        "policy.not_found", "Nothing stands at this address, or it is not yours to see."
    )


def _too_large(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    return problem_response(
        "policy.too_large", "The upload went on beyond the limit; nothing was stored."
    )


def _malformed(request: HttpRequest, error: Exception) -> HttpResponse:
    return problem_response("input.malformed", "The form could not be read; nothing was stored.")


def _ours(request: HttpRequest, error: Exception) -> HttpResponse:
    # Not ours to answer: Django's own handlers and middleware log it and say 500 or 503.
    raise error
