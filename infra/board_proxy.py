"""The way to the board: a streaming reverse proxy that lets no identity through.

It must know nothing about people: what could tell one reader from another stays outside.
The content policy of the board's pages is the board's own and passes as it is.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from urllib.parse import quote

import httpx

from infra.asgi import Headers, Receive, Scope, Send, answer_problem

PREFIX = "/board"
METHODS = {"GET", "HEAD", "POST"}

# Gradio opens these to anybody: uploads, files of the server, editors of the running program.
CLOSED_ROUTES = {"login", "logout", "monitoring"}
CLOSED_API = {
    "component_server",
    "custom_component",
    "deep_link",
    "dev",
    "file",
    "mcp",
    "process_recording",
    "profiling",
    "proxy",
    "run-history",
    "runs",
    "stream",
    "undo-vibe-edit",
    "upload",
    "upload_progress",
    "vibe-code",
    "vibe-edit",
    "vibe-starter-queries",
}

HOP_BY_HOP = {
    b"connection",
    b"keep-alive",
    b"proxy-authenticate",
    b"proxy-authorization",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
}
KEPT_OUT = HOP_BY_HOP | {b"authorization", b"cookie", b"forwarded", b"x-real-ip", b"host"}
KEPT_IN = HOP_BY_HOP | {
    b"access-control-allow-credentials",
    b"server",
    b"date",
    b"set-cookie",
    b"set-cookie2",
}


class BoardProxy:
    """Passes `/board/…` on to the process at `url`, both ways as it comes."""

    def __init__(self, url: str, *, is_known_host: Callable[[str], bool]) -> None:
        """Args:
        url: where the board listens, `http://127.0.0.1:7861`.
        is_known_host: whether a Host header names this site; the board builds links from it.
        """
        self._url = url.rstrip("/")
        self._is_known_host = is_known_host
        self._client = httpx.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            # Gradio's event streams say something every 15 seconds.
            timeout=httpx.Timeout(60.0, connect=2.0, pool=10.0),
            # The board closes an idle connection after 5 seconds: be the first to.
            limits=httpx.Limits(
                max_connections=400, max_keepalive_connections=40, keepalive_expiry=2.0
            ),
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = next((v.decode("latin-1") for k, v in scope["headers"] if k == b"host"), "")
        if not self._is_known_host(host):
            await answer_problem(scope, send, "policy.host", "Open the site by its own address.")
            return
        if scope["method"] not in METHODS:
            detail = "The board is for reading: pages are fetched with GET."
            await answer_problem(scope, send, "input.method", detail)
            return
        if is_closed(scope["path"]):
            await answer_problem(scope, send, "policy.not_found", "The boards are at /board/.")
            return
        request = self._client.build_request(
            scope["method"],
            self._target(scope),
            headers=_request_headers(scope, host),
            content=_body(receive) if scope["method"] == "POST" else None,
        )
        try:
            response = await self._client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            detail = "It is starting, which takes a few seconds; this page tries again by itself."
            await answer_problem(scope, send, "infra.board", detail)
            return
        except _ClientGone:
            return
        except (httpx.HTTPError, httpx.InvalidURL):
            detail = "It may be restarting; this page tries again by itself."
            await answer_problem(scope, send, "infra.board", detail)
            return
        try:
            await _pass_back(response, receive, send)
        finally:
            await response.aclose()

    def _target(self, scope: Scope) -> str:
        path = quote(scope["path"].removeprefix(PREFIX) or "/", safe="/=:@!$&'()*+,;~-._")
        query = scope["query_string"].decode("latin-1")
        return f"{self._url}{path}" + (f"?{query}" if query else "")


def is_closed(path: str) -> bool:
    """Whether a path, decoded, leads to a route that stays shut.

    Odd spellings are shut as well, so that no two readers of a path can disagree about it.
    """
    parts = path.removeprefix(PREFIX).split("/")[1:]
    if any(part in {".", ".."} for part in parts) or "" in parts[:-1]:
        return True
    if re.search(r"[\\%\x00-\x1f\x7f]", path):
        return True
    head = parts[0].lower()
    if head == "gradio_api" and len(parts) > 1:
        return re.split("[=;]", parts[1].lower(), maxsplit=1)[0] in CLOSED_API
    return head in CLOSED_ROUTES


def _request_headers(scope: Scope, host: str) -> Headers:
    kept = [
        (name, value)
        for name, value in scope["headers"]
        if name not in KEPT_OUT and not name.startswith(b"x-forwarded-")
    ]
    scheme = scope.get("scheme", "http").encode()
    return [*kept, (b"host", host.encode("latin-1")), (b"x-forwarded-proto", scheme)]


class _ClientGone(Exception):
    """The reader left before the whole request had arrived."""


async def _body(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _ClientGone
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return


async def _pass_back(response: httpx.Response, receive: Receive, send: Send) -> None:
    """Copy the answer until it ends or its reader leaves; a heartbeat would never end by itself."""
    copying = asyncio.create_task(_copy(response, send))
    leaving = asyncio.create_task(_until_gone(receive))
    try:
        await asyncio.wait({copying, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        copying.cancel()
        leaving.cancel()
        await asyncio.gather(copying, leaving, return_exceptions=True)


async def _copy(response: httpx.Response, send: Send) -> None:
    """Every piece at once, so that event streams arrive as they are sent.

    Where the board breaks off, so does the answer: the end is not sent.
    """
    headers: Headers = [
        (name.lower(), value) for name, value in response.headers.raw if name.lower() not in KEPT_IN
    ]
    safety = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"same-origin")]
    headers += [pair for pair in safety if pair[0].decode() not in response.headers]
    start = {"type": "http.response.start", "status": response.status_code, "headers": headers}
    await send(start)
    with suppress(httpx.HTTPError):
        async for piece in response.aiter_raw():
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
