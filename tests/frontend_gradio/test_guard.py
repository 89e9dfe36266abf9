"""The wall, with Gradio behind it and no proxy in front."""

from __future__ import annotations

import json

import httpx
import pytest

from frontend_gradio.guard import MAX_ASK_BYTES, POLICY
from tests.frontend_gradio.conftest import Board

JSON = {"Content-Type": "application/json"}
ORIGIN = {"Origin": "https://evil.example.com"}


@pytest.fixture
def client(board: Board) -> httpx.Client:
    return httpx.Client(base_url=board.url, trust_env=False)


def ask(query: str = "") -> bytes:
    return json.dumps(
        {"data": [], "fn_index": 0, "event_data": {"query": query}, "session_hash": "s"}
    ).encode()


@pytest.mark.parametrize("path", ["/", "/system", "/compare", "/about", "/health"])
def test_pages_answer(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code == 200
    assert client.head(path).status_code in {200, 405}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/gradio_api/upload"),
        ("GET", "/gradio_api/upload_progress?upload_id=x"),
        ("GET", "/gradio_api/file=/etc/passwd"),
        ("GET", "/gradio_api/file/etc/passwd"),
        ("GET", "/gradio_api/proxy=http://127.0.0.1:1/"),
        ("GET", "/gradio_api/stream/x/y/z/playlist.m3u8"),
        ("POST", "/gradio_api/stream/x"),
        ("POST", "/gradio_api/component_server"),
        ("POST", "/gradio_api/component_server/"),
        ("GET", "/gradio_api/openapi.json"),
        ("GET", "/gradio_api/info"),
        ("GET", "/gradio_api/runs"),
        ("POST", "/gradio_api/call/answer"),
        ("POST", "/gradio_api/process_recording"),
        ("POST", "/gradio_api/vibe-edit/"),
        ("GET", "/gradio_api/custom_component/x/y/z/w"),
        ("GET", "/monitoring"),
        ("GET", "/monitoring/summary"),
        ("POST", "/login"),
        ("GET", "/logout"),
        ("GET", "/assets/../../../etc/passwd"),
        ("GET", "/house/..%2f..%2fapp.py"),
        ("GET", "/no-such-page"),
    ],
)
def test_what_a_board_does_not_need_does_not_exist(
    client: httpx.Client, method: str, path: str
) -> None:
    assert client.request(method, path).status_code == 404


@pytest.mark.parametrize(("method", "path"), [("POST", "/"), ("DELETE", "/about")])
def test_pages_are_only_read(client: httpx.Client, method: str, path: str) -> None:
    assert client.request(method, path).status_code == 405


def test_the_same_pages_stand_without_the_prefix(board: Board) -> None:
    bare = board.url.removesuffix("/board")
    assert httpx.get(f"{bare}/about").status_code == 200
    assert httpx.get(f"{bare}/gradio_api/upload").status_code == 404


@pytest.mark.parametrize("path", ["/", "/config", "/theme.css", "/house/board.js"])
def test_no_cookie_and_no_cross_origin_permission_leaves(client: httpx.Client, path: str) -> None:
    answer = client.get(path, headers=ORIGIN | {"Cookie": "sessionid=x"})
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert answer.headers.get_list("content-security-policy") == [POLICY]


def test_a_preflight_gets_no_permission(client: httpx.Client) -> None:
    asked = ORIGIN | {"Access-Control-Request-Method": "POST", "Host": "board.example.org"}
    answer = client.options("/gradio_api/run/predict", headers=asked)
    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("name", ["call/answer", "run/predict", "queue/join"])
def test_a_page_of_another_site_calls_nothing(
    client: httpx.Client, board: Board, name: str
) -> None:
    """A browser sends text/plain across sites without asking first."""
    board.asked.clear()
    foreign = ORIGIN | {"Content-Type": "text/plain", "Cookie": "sessionid=x"}
    answer = client.post(f"/gradio_api/{name}", content=ask(), headers=foreign)
    assert answer.status_code in {403, 404, 415, 422}
    assert not board.asked


@pytest.mark.parametrize("name", ["X-Forwarded-Host", "X-Gradio-Server"])
def test_no_header_moves_the_site(client: httpx.Client, name: str) -> None:
    assert "evil.example.com" not in client.get("/", headers={name: "evil.example.com"}).text


def test_no_identity_reaches_the_api(client: httpx.Client, board: Board) -> None:
    board.asked.clear()
    answer = client.post(
        "/gradio_api/run/predict",
        content=ask(),
        headers={
            "Content-Type": "application/json",
            "Authorization": "Bearer plb_x",
            "Cookie": "sessionid=x",
        },
    )
    assert answer.status_code == 200 and "Macro-F1" in answer.text
    assert board.asked
    for headers in board.asked:
        assert "authorization" not in headers and "cookie" not in headers


def test_a_second_reader_costs_the_api_no_body(client: httpx.Client, board: Board) -> None:
    for _ in range(2):
        board.asked.clear()
        assert client.post("/gradio_api/run/predict", content=ask(), headers=JSON).is_success
    assert all("if-none-match" in headers for headers in board.asked)


def test_no_more_is_read_than_a_page_asks(client: httpx.Client) -> None:
    long = ask("x" * MAX_ASK_BYTES)
    assert client.post("/gradio_api/run/predict", content=long, headers=JSON).status_code == 413


@pytest.mark.parametrize(
    "event", [None, {}, {"query": {"a": 1}}, {"query": "?track=%00&x"}, [1], {"turn": [[]]}, "x"]
)
def test_whatever_is_asked_gets_a_page(client: httpx.Client, event: object) -> None:
    body = {"data": [], "fn_index": 0, "session_hash": "s", "event_data": event}
    answer = client.post("/gradio_api/run/predict", json=body)
    assert answer.status_code == 200 and "Macro-F1" in answer.text


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"data": [], "fn_index": 99}'])
def test_a_broken_question_tells_nothing_about_the_house(client: httpx.Client, body: bytes) -> None:
    answer = client.post("/gradio_api/run/predict", content=body, headers=JSON)
    assert answer.status_code in {422, 500}
    assert "Traceback" not in answer.text and "frontend_gradio" not in answer.text


@pytest.mark.parametrize("query", ["?page=3", "?deep_link=../x", "?page=system&track=x"])
def test_fields_of_an_address_mean_nothing_to_gradio(client: httpx.Client, query: str) -> None:
    assert client.get("/" + query).status_code == 200


def test_the_document_is_ours(client: httpx.Client) -> None:
    text = client.get("/").text
    assert "raw.githubusercontent" not in text and "@Gradio" not in text
    assert text.index("/board/house/board.js") < text.index('type="module"')
    assert text.index("/board/house/board.css") < text.index("/static/site/look.css")
