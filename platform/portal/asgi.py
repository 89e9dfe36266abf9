"""The portal as an ASGI application."""

from __future__ import annotations

import io
import os
from typing import IO, Any

import django
from django.core.handlers.asgi import ASGIHandler, ASGIRequest

from portal.errors import Unavailable
from portal.outages import outage_of
from portal.site.views import faults
from portal.submissions.uploads import WholeForms

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings.production")


class Request(WholeForms, ASGIRequest):
    """A request over ASGI that takes no half forms."""


class Application(ASGIHandler):
    """Django's own, but a body that finds no room on the disk is answered in words.

    Django spools the body before any view or middleware runs.
    """

    request_class = Request

    # Any: the shapes of ASGI, for which Django ships no types.
    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().handle(scope, receive, send)
        except Unavailable as away:
            request, unreadable = self.create_request(scope, io.BytesIO())
            response = faults.outage(request, away) if request else unreadable
            if response is not None:
                await self.send_response(response, send)

    async def read_body(self, receive: Any) -> IO[Any]:
        try:
            return await super().read_body(receive)
        except OSError as error:
            away = outage_of(error)
            if away is None:
                raise
            raise away from error


django.setup(set_prefix=False)
application = Application()
