"""Gradio's page document in the house's dress: our head, without its maker's adverts.

Style and script stand in the document itself, so they load beside Gradio's
own files and in a known order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frontend_gradio.markup import Safe, join, tag

ADVERTS = re.compile(
    rb"""<meta\s+(?:property|name)="(?:og|twitter):[^>]*>\s*|<link rel="manifest"[^>]*>\s*"""
)
PAGES = frozenset({"/", "/system", "/compare", "/about"})
SCRIPTS = ("board", "table")
NO_SCRIPT = (
    "body::before{content:'The board needs JavaScript. The API serves the same numbers as JSON "
    "and CSV: see /api/v1/docs.';padding:2rem}"
)


@dataclass(frozen=True, slots=True)
class Dress:
    """What goes into every page's document: at the start of its head, and at its end."""

    start: bytes
    end: bytes


def house_dress(root_path: str) -> Dress:
    """Our script before Gradio's, our styles after its own; the shared look rules them all."""
    start = join(
        tag("title", "Boards · Plumbline"),
        *(tag("script", src=f"{root_path}/house/{name}.js", defer=True) for name in SCRIPTS),
    )
    end = join(
        tag("link", rel="stylesheet", href=f"{root_path}/house/board.css"),
        tag("link", rel="stylesheet", href="/static/site/look.css"),
        tag("link", rel="icon", href=f"{root_path}/house/mark.svg", type="image/svg+xml"),
        tag("noscript", tag("style", Safe(NO_SCRIPT))),
    )
    return Dress(start.encode(), end.encode())


class Dressed:
    """Serves `app`, with the pages' documents dressed."""

    def __init__(self, app: ASGIApp, dress: Dress) -> None:
        self._app = app
        self._dress = dress

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in PAGES:
            await self._app(scope, receive, send)
            return
        plain = [pair for pair in scope["headers"] if pair[0].lower() != b"accept-encoding"]
        await self._app(dict(scope, headers=plain), receive, self._dressing(send))

    def _dressing(self, send: Send) -> Send:
        start: Message = {}
        body = bytearray()

        async def give(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            if message["type"] != "http.response.body":
                await send(message)
                return
            body.extend(message.get("body", b""))
            if message.get("more_body"):
                return
            document = dressed(bytes(body), self._dress)
            headers = MutableHeaders(raw=list(start["headers"]))
            if body:  # the answer to HEAD has none
                headers["content-length"] = str(len(document))
            await send(dict(start, headers=headers.raw))
            await send({"type": "http.response.body", "body": document})

        return give


def dressed(document: bytes, dress: Dress) -> bytes:
    """The document without adverts, and with our lines in its head."""
    plain = ADVERTS.sub(b"", document)
    return plain.replace(b"<head>", b"<head>" + dress.start, 1).replace(
        b"</head>", dress.end + b"</head>", 1
    )
