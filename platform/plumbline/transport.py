"""How a site is asked: who is asking, what is asked again, what is remembered."""

from __future__ import annotations

import functools
import random
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

import httpx

import plumbline
from plumbline.addresses import is_loopback
from plumbline.answers import Json, document, raise_for_refusal, retry_after, unreachable
from plumbline.errors import NotSignedIn

API = "/api/v1"
BUSY = frozenset({502, 503, 504})  # the site, or what stands before it, is restarting
PAUSES = (0.2, 0.4, 0.8)  # seconds before a second, third and fourth try
PATIENCE = 6.0  # seconds of pauses in all; a longer Retry-After is the caller's business
CONNECT_SECONDS = 5.0
MAX_REMEMBERED = 64  # documents kept with their ETag

Query = Mapping[str, str | None]


class Transport:
    """Requests to one site in the name of one token, or of nobody. Threads may share it."""

    def __init__(self, site: str, token: str | None, timeout: float) -> None:
        self.site = site
        self.host = urlsplit(site).netloc
        self._token = token
        self._remembered: OrderedDict[str, tuple[str, Json]] = OrderedDict()
        self._lock = threading.Lock()
        self._http = httpx.Client(
            base_url=site + API,
            headers={"User-Agent": f"plumbline/{plumbline.version()}"},
            timeout=httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
            # A proxy of the environment cannot reach this machine's own addresses.
            trust_env=not is_loopback(site),
        )
        # Any argument of httpx.Client.build_request.
        self.build = self._http.build_request

    def close(self) -> None:
        self._http.close()

    def request(
        self,
        method: str,
        path: str,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Request:
        """A request of the token's owner; what is None in the query is left out."""
        params = {key: value for key, value in (query or {}).items() if value is not None}
        headers = {**(headers or {}), **self.identity()}
        return self._http.build_request(method, path, params=params, headers=headers)

    def identity(self) -> dict[str, str]:
        """The header that says who is asking."""
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}

    def get(self, path: str, query: Query | None = None) -> Json:
        """A document; one that came with an ETag is asked for again by it."""
        key = f"{path}?{query}"
        with self._lock:
            etag, remembered = self._remembered.get(key, ("", None))
        headers = {"If-None-Match": etag} if remembered is not None else {}
        response = self.send(lambda: self.request("GET", path, query, headers))
        if remembered is not None and response.status_code == httpx.codes.NOT_MODIFIED:
            return remembered
        answer = self.document(response)
        if "ETag" in response.headers:
            with self._lock:
                self._remembered[key] = (response.headers["ETag"], answer)
                self._remembered.move_to_end(key)
                while len(self._remembered) > MAX_REMEMBERED:
                    self._remembered.popitem(last=False)
        return answer

    def ask(
        self,
        method: str,
        path: str,
        query: Query | None = None,
        read: Callable[[httpx.Response], object] = httpx.Response.read,
        *,
        repeatable: bool = True,
    ) -> httpx.Response:
        """A good answer, as `send` gets it; a refusal is raised."""
        prepare = functools.partial(self.request, method, path, query)
        response = self.send(prepare, read, repeatable=repeatable)
        self.check(response)
        return response

    def send(
        self,
        prepare: Callable[[], httpx.Request],
        read: Callable[[httpx.Response], object] = httpx.Response.read,
        *,
        repeatable: bool = True,
    ) -> httpx.Response:
        """The answer to a request, asked again while that is safe and may help.

        Args:
            prepare: a fresh request for each try.
            read: takes the body in; by default into memory.
            repeatable: whether asking twice does no more than asking once. A
                connection that never stood is tried again in any case; a site
                that is too slow is left in peace.

        Raises:
            ServerUnreachable: no answer came.
        """
        waited = 0.0
        for pause in (*PAUSES, None):
            try:
                response = self._http.send(prepare(), stream=True)
                try:
                    read(response)
                finally:
                    response.close()
            except httpx.RequestError as error:
                may_help = isinstance(error, httpx.ConnectError) or (
                    repeatable and not isinstance(error, httpx.TimeoutException)
                )
                if pause is None or not may_help:
                    raise unreachable(error, self.host) from error
            else:
                if pause is None or not (repeatable and response.status_code in BUSY):
                    return response
                pause = max(pause, retry_after(response) or 0.0)
                if waited + pause > PATIENCE:
                    return response
            waited += pause
            time.sleep(pause * random.uniform(0.75, 1.25))  # apart from other clients
        raise AssertionError("the last try returns or raises")

    def document(self, response: httpx.Response) -> Json:
        """The JSON object of a good answer; else the refusal is raised."""
        self.check(response)
        return document(response)

    def check(self, response: httpx.Response) -> None:
        """Raise what a refusal says; one for want of a token says how to log in."""
        try:
            raise_for_refusal(response)
        except NotSignedIn as error:
            how = f"`plumbline login --server {self.site}`"
            sentence = (
                f"{self.host} does not accept this token: it has expired, was revoked or "
                f"belongs to another site. Log in again with {how}."
                if self._token
                else f"{self.host} wants to know who you are. Log in with {how}, "
                "or set PLUMBLINE_TOKEN."
            )
            raise NotSignedIn(sentence, status=error.status, code=error.code) from None
