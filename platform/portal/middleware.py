"""What every request passes: faults of ours answered plainly, a content policy, a size limit."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict

from django.conf import settings
from django.db import DataError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from evaluator.errors import Problem
from portal.codes import address_of, refusal_of
from portal.errors import PortalError
from portal.outages import outage_of

logger = logging.getLogger(__name__)

Answer = Callable[[HttpRequest], HttpResponseBase]

FORM_OVERHEAD_BYTES = 64 * 1024  # boundaries and fields around an upload
POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)


def problem_response(
    code: str, detail: str, *, retry_after: int | None = None, problems: Sequence[Problem] = ()
) -> HttpResponse:
    """An `application/problem+json` answer (RFC 9457).

    Args:
        detail: this case in a sentence or two; the kind is told by the list of codes.
        retry_after: where this case knows better than the list.
    """
    entry, status = refusal_of(code)
    retry_after = entry.retry_after if retry_after is None else retry_after
    body: dict[str, object] = {
        "type": settings.BASE_URL + address_of(code),
        "title": entry.title,
        "status": status,
        "code": code,
        "detail": detail,
        "remedy": entry.remedy,
    }
    if retry_after is not None:
        body["retry_after"] = retry_after
    if problems:
        body |= {"problems": [asdict(problem) for problem in problems], "n_problems": len(problems)}
    response = HttpResponse(
        json.dumps(body), status=status, content_type="application/problem+json"
    )
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response


def refusal_response(refusal: PortalError) -> HttpResponse:
    """The problem document of what the portal refuses."""
    return problem_response(
        refusal.code,
        refusal.detail,
        retry_after=refusal.retry_after,
        problems=refusal.problems,
    )


class FaultsAnswered:
    """503 with Retry-After and the name of the service that is away, instead of a traceback.

    A text that the database cannot hold, such as one with U+0000, is the sender's: 400.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponseBase | None:
        if isinstance(exception, DataError):
            logger.warning("the database takes no such value: %s", type(exception).__name__)
            return problem_response(
                "input.malformed",
                "It holds a character that cannot be stored, such as U+0000. Nothing was stored.",
            )
        outage = outage_of(exception)
        if outage is None:
            return None
        logger.error("%s: %s", outage.code, exception)
        return refusal_response(outage)


class ContentPolicy:
    """Only this site's own scripts, styles and pictures, unless a view says otherwise."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class UploadLimit:
    """Refuses a body by its stated length and a compressed body, before a byte is read."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.headers.get("Content-Encoding"):
            return problem_response(
                "policy.encoding", "Send the file as it is, without Content-Encoding."
            )
        stated = request.headers.get("Content-Length", "")
        if stated.isdecimal() and int(stated) > settings.MAX_UPLOAD_BYTES + FORM_OVERHEAD_BYTES:
            return problem_response(
                "policy.too_large",
                f"The request has {stated} bytes; a file may have "
                f"{settings.MAX_UPLOAD_BYTES} bytes at most.",
            )
        return self.get_response(request)
