"""A site that answers from a table: what was asked of it can be read afterwards."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

API = "/api/v1"


@dataclass(frozen=True)
class Answer:
    """One scripted answer; `breaks_off` sends half of the body and hangs up."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    breaks_off: bool = False


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


class ScriptedSite:
    """Answers each route from its list of answers; the last one stays."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self._answers: dict[str, list[Answer]] = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_request(self) -> None:
                parts = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                site.received.append(
                    Received(self.command, parts.path, parts.query, dict(self.headers), body)
                )
                answer = site.next_answer(f"{self.command} {parts.path.removeprefix(API)}")
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                if answer.breaks_off:
                    self.wfile.write(answer.body[: len(answer.body) // 2])
                    self.close_connection = True
                elif answer.status != 304:
                    self.wfile.write(answer.body)

            do_GET = do_POST = do_PUT = do_DELETE = handle_request  # noqa: N815  # names of http.server

            def log_message(self, *_: object) -> None:
                """Tests read `received` instead."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def answers(self, route: str, *answers: Answer) -> None:
        """What `GET /benchmarks` and the like get, one after another."""
        self._answers[route] = list(answers)

    def next_answer(self, route: str) -> Answer:
        answers = self._answers.get(route)
        if not answers:
            return problem(404, "policy.not_found", f"no answer is scripted for {route}")
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def requests(self, method: str, path: str) -> list[Received]:
        return [r for r in self.received if (r.method, r.path) == (method, API + path)]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def ok(value: object, status: int = 200, **headers: str) -> Answer:
    """A JSON answer."""
    return Answer(
        status, json.dumps(value).encode(), {"Content-Type": "application/json", **headers}
    )


def problem(status: int, code: str, detail: str, **more: Any) -> Answer:
    """A problem+json answer. Any: whatever members the case needs."""
    body = {"title": "Refused", "status": status, "code": code, "detail": detail}
    return Answer(
        status,
        json.dumps({**body, **more}).encode(),
        {"Content-Type": "application/problem+json"},
    )
