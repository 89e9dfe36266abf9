"""Every request has a name, and the lines of its log carry it."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from portal import logs

logger = logging.getLogger(__name__)

HEADER = "X-Request-ID"
SUBMISSIONS = "/submissions"  # in the addresses of pages and API alike
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# What a proxy in front may call a request; anything else is given another name.
_HARMLESS = re.compile(r"[A-Za-z0-9._-]{8,64}")


class NamedRequests:
    """Takes the name that a request came with if it is harmless, else makes one.

    The name goes back in the answer. A line tells how each request ended that wanted to
    change something.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "")
        name = given if _HARMLESS.fullmatch(given) else uuid.uuid4().hex
        began = time.monotonic()
        logs.begin_request(name)
        response = self.get_response(request)
        if request.method not in SAFE_METHODS:
            where = request.resolver_match.route if request.resolver_match else "nowhere"
            ms = 1000 * (time.monotonic() - began)
            logger.info("%s %s: %d in %.0f ms", request.method, where, response.status_code, ms)
        response.headers[HEADER] = name
        return response

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        """A request about a submission says so."""
        id_ = kwargs.get("submission_id") or kwargs.get("id")
        if id_ is not None and f"{SUBMISSIONS}/" in request.path:
            with suppress(ValueError):
                logs.concern(submission=uuid.UUID(str(id_)))
