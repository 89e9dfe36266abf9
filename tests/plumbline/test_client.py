"""Promises of the client: what it asks, what it repeats, what it says of faults."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline import transport
from plumbline.client import (
    AddressInvalid,
    AnswerNotUnderstood,
    ApiError,
    Client,
    NotFound,
    NotSignedIn,
    ServerUnreachable,
)
from tests.plumbline.scripted_site import Answer, ScriptedSite, ok, problem

BUSY = Answer(503, b"<html>restarting</html>")
BOARD = "/boards/sample-hoi/1/target-box"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "PAUSES", (0.01, 0.01, 0.01))


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def test_addresses_are_quoted_and_answers_come_back(site: ScriptedSite) -> None:
    site.answers("GET /benchmarks", ok({"benchmarks": [{"name": "a"}]}))
    site.answers("GET /benchmarks/a%2Fb/versions/1", ok({"version": "1"}))
    site.answers("GET /comparisons/a/1/t", ok({"differences": []}))
    client = Client(f"{site.url}/")
    assert client.benchmarks() == [{"name": "a"}]
    assert client.version("a/b", "1") == {"version": "1"}
    assert client.compare("a", "1", "t", "x y", "z") == {"differences": []}
    assert site.received[-1].query == "first=x+y&second=z"
    assert "Authorization" not in site.received[-1].headers


def test_an_unchanged_board_is_sent_once(site: ScriptedSite) -> None:
    site.answers(f"GET {BOARD}", ok({"rows": [1]}, ETag='"one"'), Answer(304))
    client = Client(site.url)
    first = client.board("sample-hoi", "1", "target-box")
    assert client.board("sample-hoi", "1", "target-box") is first
    assert [r.headers.get("If-None-Match") for r in site.received] == [None, '"one"']


def test_a_changed_board_replaces_the_remembered_one(site: ScriptedSite) -> None:
    site.answers(
        f"GET {BOARD}",
        ok({"rows": [1]}, ETag='"one"'),
        ok({"rows": [2]}, ETag='"two"'),
        Answer(304),
    )
    client = Client(site.url)
    for expected in (1, 2, 2):
        assert client.board("sample-hoi", "1", "target-box") == {"rows": [expected]}
    assert site.received[-1].headers["If-None-Match"] == '"two"'


def test_what_is_remembered_is_bounded(site: ScriptedSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MAX_REMEMBERED", 2)
    client = Client(site.url)
    for name in ("a", "b", "c", "a"):
        site.answers(f"GET /benchmarks/{name}", ok({"name": name}, ETag=f'"{name}"'))
        assert client.benchmark(name) == {"name": name}
    assert "If-None-Match" not in site.received[-1].headers


def test_reads_are_repeated_while_the_site_restarts(site: ScriptedSite) -> None:
    site.answers("GET /me", BUSY, Answer(502), ok({"username": "ada"}))
    assert Client(site.url, "plb_x").me() == {"username": "ada"}
    assert len(site.received) == 3


def test_a_site_that_stays_away_is_an_error_of_its_own(site: ScriptedSite) -> None:
    site.answers("GET /me", BUSY)
    with pytest.raises(ApiError) as caught:
        Client(site.url, "plb_x").me()
    assert caught.value.status == 503
    assert len(site.received) == 4


def test_a_long_retry_after_is_left_to_the_caller(site: ScriptedSite) -> None:
    site.answers("GET /me", Answer(503, b"", {"Retry-After": "60"}))
    with pytest.raises(ApiError) as caught:
        Client(site.url, "plb_x").me()
    assert caught.value.retry_after == 60
    assert len(site.received) == 1


def test_an_upload_is_repeated_whole_with_one_key(site: ScriptedSite, tmp_path: Path) -> None:
    file = tmp_path / "predictions.json"
    file.write_bytes(b'{"predictions": []}' * 1000)
    site.answers("POST /submissions", BUSY, ok({"id": "1", "state": "waiting"}, 202))
    answer = Client(site.url, "plb_x").submit(
        file, benchmark="b@1", track="t", system="S", publish=True, facets={"kind": "fine-tuned"}
    )
    assert answer["id"] == "1"
    first, second = site.received
    assert first.headers["Idempotency-Key"] == second.headers["Idempotency-Key"]
    assert first.headers["Authorization"] == "Bearer plb_x"
    for request in (first, second):
        assert request.body.count(file.read_bytes()) == 1
        for part in (b'name="file"; filename="predictions.json"', b"b@1", b'"fine-tuned"', b"true"):
            assert part in request.body


def test_two_uploads_have_two_keys_and_a_given_key_is_kept(site: ScriptedSite) -> None:
    site.answers("POST /submissions", ok({"id": "1"}, 202))
    client = Client(site.url, "plb_x")
    for key in (None, None, "mine"):
        client.submit(b"{}", benchmark="b", track="t", system="S", idempotency_key=key)
    keys = [request.headers["Idempotency-Key"] for request in site.received]
    assert len(set(keys)) == 3
    assert keys[2] == "mine"


def test_publishing_and_signing_in_are_not_repeated(site: ScriptedSite) -> None:
    site.answers("POST /submissions/1/publish", BUSY)
    site.answers("POST /tokens", BUSY)
    client = Client(site.url, "plb_x")
    with pytest.raises(ApiError):
        client.publish("1")
    with pytest.raises(ApiError):
        client.login("ada", "secret", "laptop")
    assert len(site.received) == 2


def test_a_refused_connection_says_which_host_and_what_to_try() -> None:
    port = closed_port()
    with pytest.raises(ServerUnreachable) as caught:
        Client(f"http://127.0.0.1:{port}").benchmarks()
    assert caught.value.host == f"127.0.0.1:{port}"
    assert f"127.0.0.1:{port} refuses the connection" in caught.value.sentence
    assert "Is the site running" in caught.value.sentence


def test_a_site_that_does_not_answer_in_time_says_so() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with pytest.raises(ServerUnreachable, match="did not answer in time"):
            Client(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=0.05).benchmarks()


@pytest.mark.parametrize(
    "address", ["localhost:8000", "", "ftp://host", "http://a:b@host", "http://h:99999"]
)
def test_an_address_that_is_none_is_said_at_once(address: str) -> None:
    with pytest.raises(AddressInvalid, match="not the address of a site"):
        Client(address)


@pytest.mark.parametrize("body", [b"<html>hello</html>", b"[1]", b"\xff\xfe", b"", b"[" * 100_000])
def test_a_garbage_body_is_not_taken_for_an_answer(site: ScriptedSite, body: bytes) -> None:
    site.answers("GET /me", Answer(200, body))
    with pytest.raises(AnswerNotUnderstood, match="Is this the address of a Plumbline site"):
        Client(site.url, "plb_x").me()


def test_a_redirect_is_told_and_never_followed(site: ScriptedSite) -> None:
    site.answers("GET /me", Answer(301, b"", {"Location": "https://elsewhere.example/"}))
    with pytest.raises(AnswerNotUnderstood, match="redirects to https://elsewhere"):
        Client(site.url, "plb_x").me()


def test_an_unknown_token_says_how_to_log_in_again(site: ScriptedSite) -> None:
    site.answers("GET /me", problem(401, "unknown_token", "no such token"))
    with pytest.raises(NotSignedIn) as caught:
        Client(site.url, "plb_old").me()
    assert "expired" in caught.value.sentence
    assert f"plumbline login --server {site.url}" in caught.value.sentence
    assert "plb_old" not in caught.value.sentence


def test_no_token_says_how_to_log_in(site: ScriptedSite) -> None:
    site.answers("GET /me", problem(401, "not_signed_in", "sign in"))
    with pytest.raises(NotSignedIn, match="PLUMBLINE_TOKEN"):
        Client(site.url).me()


def test_a_wrong_password_is_told_in_the_sites_words(site: ScriptedSite) -> None:
    site.answers("POST /tokens", problem(401, "policy.sign_in", "Name or password is wrong."))
    with pytest.raises(ApiError, match="Name or password is wrong"):
        Client(site.url).login("ada", "no", "laptop")


def test_problems_of_a_file_arrive_with_their_places(site: ScriptedSite) -> None:
    found = {
        "code": "UNKNOWN_ID",
        "where": "/predictions/3/question_id",
        "found": '"x"',
        "wanted": "a question of track t",
        "hint": "",
    }
    site.answers(
        "POST /submissions",
        problem(422, "input.UNKNOWN_ID", "2 problems.", problems=[found], n_problems=2),
    )
    with pytest.raises(ApiError) as caught:
        Client(site.url, "plb_x").submit(b"{}", benchmark="b", track="t", system="S")
    assert caught.value.code == "input.UNKNOWN_ID"
    assert caught.value.sentence == "Refused. 2 problems."
    assert caught.value.n_problems == 2
    assert caught.value.problems[0].where == "/predictions/3/question_id"


def test_a_missing_thing_is_not_found(site: ScriptedSite) -> None:
    site.answers("GET /benchmarks/x", problem(404, "policy.benchmark_not_found", "There is no x."))
    with pytest.raises(NotFound, match=r"There is no x\."):
        Client(site.url).benchmark("x")


def test_a_refusal_without_a_body_still_has_a_sentence(site: ScriptedSite) -> None:
    site.answers("GET /benchmarks/x", Answer(500, b"<h1>oops</h1>"))
    with pytest.raises(ApiError, match="answered 500") as caught:
        Client(site.url).benchmark("x")
    assert caught.value.code == "http_500"


def test_questions_appear_whole_after_a_broken_download(site: ScriptedSite, tmp_path: Path) -> None:
    body = b'{"id": "q"}\n' * 5000
    route = "GET /benchmarks/b/versions/1/questions"
    site.answers(route, Answer(200, body, breaks_off=True), Answer(200, body))
    to = tmp_path / "questions.jsonl"
    assert Client(site.url).questions("b", "1", to, track="t") == len(body)
    assert to.read_bytes() == body
    assert site.received[-1].query == "track=t"
    assert list(tmp_path.iterdir()) == [to]


def test_a_failed_download_leaves_nothing(site: ScriptedSite, tmp_path: Path) -> None:
    body = b'{"id": "q"}\n' * 5000
    site.answers("GET /benchmarks/b/versions/1/questions", Answer(200, body, breaks_off=True))
    with pytest.raises(ServerUnreachable, match="broke"):
        Client(site.url).questions("b", "1", tmp_path / "questions.jsonl")
    assert not list(tmp_path.iterdir())


def test_the_client_imports_neither_numpy_nor_the_portal() -> None:
    script = "import sys, plumbline.client; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"numpy", "msgspec", "django", "portal", "evaluator.scoring"}
