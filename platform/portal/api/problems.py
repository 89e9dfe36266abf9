"""Every refusal as `application/problem+json` (RFC 9457): stable code, a sentence that helps."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from ninja import NinjaAPI
from ninja.errors import HttpError, Throttled, ValidationError

from evaluator.errors import quote
from portal.errors import PortalError
from portal.middleware import problem_response

View = Callable[..., HttpResponseBase]
# The handler of a kind of exception is never given another kind; ninja's types cannot say so.
Answer = Callable[[HttpRequest, Any], HttpResponse]

# Refusals that no PortalError stands for: code -> (status, title).
TRANSPORT = {
    "request.malformed": (400, "This request could not be read"),
    "request.method": (405, "Not a method of this address"),
    "request.fields": (422, "Some fields are not as they should be"),
    "not_found": (404, "Not found"),
    "policy.too_large": (413, "The file is too large"),
    "policy.too_many_requests": (429, "Too many requests"),
}


def refusal(
    code: str, detail: str, *, problems: list[dict[str, str]] | None = None
) -> HttpResponse:
    """The answer to a request that never reached a service."""
    status, title = TRANSPORT[code]
    response = problem_response(status=status, code=code, title=title, detail=detail)
    return _with_problems(response, problems or [], len(problems or []))


def portal_refusal(request: HttpRequest, error: PortalError) -> HttpResponse:
    """The answer to what a service refuses."""
    response = problem_response(
        status=error.status,
        code=error.code,
        title=error.title,
        detail=error.detail,
        retry_after=error.retry_after,
    )
    if error.status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="plumbline"'
    problems = [
        {
            "code": problem.code,
            "where": problem.where,
            "found": problem.found,
            "wanted": problem.wanted,
            "hint": problem.hint,
        }
        for problem in error.problems
    ]
    return _with_problems(response, problems, len(problems))


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
        problem = refusal("request.method", f"{request.method} is not one of {allowed}.")
        problem["Allow"] = allowed
        return problem

    return answered


def known_problems() -> Iterator[dict[str, object]]:
    """Codes that the API answers with, by status; details vary with the case."""
    known = {code: (status, title) for code, (status, title) in TRANSPORT.items()}
    waiting: list[type[PortalError]] = [PortalError]
    while waiting:
        kind = waiting.pop()
        waiting.extend(kind.__subclasses__())
        known.setdefault(kind.code, (kind.status, kind.title))
    for code, (status, title) in sorted(known.items(), key=lambda item: (item[1][0], item[0])):
        yield {"code": code, "status": status, "title": title}


def _fields(request: HttpRequest, error: ValidationError) -> HttpResponse:
    problems = [
        {
            "code": "FIELD",
            "where": "/".join(["", *(str(part) for part in fault["loc"][:4])]),
            "found": quote(fault.get("input")) if _may_be_quoted(fault) else "nothing",
            "wanted": str(fault["msg"]),
            "hint": "",
        }
        for fault in error.errors[:20]
    ]
    return refusal(
        "request.fields",
        "Nothing was stored. The problems name each field and what it wants.",
        problems=problems,
    )


def _may_be_quoted(fault: dict[str, Any]) -> bool:
    """Short plain values only, and never a password."""
    return isinstance(fault.get("input"), str | int | float) and "password" not in fault["loc"]


def _http(request: HttpRequest, error: HttpError) -> HttpResponse:
    if isinstance(error, Throttled):
        response = refusal("policy.too_many_requests", "Wait a little before the next try.")
        response["Retry-After"] = str(error.wait or 60)
        return response
    return refusal("request.malformed", "Its content cannot be read as what its header says.")


def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return refusal("not_found", "Nothing stands at this address, or it is not yours to see.")


def _too_large(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    return refusal("policy.too_large", "The upload went on beyond the limit; nothing was stored.")


def _malformed(request: HttpRequest, error: Exception) -> HttpResponse:
    return refusal("request.malformed", "The form could not be read; nothing was stored.")


def _ours(request: HttpRequest, error: Exception) -> HttpResponse:
    # Not ours to answer: Django's own handlers and middleware log it and say 500 or 503.
    raise error


def _with_problems(
    response: HttpResponse, problems: list[dict[str, str]], n_problems: int
) -> HttpResponse:
    if problems:
        body = json.loads(response.content)
        response.content = json.dumps({**body, "problems": problems, "n_problems": n_problems})
    return response
