"""What a request must satisfy before any application sees it, and while its body flows.

Django under ASGI spools a whole body before the view runs, so the cap must stand in front.
It must not know what the body is for.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from infra.asgi import App, Message, Receive, Scope, Send, answer_problem, header

MAX_HEADERS = 100
PATIENCE_SECONDS = 30.0  # for the next piece of a body
SLOWEST_BYTES_PER_SECOND = 16 * 1024  # a body that is slower on the whole is cut off
LINGER_SECONDS = 2.0  # a refused body is read this long, so that its sender sees the answer


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a body may be: few paths may bring much, the rest little."""

    max_upload_bytes: int
    max_bytes: int = 1024 * 1024
    upload_paths: frozenset[str] = frozenset({"/api/v1/submissions", "/submit"})

    def allowed_bytes(self, scope: Scope) -> int:
        is_upload = scope["method"] == "POST" and scope["path"].rstrip("/") in self.upload_paths
        return self.max_upload_bytes if is_upload else self.max_bytes


class Intake:
    """Passes lawful requests to `app`, counting and timing their bodies."""

    def __init__(self, app: App, limits: Limits) -> None:
        self.app = app
        self.limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        allowed = self.limits.allowed_bytes(scope)
        fault = _fault_of_head(scope, allowed)
        if fault is not None:
            await _refuse(scope, receive, send, fault)
            return
        meter = _Meter(receive, send, allowed)
        await self.app(scope, meter.receive, meter.send)
        if meter.fault is not None and not meter.has_started:
            await _refuse(scope, receive, send, meter.fault)


@dataclass(frozen=True, slots=True)
class _Fault:
    code: str
    detail: str


def _too_large(allowed: int) -> _Fault:
    detail = f"A request to this address may have {allowed} bytes at most."
    return _Fault("policy.too_large", detail)


def _fault_of_head(scope: Scope, allowed: int) -> _Fault | None:
    names = [name for name, _ in scope["headers"]]
    if len(names) > MAX_HEADERS:
        detail = f"At most {MAX_HEADERS} headers are read."
        return _Fault("policy.headers", detail)
    stated = header(scope, b"content-length")
    if (stated and b"transfer-encoding" in names) or names.count(b"content-length") > 1:
        detail = "Send Content-Length once, or Transfer-Encoding, not both."
        return _Fault("policy.framing", detail)
    if header(scope, b"content-encoding").strip().lower() not in {"", "identity"}:
        detail = "Send the file as it is, without Content-Encoding."
        return _Fault("policy.encoding", detail)
    if stated and not stated.isdecimal():
        return _Fault("policy.framing", "Content-Length is not a number.")
    return _too_large(allowed) if stated and int(stated) > allowed else None


class _Meter:
    """Counts and times a body; past a limit the application sees a client that has gone."""

    def __init__(self, receive: Receive, send: Send, allowed: int) -> None:
        self._receive = receive
        self._send = send
        self._allowed = allowed
        self._n_bytes = 0
        self._began = time.monotonic()
        self._is_complete = False
        self.fault: _Fault | None = None
        self.has_started = False

    async def receive(self) -> Message:
        if self._is_complete:
            return await self._receive()
        if self.fault is not None:
            return {"type": "http.disconnect"}
        try:
            async with asyncio.timeout(self._patience()):
                message = await self._receive()
        except TimeoutError:
            detail = "The body of the request came too slowly, or not at all."
            return self._cut(_Fault("policy.slow", detail))
        if message["type"] == "http.request":
            self._n_bytes += len(message.get("body", b""))
            self._is_complete = not message.get("more_body", False)
            if self._n_bytes > self._allowed:
                return self._cut(_too_large(self._allowed))
        return message

    async def send(self, message: Message) -> None:
        if self.fault is not None and not self.has_started:
            return  # ours is the answer
        self.has_started = True
        await self._send(message)

    def _patience(self) -> float:
        budget = PATIENCE_SECONDS + self._n_bytes / SLOWEST_BYTES_PER_SECOND
        left = budget - (time.monotonic() - self._began)
        return max(0.0, min(PATIENCE_SECONDS, left))

    def _cut(self, fault: _Fault) -> Message:
        self.fault = fault
        return {"type": "http.disconnect"}


async def _refuse(scope: Scope, receive: Receive, send: Send, fault: _Fault) -> None:
    """Answer, then read on for a moment: a reset would take the answer from its reader."""
    end: list[Message] = []

    async def send_but_the_end(message: Message) -> None:
        if message["type"] == "http.response.body":
            end.append({"type": "http.response.body", "body": b""})
            message = {**message, "more_body": True}
        await send(message)

    await answer_problem(scope, send_but_the_end, fault.code, fault.detail)
    try:
        async with asyncio.timeout(LINGER_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    break
    except TimeoutError:
        pass
    for message in end:
        await send(message)
