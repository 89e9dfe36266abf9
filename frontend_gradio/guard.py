"""The wall around Gradio: what is not on the list below does not exist.

Gradio brings routes that take files, proxy addresses, stream and run code of
components; none of them is needed to show a board. Requests lose whatever
could carry an identity or rewrite the site's address; answers lose cookies
and cross-origin permissions. This holds with or without a proxy in front.
"""

from __future__ import annotations

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGES = r"|system|compare|about"
# The browser keeps the view in the address; Gradio gives meanings of its own to some fields.
WITHOUT_QUERY = re.compile(rf"/(?:{PAGES}|gradio_api/run/\w+)")
READ = re.compile(
    rf"/(?:{PAGES}|theme\.css|config|favicon\.ico|robots\.txt|manifest\.json|health"
    r"|(?:assets|static|house)/[\w.+/@-]+"
    r"|gradio_api/(?:heartbeat/\w+|startup-events|queue/data))"
)
ASK = re.compile(r"/gradio_api/(?:run/\w+|queue/join)")
FORBIDDEN_SEGMENT = ".."

KEPT_HEADERS = frozenset(
    {
        b"host",
        b"accept",
        b"accept-encoding",
        b"accept-language",
        b"cache-control",
        b"content-length",
        b"content-type",
        b"if-modified-since",
        b"if-none-match",
        b"range",
        b"transfer-encoding",
        b"user-agent",
        b"x-forwarded-proto",
    }
)
MAX_ASK_BYTES = 64 * 1024

# Gradio compiles its templates in the browser, hence unsafe-eval; no host but our own.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'self'"
)


class Guard:
    """Passes what a reader of boards needs to `app`, under `root_path` or bare."""

    def __init__(self, app: ASGIApp, root_path: str = "") -> None:
        self._app = app
        self._root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await _close(receive, send)
            return
        path = self._path(scope["path"])
        status = _refusal(scope["method"], path) or _excess(scope)
        if status is not None:
            await PlainTextResponse(_WORDS[status], status)(scope, receive, send)
            return
        cleaned = dict(
            scope,
            path=path,
            raw_path=path.encode(),
            query_string=b"" if WITHOUT_QUERY.fullmatch(path) else scope["query_string"],
            root_path="",
            headers=[pair for pair in scope["headers"] if pair[0].lower() in KEPT_HEADERS],
        )
        await self._app(cleaned, _capped(receive), _washed(send))

    def _path(self, path: str) -> str:
        if self._root_path and (path + "/").startswith(self._root_path + "/"):
            path = path.removeprefix(self._root_path) or "/"
        return path


_WORDS = {
    404: "There is nothing here.\n",
    405: "This address cannot be asked that way.\n",
    413: "No page asks that much at once.\n",
}


def _refusal(method: str, path: str) -> int | None:
    """404 for what is not on the list, 405 for a wrong way of asking, None if it may pass."""
    if FORBIDDEN_SEGMENT in path.split("/"):
        return 404
    if READ.fullmatch(path):
        return None if method in {"GET", "HEAD"} else 405
    if ASK.fullmatch(path):
        return None if method == "POST" else 405
    return 404


def _excess(scope: Scope) -> int | None:
    """413 for a body that is announced as longer than any question of a page."""
    length = Headers(scope=scope).get("content-length", "0")
    return None if length.isdecimal() and int(length) <= MAX_ASK_BYTES else 413


def _capped(receive: Receive) -> Receive:
    """The request's body, cut off where it grows too long without having said so."""
    taken = 0

    async def take() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            if taken > MAX_ASK_BYTES:
                return {"type": "http.disconnect"}
        return message

    return take


def _washed(send: Send) -> Send:
    """Answers without cookies and cross-origin permissions, with our policy."""

    async def give(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message.get("headers", [])))
            for name in list(headers.keys()):
                if name == "set-cookie" or name.startswith("access-control-"):
                    del headers[name]
            headers["content-security-policy"] = POLICY
            headers["x-content-type-options"] = "nosniff"
            headers["referrer-policy"] = "same-origin"
            message = dict(message, headers=headers.raw)
        await send(message)

    return give


async def _close(receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.close", "code": 1008})
