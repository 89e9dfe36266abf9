"""The few ASGI shapes that the gateway's parts share, and plain answers."""

from __future__ import annotations

import html
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from portal.codes import address_of, refusal_of

# Any: the values of ASGI messages are of many types by specification.
Message = Mapping[str, Any]
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


def header(scope: Scope, name: bytes) -> str:
    """The first value of a request header; empty where it is absent."""
    for key, value in scope["headers"]:
        if key == name:
            return str(value.decode("latin-1"))
    return ""


def wants_json(scope: Scope) -> bool:
    """Whether a program asks: the API's paths, and whoever does not accept HTML."""
    return scope["path"].startswith("/api/") or "text/html" not in header(scope, b"accept")


async def answer(
    send: Send, status: int, body: bytes, content_type: str, headers: Iterable[tuple[bytes, bytes]]
) -> None:
    """A whole answer at once."""
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", content_type.encode()),
                (b"content-length", str(len(body)).encode()),
                (b"x-content-type-options", b"nosniff"),
                (b"cache-control", b"no-store"),
                *headers,
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})


async def answer_problem(
    scope: Scope, send: Send, code: str, detail: str, *, retry_after: int | None = None
) -> None:
    """A refusal: problem details (RFC 9457) for programs, a small page for people.

    Args:
        code: of the closed list, which knows the status and the title.
        detail: this case in a sentence.
        retry_after: seconds after which trying again makes sense, where this case knows
            better than the list; the page does so itself.
    """
    entry, status = refusal_of(code)
    retry_after = entry.retry_after if retry_after is None else retry_after
    headers: Headers = [] if retry_after is None else [(b"retry-after", b"%d" % retry_after)]
    if status in {400, 408, 413}:
        # The rest of the request was not read: nothing after it can be trusted.
        headers.append((b"connection", b"close"))
    if wants_json(scope):
        problem = {
            "type": address_of(code),
            "title": entry.title,
            "status": status,
            "code": code,
            "detail": detail,
            "remedy": entry.remedy,
            **({} if retry_after is None else {"retry_after": retry_after}),
        }
        await answer(
            send, status, json.dumps(problem).encode(), "application/problem+json", headers
        )
        return
    again = "" if retry_after is None else f'<meta http-equiv="refresh" content="{retry_after}">'
    page = PAGE.format(
        again=again,
        title=html.escape(entry.title),
        detail=html.escape(detail),
        code=html.escape(code),
        about=html.escape(address_of(code)),
    )
    await answer(send, status, page.encode(), "text/html; charset=utf-8", headers)


PAGE = """<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">{again}
<title>{title} · Plumbline</title><link rel="stylesheet" href="/static/site/look.css"></head>
<body class="pl"><main class="pl-main"><h1>{title}</h1><p>{detail}</p>
<p>Code <a href="{about}"><code>{code}</code></a></p>
<p><a href="/submissions/">My submissions</a> · <a href="/api/v1/docs">API</a></p></main>
</body></html>
"""
