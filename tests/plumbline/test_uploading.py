"""How a file finds its road: by the limits of the site, told before anything is sent."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from plumbline import parts, uploading
from plumbline.client import Client, FileTooLarge
from plumbline.content import Content
from plumbline.errors import AnswerNotUnderstood, FileChanged, ServerUnreachable
from tests.plumbline.command import Command
from tests.plumbline.scripted_site import Answer, ScriptedSite, ok, problem

SIZE = uploading.SMALL_BYTES + 10
DATA = bytes(range(256)) * (SIZE // 256) + b"0123456789"
PART = 512 * 1024
DIGEST = hashlib.sha256(DATA).hexdigest()
WHERE = {"benchmark": "b", "track": "t", "system": "S"}
ACCEPTED = {"submission": {"id": "s1", "state": "waiting"}}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PAUSES", (0.01, 0.01, 0.01))


def scripted(site: ScriptedSite, *, form: int, straight: int) -> Client:
    """A client of a site with these limits."""
    limits = {"max_upload_bytes": form, "max_direct_bytes": straight, "part_bytes": PART}
    site.answers("GET /benchmarks/b", ok({"promoted": "2"}))
    site.answers("GET /benchmarks/b/versions/2", ok({"limits": limits}))
    site.answers("POST /submissions", ok(ACCEPTED, 202))
    return Client(site.url, "plb_x")


def upload(site: ScriptedSite, *missing: int, there: int = 0, **more: Any) -> Answer:
    n_bytes = {1: PART, 2: PART, 3: SIZE - 2 * PART}
    return ok(
        {
            "id": "u1",
            "state": "open",
            "benchmark": "b@2",
            "part_bytes": PART,
            "n_parts": 3,
            "parts": [{"number": n, "n_bytes": n_bytes[n]} for n in range(1, there + 1)],
            "missing": [
                {"number": n, "n_bytes": n_bytes[n], "url": f"{site.url}/store/{n}?signed=yes"}
                for n in missing
            ],
            "n_missing": len(missing),
            "is_known": False,
            **more,
        }
    )


def bodies(site: ScriptedSite) -> dict[str, bytes]:
    return {r.path: r.body for r in site.received if r.method == "PUT"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "large.json"
    path.write_bytes(DATA)
    return path


def test_a_file_within_the_limit_goes_with_the_form(site: ScriptedSite, file: Path) -> None:
    scripted(site, form=SIZE, straight=10 * SIZE).submit(file, **WHERE)
    (sent,) = site.requests("POST", "/submissions")
    assert DATA in sent.body


def test_a_small_file_needs_no_look_at_the_limits(site: ScriptedSite) -> None:
    scripted(site, form=1, straight=1).submit(DATA[: uploading.SMALL_BYTES], **WHERE)
    assert [request.method for request in site.received] == ["POST"]


@pytest.mark.parametrize(("form", "straight"), [(SIZE - 1, 0), (1000, SIZE - 1)])
def test_a_file_beyond_the_limit_is_refused_before_anything_is_sent(
    site: ScriptedSite, file: Path, form: int, straight: int, plumbline: Command
) -> None:
    client = scripted(site, form=form, straight=straight)
    with pytest.raises(FileTooLarge, match=rf"{SIZE:,} bytes; .* {SIZE - 1:,} bytes at most"):
        client.submit(file, **WHERE)
    run = plumbline(
        *("submit", file, "--benchmark", "b", "--track", "t", "--system", "S", "--json"),
        environment={"PLUMBLINE_SERVER": site.url, "PLUMBLINE_TOKEN": "plb_x"},
    )
    assert (run.code, run.document["error"]["code"]) == (1, "policy.too_large")
    assert {request.method for request in site.received} == {"GET"}


def test_only_missing_parts_go_to_the_store_and_nothing_that_names_us(
    site: ScriptedSite, file: Path
) -> None:
    client = scripted(site, form=1000, straight=SIZE)
    site.answers("POST /uploads", upload(site, 2, 3, there=1))
    site.answers("GET /uploads/u1", upload(site, there=3))
    for number in (2, 3):
        site.answers(f"PUT /store/{number}", Answer())
    seen: list[tuple[int, int]] = []
    client.submit(file, **WHERE, on_progress=lambda sent, total: seen.append((sent, total)))
    assert bodies(site) == {"/store/2": DATA[PART : 2 * PART], "/store/3": DATA[2 * PART :]}
    begun = site.requests("POST", "/uploads")[0]
    assert DIGEST.encode() in begun.body
    assert begun.headers["Authorization"] == "Bearer plb_x"
    for request in site.received:
        if request.method == "PUT":
            assert not {"authorization", "cookie"} & {name.lower() for name in request.headers}
    (posted,) = site.requests("POST", "/submissions")
    assert b"upload=u1" in posted.body and b"benchmark=b%402" in posted.body
    assert posted.headers["Idempotency-Key"]
    assert seen[-1] == (SIZE, SIZE)
    assert min(seen)[0] >= PART


def test_passing_faults_of_the_store_are_tried_again(site: ScriptedSite, file: Path) -> None:
    client = scripted(site, form=1000, straight=SIZE)
    site.answers("POST /uploads", upload(site, 3, there=2))
    site.answers("GET /uploads/u1", upload(site, there=3))
    site.answers("PUT /store/3", Answer(503), Answer(500), Answer())
    client.submit(file, **WHERE)
    assert len([r for r in site.received if r.method == "PUT"]) == 3


def test_a_spent_address_is_asked_for_again(site: ScriptedSite, file: Path) -> None:
    client = scripted(site, form=1000, straight=SIZE)
    site.answers("POST /uploads", upload(site, 3, there=2))
    site.answers("GET /uploads/u1", upload(site, 3, there=2), upload(site, there=3))
    site.answers("PUT /store/3", Answer(403), Answer())
    client.submit(file, **WHERE)
    assert len(site.requests("GET", "/uploads/u1")) == 2


def test_a_store_that_never_takes_a_part_ends_the_tries(site: ScriptedSite, file: Path) -> None:
    client = scripted(site, form=1000, straight=SIZE)
    site.answers("POST /uploads", upload(site, 3, there=2))
    site.answers("GET /uploads/u1", upload(site, 3, there=2))
    site.answers("PUT /store/3", Answer(403))
    with pytest.raises(AnswerNotUnderstood, match="maintainers"):
        client.submit(file, **WHERE)
    site.answers("PUT /store/3", Answer(418))
    with pytest.raises(AnswerNotUnderstood, match="418 to part 3"):
        client.submit(file, **WHERE)
    assert not site.requests("POST", "/submissions")


def test_a_store_that_stays_away_says_how_to_go_on(site: ScriptedSite, file: Path) -> None:
    client = scripted(site, form=1000, straight=SIZE)
    away = ScriptedSite()
    away.close()
    site.answers("POST /uploads", upload(away, 1, 2, 3))
    with pytest.raises(ServerUnreachable, match="goes on where this one stopped"):
        client.submit(file, **WHERE)


def test_known_answers_are_not_sent_again(site: ScriptedSite, file: Path) -> None:
    client = scripted(site, form=1000, straight=SIZE)
    site.answers("POST /uploads", upload(site, 1, 2, 3, is_known=True))
    client.submit(file, **WHERE)
    assert not bodies(site)
    # Withdrawn meanwhile: then the bytes are needed after all.
    incomplete = problem(409, uploading.INCOMPLETE, "parts are missing")
    site.answers("POST /submissions", incomplete, ok(ACCEPTED, 202))
    site.answers("GET /uploads/u1", upload(site, 3, there=2), upload(site, there=3))
    site.answers("PUT /store/3", Answer())
    client.submit(file, **WHERE)
    assert list(bodies(site)) == ["/store/3"]


def test_a_file_that_changes_meanwhile_is_not_handed_in(site: ScriptedSite, file: Path) -> None:
    client = scripted(site, form=1000, straight=SIZE)
    site.answers("POST /uploads", upload(site, 3, there=2))
    site.answers("PUT /store/3", Answer())
    site.answers("DELETE /uploads/u1", Answer(204))

    def write(sent: int, total: int) -> None:
        file.write_bytes(DATA + b"more")

    with pytest.raises(FileChanged):
        client.submit(file, **WHERE, on_progress=write)
    assert len(site.requests("DELETE", "/uploads/u1")) == 1
    assert not site.requests("POST", "/submissions")


@pytest.mark.parametrize("is_file", [True, False])
def test_any_stretch_of_a_file_can_be_read(file: Path, is_file: bool) -> None:
    content = Content(file if is_file else DATA)
    assert (content.n_bytes, content.digest(), content.has_changed) == (SIZE, DIGEST, False)
    assert b"".join(content.pieces(100, 300_000)) == DATA[100:300_100]
