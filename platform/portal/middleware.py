"""What every request passes: faults of ours answered plainly, a content policy, a size limit."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable

from django.conf import settings
from django.db import DataError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from portal.errors import Unavailable
from portal.exchange.storage import StoreUnavailable

logger = logging.getLogger(__name__)

Answer = Callable[[HttpRequest], HttpResponseBase]

FORM_OVERHEAD_BYTES = 64 * 1024  # boundaries and fields around an upload
POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)


def problem_response(
    *, status: int, code: str, title: str, detail: str, retry_after: int | None = None
) -> HttpResponse:
    """An `application/problem+json` answer (RFC 9457)."""
    body = {
        "type": f"{settings.BASE_URL}/api/v1/problems#{code}",
        "title": title,
        "status": status,
        "code": code,
        "detail": detail,
    }
    if retry_after is not None:
        body["retry_after"] = retry_after
    response = HttpResponse(
        json.dumps(body), status=status, content_type="application/problem+json"
    )
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response


class FaultsAnswered:
    """503 with Retry-After while the database or a store is away, instead of a traceback.

    A text that the database cannot hold, such as one with U+0000, is the sender's: 400.
    """

    RETRY_AFTER = 5  # seconds

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
                status=400,
                code="request.malformed",
                title="This request could not be read",
                detail="It holds a character that cannot be stored, such as U+0000. "
                "Nothing was stored.",
            )
        if not isinstance(exception, OperationalError | InterfaceError | StoreUnavailable):
            return None
        logger.error("a service is away: %s", exception)
        return problem_response(
            status=Unavailable.status,
            code=Unavailable.code,
            title=Unavailable.title,
            detail="A service of this site is away. Nothing was lost; the same request "
            "with the same Idempotency-Key can be sent again.",
            retry_after=self.RETRY_AFTER,
        )


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
                status=415,
                code="policy.encoding",
                title="Compressed requests are not read here",
                detail="Send the file as it is, without Content-Encoding.",
            )
        stated = request.headers.get("Content-Length", "")
        if stated.isdecimal() and int(stated) > settings.MAX_UPLOAD_BYTES + FORM_OVERHEAD_BYTES:
            return problem_response(
                status=413,
                code="policy.too_large",
                title="The file is too large",
                detail=f"The request has {stated} bytes; a file may have "
                f"{settings.MAX_UPLOAD_BYTES} bytes at most.",
            )
        return self.get_response(request)
