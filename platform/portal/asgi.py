"""The portal as an ASGI application that works in a few threads of its own."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

import django
from django.conf import settings
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, ASGIRequest, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.core.signals import request_started
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from portal.errors import Unavailable
from portal.outages import outage_of
from portal.site.views import faults
from portal.submissions.uploads import WholeForms

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings.production")


WAITING_PER_THREAD = 16  # a request takes a hundredth of a second: the last waits for seconds
BUSY = (
    "More requests are waiting than the site can answer in time. Nothing of this one was kept; "
    "the same request can be sent again."
)


class Request(WholeForms, ASGIRequest):
    """A request over ASGI that takes no half forms."""


class Application(ASGIHandler):
    """Django's own, with other threads, and words for a body that finds no room on the disk.

    Django gives each request a new thread, and so each a new connection to the database,
    which costs more than the request and is refused under load. Here a fixed number of
    threads lives on, each with its connection; more requests wait for their turn, and still
    more are asked to come again. A body is read whole before that, so that a slow sender holds
    no thread.
    """

    request_class = Request

    def __init__(self, n_threads: int) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self._threads = ThreadPoolExecutor(n_threads, thread_name_prefix="request")
        self._n_under_way = 0
        self._most_under_way = n_threads * (1 + WAITING_PER_THREAD)

    # Any: the shapes of ASGI, for which Django ships no types.
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise ValueError(f"the portal speaks HTTP, not {scope['type']}")
        try:
            body = await self.read_body(receive)
            if self._n_under_way >= self._most_under_way:
                body.close()
                raise Unavailable("infra.busy", BUSY)
        except RequestAborted:
            return
        except Unavailable as away:
            request, fault = self.create_request(scope, io.BytesIO())
            await self._send_whole(faults.outage(request, away) if request else fault, send)
            return
        request, fault = self.create_request(scope, body)
        if request is None:
            body.close()
            await self._send_whole(fault, send)
            return
        leaving = asyncio.create_task(receive())
        self._n_under_way += 1
        try:
            response = await self._in_thread(self._work, scope, request)
            if response.streaming:
                response.streaming_content = self._pieces(iter(response), leaving)
            await self.send_response(response, send)
            if response.streaming:
                await self._in_thread(response.close)
        finally:
            self._n_under_way -= 1
            leaving.cancel()

    async def read_body(self, receive: Any) -> IO[Any]:
        try:
            return await super().read_body(receive)
        except OSError as error:
            away = outage_of(error)
            if away is None:
                raise
            raise away from error

    async def _send_whole(self, response: HttpResponseBase | None, send: Any) -> None:
        if response is not None:
            await self.send_response(response, send)

    def _work(self, scope: Any, request: HttpRequest) -> HttpResponseBase:
        """The answer; a whole one is closed here, where its connection was used."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=type(self), scope=scope)
        response = self.get_response(request)
        response._handler_class = type(self)  # type: ignore[attr-defined]  # for its signal
        if not response.streaming:
            response.close()
        return response

    async def _pieces(self, content: Any, leaving: asyncio.Task[Any]) -> AsyncIterator[bytes]:
        """A long answer piece by piece, until its end or until its reader leaves."""
        while not leaving.done():
            piece = await self._in_thread(next, content, None)
            if piece is None:
                return
            yield piece

    async def _in_thread(self, function: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)


django.setup(set_prefix=False)
application = Application(settings.WEB_THREADS)
