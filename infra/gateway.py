"""One origin, one port: the portal for everything, and the board below `/board/`.

Started as `uvicorn infra.gateway:application`, with the portal's own environment and
`PLUMBLINE_BOARD_URL`, the address of the board's process.
"""

from __future__ import annotations

import logging
import os

from django.conf import settings
from django.http.request import validate_host

from infra.asgi import App, Receive, Scope, Send, answer
from infra.board_proxy import PREFIX, BoardProxy
from infra.intake import Intake, Limits
from portal.asgi import application as portal_application

# A line for every request that is passed on says nothing.
logging.getLogger("httpx").setLevel(logging.WARNING)

FORM_BYTES = 64 * 1024  # boundaries and fields around an uploaded file


class Gateway:
    """Chooses between portal and board by path, and ends with the server."""

    def __init__(self, portal: App, board: BoardProxy) -> None:
        self._portal = portal
        self._board = board

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        elif scope["path"] in {"/", PREFIX}:
            query = scope["query_string"]
            target = f"{PREFIX}/".encode() + (b"?" + query if query else b"")
            await answer(send, 307, b"", "text/plain", [(b"location", target)])
        elif scope["path"].startswith(f"{PREFIX}/"):
            await self._board(scope, receive, send)
        else:
            await self._portal(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._board.close()
        await send({"type": "lifespan.shutdown.complete"})


def _is_known_host(host: str) -> bool:
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    return validate_host(name, settings.ALLOWED_HOSTS)


application = Intake(
    Gateway(
        portal_application,
        BoardProxy(
            os.environ.get("PLUMBLINE_BOARD_URL", "http://127.0.0.1:7861"),
            is_known_host=_is_known_host,
        ),
    ),
    Limits(max_upload_bytes=settings.MAX_UPLOAD_BYTES + FORM_BYTES),
)
