"""Hostile and broken requests over raw sockets, against the running site.

Each case of `transport_cases.json` has a test of its name here, or its place in ELSEWHERE.
What must never be seen is looked for after every one of them.
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests.conftest import wait_until
from tests.journeys.fragile_site import FragileSite, answers, csrf, fields
from tests.journeys.wire import PIECE, Answer, Line, form, head

pytestmark = pytest.mark.journey

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "../shared/data/corpus/transport_cases.json"
MIB = 1024 * 1024
GROWTH = 64 * MIB  # of resident memory, at most, for one request
NEVER = (b"Traceback", b"/tmp/", b"site-packages", b'File "')
BROKEN = {500, 502, 504}
SUBMIT = "/api/v1/submissions"
BOUNDARY = "frontier"

# Cases that other tests walk through: case -> file and test.
ELSEWHERE = {
    "redis_down_at_submit": (
        "tests/journeys/test_faults_of_services.py",
        "test_without_broker_a_submission_is_accepted_at_once_and_scored_soon",
    ),
    "db_down_at_submit": (
        "tests/journeys/test_faults_of_services.py",
        "test_without_database_a_submission_waits_outside_and_becomes_one",
    ),
    "gradio_csrf_textplain": (
        "tests/frontend_gradio/test_guard.py",
        "test_a_page_of_another_site_calls_nothing",
    ),
    "idor_matrix": (
        "tests/api/test_access.py",
        "test_foreign_missing_and_malformed_ids_are_answered_alike",
    ),
    "quota_race_x50": (
        "tests/journeys/test_quotas.py",
        "test_fifty_parallel_posts_with_three_left_are_three_submissions",
    ),
    "quota_clock": (
        "tests/journeys/test_quotas.py",
        "test_days_are_those_of_the_databases_clock_whatever_the_web_process_thinks",
    ),
    "s3_500_at_submit": ("tests/portal/test_s3.py", "test_passing_faults_are_survived"),
    "s3_truncated_body": (
        "tests/worker/test_scoring.py",
        "test_file_cut_in_the_store_is_never_scored",
    ),
}


class Web:
    """The running site as a stranger with a socket meets it; watches what must never be seen."""

    def __init__(self, site: FragileSite) -> None:
        self.site = site
        self.process = Path(f"/proc/{site.portal.process.pid}")
        self.heard: list[Answer] = []

    def line(self) -> Line:
        return Line(self.site.port)

    def headers(self, **more: str) -> dict[str, str]:
        """Of a form with a file, from the owner of a token."""
        return {
            "Authorization": f"Bearer {self.site.token}",
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            **{name.replace("_", "-"): value for name, value in more.items()},
        }

    def post(self, headers: Mapping[str, str] | list[tuple[str, str]], body: bytes) -> Answer:
        """The answer to one request that is sent whole, as far as it is taken."""
        with self.line() as line:
            line.say(head(SUBMIT, headers))
            line.say(body)
            return self.hear(line)

    def hear(self, line: Line) -> Answer:
        self.heard.append(line.hear())
        return self.heard[-1]

    def upload(self, body: bytes, **headers: str) -> Answer:
        return self.post(self.headers(Content_Length=str(len(body)), **headers), body)

    def resident(self, what: str = "VmRSS") -> int:
        """Resident memory of the portal in bytes, now or (VmHWM) at most."""
        found = re.search(rf"{what}:\s+(\d+) kB", (self.process / "status").read_text())
        assert found is not None
        return int(found.group(1)) * 1024

    def cpu_seconds(self) -> float:
        """Processor time that the portal has used."""
        used = (self.process / "stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, used)) / 100


@pytest.fixture
def web(fragile: FragileSite) -> Iterator[Web]:
    """The site; afterwards nothing is left that a request may not leave."""
    web = Web(fragile)
    (web.process / "clear_refs").write_text("5")  # the peak begins anew
    before = web.resident()
    yield web
    assert web.resident("VmHWM") - before < GROWTH
    for answer in web.heard:
        assert answer.status not in BROKEN
        assert not any(inside in answer.body for inside in NEVER)
    wait_until(lambda: not fragile.temporary_files(), 10)
    assert fragile.portal.is_alive


@pytest.fixture
def untouched(fragile: FragileSite) -> Iterator[None]:
    """No row is made and no file is stored, whole or half."""
    n_before, stored_before = fragile.n_submissions(), fragile.stored_files()
    yield
    assert fragile.n_submissions() == n_before
    assert fragile.stored_files() == stored_before


def code_of(answer: Answer) -> str:
    assert answer.headers["Content-Type"] == "application/problem+json"
    return str(json.loads(answer.body)["code"])


# The length of a body


@pytest.mark.usefixtures("untouched")
def test_no_length_chunked_over_cap(web: Web) -> None:
    n_sent = 0
    chunk = f"{PIECE:x}\r\n".encode() + b" " * PIECE + b"\r\n"
    with web.line() as line:
        line.say(head(SUBMIT, web.headers(Transfer_Encoding="chunked")))
        while n_sent < 600 * MIB and not line.is_answered() and line.say(chunk):
            n_sent += PIECE
        answer = web.hear(line)
    assert n_sent < 513 * MIB
    assert (answer.status, code_of(answer)) == (413, "policy.too_large")


@pytest.mark.usefixtures("untouched")
def test_length_lies_short(web: Web) -> None:
    body = form(fields(), answers())
    for beyond in (b" " * MIB, body * 1000, head("/api/v1/tokens", {"Content-Length": "0"})):
        with web.line() as line:
            line.say(head(SUBMIT, web.headers(Content_Length="10")))
            line.say(body[:10])
            line.say(b"\0" + beyond)
            answer = web.hear(line)
            assert (answer.status, code_of(answer)) == (400, "input.malformed")
            # What follows is no request, and ends the line at the latest.
            rest = line.hear_all()
        assert rest == b"" or rest.startswith(b"HTTP/1.1 400 ")
        assert rest.count(b"HTTP/1.1 ") <= 1


@pytest.mark.usefixtures("untouched")
def test_length_lies_long(web: Web) -> None:
    began = time.monotonic()
    with web.line() as line:
        line.say(head(SUBMIT, web.headers(Content_Length=str(1024 * MIB))))
        line.say(b" " * 1024)
        line.hang_up()
        answer = web.hear(line)
    assert (answer.status, code_of(answer)) == (413, "policy.too_large")
    assert time.monotonic() - began < 5
    # A length within the cap is believed until its sender has gone.
    with web.line() as line:
        line.say(head(SUBMIT, web.headers(Content_Length=str(MIB))))
        line.say(form(fields(), answers()))
        line.hang_up()
        assert web.hear(line).status in {0, 400, 408}


@pytest.mark.usefixtures("untouched")
def test_smuggle_te_cl(web: Web) -> None:
    body = form(fields(), answers())
    both = web.headers(Content_Length=str(len(body)), Transfer_Encoding="chunked")
    answer = web.post(both, f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n")
    assert answer.status == 400


def test_slowloris_body(web: Web) -> None:
    """A hundred bodies that drip hold nobody up; `slow` sees them cut off."""
    page = f"http://127.0.0.1:{web.site.port}/api/v1/benchmarks"

    def p95_of(n_asked: int = 40) -> float:
        taken = []
        with httpx.Client(trust_env=False) as others:
            for _ in range(n_asked):
                began = time.monotonic()
                assert others.get(page).status_code == 200
                taken.append(time.monotonic() - began)
        return statistics.quantiles(taken, n=20)[-1]

    before = p95_of()
    with dripping(web, 100) as lines:
        assert all(line.say(b".") for line in lines)
        during = p95_of()
    assert during < 2 * before + 0.1  # a busy machine is not what is tested


@pytest.mark.slow
@pytest.mark.usefixtures("untouched")
def test_slowloris_body_is_cut_off_within_a_minute(web: Web) -> None:
    began = time.monotonic()
    with dripping(web, 100) as lines:
        open_lines = list(lines)
        while open_lines and time.monotonic() - began < 120:
            open_lines = [line for line in open_lines if not line.is_answered()]
            for line in open_lines:
                line.say(b".")
            time.sleep(1)
        assert time.monotonic() - began < 60
        for line in lines:
            answer = web.hear(line)
            assert answer.status == 0 or code_of(answer) == "policy.slow"


def dripping(web: Web, n_lines: int) -> ExitStack:
    """Connections whose bodies have begun; leaving closes them."""

    class Lines(ExitStack):
        def __enter__(self) -> list[Line]:  # type: ignore[override]  # what is held
            super().__enter__()
            lines = [self.enter_context(web.line()) for _ in range(n_lines)]
            for line in lines:
                line.say(head(SUBMIT, web.headers(Content_Length="100000")))
            return lines

    return Lines()


# What a body is


@pytest.mark.usefixtures("untouched")
def test_gzip_bomb(web: Web) -> None:
    answer = web.upload(b"\x1f\x8b" + b"\0" * MIB, Content_Encoding="gzip")
    assert (answer.status, code_of(answer)) == (415, "policy.encoding")


@pytest.mark.usefixtures("untouched")
def test_multipart_1001_fields(web: Web) -> None:
    for n_fields in (1001, 30):
        many = {**fields(), **{f"field-{n}": "x" for n in range(n_fields)}}
        answer = web.upload(form(many, answers()))
        assert (answer.status, code_of(answer)) == (400, "input.malformed")


@pytest.mark.usefixtures("untouched")
def test_multipart_1001_files(web: Web) -> None:
    one = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n\r\n'
    answer = web.upload(one.encode() * 1001 + f"--{BOUNDARY}--\r\n".encode())
    assert (answer.status, code_of(answer)) == (400, "input.malformed")


@pytest.mark.usefixtures("untouched")
def test_multipart_b64_whitespace(web: Web) -> None:
    body = form(fields(), b" " * 8 * MIB, part="Content-Transfer-Encoding: base64\r\n")
    before = web.cpu_seconds()
    answer = web.upload(body)
    assert 400 <= answer.status < 500
    assert web.cpu_seconds() - before < 1


@pytest.mark.usefixtures("untouched")
def test_multipart_boundary_10k(web: Web) -> None:
    long = "b" * 10_000
    dashes = form(fields(), answers())[:-2].replace(b"\r\n", b"\r\n", 1)
    before = web.cpu_seconds()
    for content_type, body in (
        (f"multipart/form-data; boundary={long}", form(fields(), answers(), boundary=long)),
        (f"multipart/form-data; boundary={BOUNDARY}", f"--{BOUNDARY}".encode() + b"-" * MIB),
        (f"multipart/form-data; boundary={BOUNDARY}", b"\r\n" * (MIB // 2)),
        ("multipart/form-data", dashes),
    ):
        headers = {**web.headers(Content_Length=str(len(body))), "Content-Type": content_type}
        assert web.post(headers, body).status == 400
    assert web.cpu_seconds() - before < 1


@pytest.mark.usefixtures("untouched")
def test_multipart_unclosed(web: Web) -> None:
    whole = form(fields(), answers())
    for n_missing in (len(f"--{BOUNDARY}--\r\n") + 40, len(f"--{BOUNDARY}--\r\n"), 4):
        answer = web.upload(whole[:-n_missing])
        assert (answer.status, code_of(answer)) == (400, "input.malformed")


@pytest.mark.usefixtures("untouched")
def test_headers_10k_repeat(web: Web) -> None:
    body = form(fields(), answers())
    pairs = [*web.headers(Content_Length=str(len(body))).items()]
    assert web.post([*pairs, *[("X-Again", "1")] * 10_000], body).status in {0, 400, 431}
    assert web.post([*pairs, *[("X-Again", "1")] * 200], body).status == 431


# Who sends it


@pytest.mark.usefixtures("untouched")
def test_csrf_missing(web: Web) -> None:
    with web.site.browser() as browser:
        session = browser.cookies["sessionid"]
        token = csrf(browser)["csrfmiddlewaretoken"]
        cookies = f"sessionid={session}; csrftoken={token}"
        for path in (SUBMIT, "/submit/"):
            for sent, more in (
                ({}, {}),
                ({"csrfmiddlewaretoken": token}, {"Origin": "https://evil.example"}),
            ):
                body = form({**fields(), **sent}, answers())
                headers = {
                    "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
                    "Content-Length": str(len(body)),
                    "Cookie": cookies,
                    **more,
                }
                with web.line() as line:
                    line.say(head(path, headers) + body)
                    answer = web.hear(line)
                assert answer.status == 403
                assert b"policy.csrf" in answer.body


def test_idem_same_key_same_body_x50(web: Web) -> None:
    n_before, data, key = web.site.n_submissions(), answers(), str(uuid4())
    body = form(fields(), data)

    def post(_: int) -> Answer:
        return web.upload(body, Idempotency_Key=key)

    with ThreadPoolExecutor(50) as pool:
        got = list(pool.map(post, range(50)))
    assert {answer.status for answer in got} <= {200, 202}
    assert [answer.status for answer in got].count(202) == 1
    assert len({json.loads(answer.body)["id"] for answer in got}) == 1
    assert web.site.n_submissions() == n_before + 1


def test_idem_same_key_other_body(web: Web) -> None:
    key = str(uuid4())
    first = web.upload(form(fields(), answers()), Idempotency_Key=key)
    n_before = web.site.n_submissions()
    other = web.upload(form(fields(), answers()), Idempotency_Key=key)
    assert (first.status, other.status) == (202, 422)
    assert code_of(other) == "policy.IDEMPOTENCY_MISMATCH"
    assert web.site.n_submissions() == n_before


@pytest.mark.usefixtures("untouched")
def test_replay_token_revoked(web: Web) -> None:
    site = web.site
    with httpx.Client(base_url=f"{site.address}/api/v1", trust_env=False) as client:
        asked = {"username": "demo", "password": site.password, "name": "short-lived"}
        revoked = client.post("/tokens", json=asked).json()["token"]
        client.headers["Authorization"] = f"Bearer {revoked}"
        listed = client.get("/tokens").json()["tokens"]
        prefix = next(t["prefix"] for t in listed if t["name"] == "short-lived")
        assert client.delete(f"/tokens/{prefix}").status_code == 204
    unknown = revoked[:-8] + "x" * 8
    body = form(fields(), answers())
    taken: dict[str, list[float]] = {revoked: [], unknown: []}
    bodies = set()
    for _ in range(15):
        for token, times in taken.items():
            began = time.monotonic()
            answer = web.upload(body, Authorization=f"Bearer {token}")
            times.append(time.monotonic() - began)
            assert answer.status == 401
            bodies.add(answer.body)
    assert len(bodies) == 1
    first, second = (statistics.median(times) for times in taken.values())
    assert max(first, second) < 2 * min(first, second) + 0.02


# Every case has its test


@pytest.mark.skipif(not CASES.exists(), reason="the corpus is not at ../shared")
def test_every_case_is_walked_through() -> None:
    cases = {case["id"] for case in json.loads(CASES.read_text())["cases"]}
    here = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert cases - here == set(ELSEWHERE)
    for file, test in ELSEWHERE.values():
        assert f"def {test}(" in (ROOT / file).read_text(), test
