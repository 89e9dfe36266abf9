"""One origin: what passes to the board and back, and what does not."""

from __future__ import annotations

import asyncio
import json
import time

import httpx
import pytest

from frontend_gradio.guard import POLICY
from infra.asgi import Message, Receive, Scope, Send, answer
from infra.board_proxy import BoardProxy, is_closed
from infra.gateway import Gateway
from tests.infra.conftest import Serve


async def echoing_board(scope: Scope, receive: Receive, send: Send) -> None:
    """Says what it was asked, and tries to set a cookie."""
    if scope["type"] != "http":
        return
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    seen = {
        "path": scope["path"],
        "query": scope["query_string"].decode(),
        "headers": {k.decode(): v.decode() for k, v in scope["headers"]},
        "body": body.decode(),
    }
    headers = [
        (b"set-cookie", b"session=1"),
        (b"access-control-allow-credentials", b"true"),
        (b"access-control-allow-origin", b"https://elsewhere.example"),
        (b"x-of-the-board", b"kept"),
        (b"content-security-policy", POLICY.encode()),
    ]
    await answer(send, 200, json.dumps(seen).encode(), "text/html", headers)


async def portal(scope: Scope, receive: Receive, send: Send) -> None:
    await answer(send, 200, b"the portal", "text/plain", [])


def gateway_to(board_port: int) -> Gateway:
    url = f"http://127.0.0.1:{board_port}"
    return Gateway(portal, BoardProxy(url, is_known_host=lambda host: "evil" not in host))


@pytest.fixture
def site(serve: Serve) -> str:
    return f"http://127.0.0.1:{serve(gateway_to(serve(echoing_board)))}"


def test_root_leads_to_the_board_and_the_rest_to_the_portal(site: str) -> None:
    first = httpx.get(f"{site}/?track=a")
    assert (first.status_code, first.headers["location"]) == (307, "/board/?track=a")
    assert httpx.get(f"{site}/board").headers["location"] == "/board/"
    assert httpx.get(f"{site}/submissions/").text == "the portal"


def test_no_identity_reaches_the_board_and_none_comes_back(site: str) -> None:
    got = httpx.get(
        f"{site}/board/system?benchmark=x&q=%2F",
        headers={
            "Cookie": "sessionid=secret",
            "Authorization": "Bearer plb_secret",
            "X-Forwarded-Host": "evil.example",
            "X-Forwarded-For": "1.2.3.4",
            "Forwarded": "for=1.2.3.4",
            "X-Real-IP": "1.2.3.4",
            "Proxy-Authorization": "Basic secret",
            "Accept-Language": "nl",
        },
    )
    seen = got.json()
    assert (seen["path"], seen["query"]) == ("/system", "benchmark=x&q=%2F")
    assert "secret" not in json.dumps(seen) and "1.2.3.4" not in json.dumps(seen)
    assert "x-forwarded-host" not in seen["headers"]
    assert seen["headers"]["x-forwarded-proto"] == "http"
    assert seen["headers"]["accept-language"] == "nl"
    assert seen["headers"]["host"] == site.removeprefix("http://")
    assert "set-cookie" not in got.headers
    assert "access-control-allow-credentials" not in got.headers
    assert got.headers["x-of-the-board"] == "kept"
    # One policy, the board's: a second header would narrow it.
    assert got.headers.get_list("content-security-policy") == [POLICY]


def test_a_foreign_host_name_does_not_reach_the_board(site: str) -> None:
    assert httpx.get(f"{site}/board/", headers={"Host": "evil.example"}).status_code == 400


def test_a_question_in_a_body_arrives_whole(site: str) -> None:
    got = httpx.post(f"{site}/board/gradio_api/queue/join", json={"data": ["é" * 1000]})
    assert json.loads(got.json()["body"]) == {"data": ["é" * 1000]}


@pytest.mark.parametrize(
    "path",
    [
        "/board/gradio_api/upload",
        "/board/gradio_api/upload?upload_id=1",
        "/board/gradio_api/upload_progress",
        "/board/gradio_api/file=/etc/passwd",
        "/board/gradio_api/file/etc/passwd",
        "/board/gradio_api/proxy=http://169.254.169.254/",
        "/board/gradio_api/stream/1",
        "/board/gradio_api/component_server",
        "/board/gradio_api/component_server/",
        "/board/gradio_api/%75pload",
        "/board/gradio_api//upload",
        "/board//gradio_api/upload",
        "/board/gradio_api/./upload",
        "/board/x/../gradio_api/upload",
        "/board/x/%2e%2e/gradio_api/upload",
        "/board/gradio_api/%2575pload",
        "/board/Gradio_API/Upload",
        "/board/gradio_api/vibe-edit",
        "/board/monitoring",
        "/board/monitoring/summary",
        "/board/login",
    ],
)
def test_closed_routes_are_not_there(site: str, path: str) -> None:
    # httpx would tidy the dots away, so the path goes out as it stands.
    url = httpx.URL(site).copy_with(raw_path=path.encode())
    for method in ("GET", "POST"):
        assert httpx.request(method, url).status_code == 404


@pytest.mark.parametrize(
    "path",
    ["/board/", "/board/system", "/board/config", "/board/assets/index-1.js", "/board/theme.css"]
    + [f"/board/gradio_api/{name}" for name in ("queue/join", "queue/data", "heartbeat/a", "info")],
)
def test_open_routes_stay_open(path: str) -> None:
    assert not is_closed(path)


def test_other_methods_are_refused(site: str) -> None:
    assert httpx.delete(f"{site}/board/").status_code == 405


def test_a_stream_arrives_piece_by_piece_and_ends_with_its_reader(serve: Serve) -> None:
    left = asyncio.Event()

    async def ticking_board(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        await receive()
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        gone = asyncio.create_task(receive())
        while not gone.done():
            await send({"type": "http.response.body", "body": b"data: tick\n\n", "more_body": True})
            await asyncio.sleep(0.2)
        left.set()

    port = serve(gateway_to(serve(ticking_board)))
    began = time.monotonic()
    url = f"http://127.0.0.1:{port}/board/gradio_api/heartbeat/a"
    with httpx.stream("GET", url) as got:
        pieces = got.iter_raw()
        assert [next(pieces), next(pieces)] == [b"data: tick\n\n"] * 2
    assert time.monotonic() - began < 2
    deadline = time.monotonic() + 3
    while not left.is_set() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left.is_set()


def test_a_board_that_is_not_up_yet_is_announced(serve: Serve) -> None:
    site = f"http://127.0.0.1:{serve(gateway_to(1))}"
    page = httpx.get(f"{site}/board/", headers={"Accept": "text/html"})
    assert page.status_code == 503
    assert page.headers["retry-after"] == "2"
    assert 'http-equiv="refresh"' in page.text and "It is starting" in page.text
    problem = httpx.get(f"{site}/board/config")
    assert problem.headers["content-type"] == "application/problem+json"
    assert problem.json()["code"] == "infra.board"


def test_a_board_that_breaks_off_is_a_bad_gateway(serve: Serve) -> None:
    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            raise ConnectionResetError

    async def cut_off(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            start: Message = {"type": "http.response.start", "status": 200, "headers": []}
            await send(start)
            await send({"type": "http.response.body", "body": b"half", "more_body": True})

    site = f"http://127.0.0.1:{serve(gateway_to(serve(cut_off)))}"
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"{site}/board/")
    # A server that answers its own fault is passed on as it is.
    site = f"http://127.0.0.1:{serve(gateway_to(serve(failing)))}"
    assert httpx.get(f"{site}/board/").status_code == 500
