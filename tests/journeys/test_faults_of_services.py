"""Services of ours go away and come back: nothing is lost, and everybody is told what is away."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from portal.codes import CODES
from tests.conftest import wait_until
from tests.factories import TRACKS
from tests.journeys.fragile_site import FragileSite, answers, csrf, fields

pytestmark = pytest.mark.journey

MIB = 1024 * 1024
SYSTEMS = "submissions_system"
SUBMISSIONS = "submissions_submission"
INSERTED = b'INSERT INTO "submissions_submission"'
LEAST = 3.0  # seconds within which a site without its database answers
FULL = "plumbline_full"


@pytest.fixture
def later() -> Iterator[ThreadPoolExecutor]:
    """Runs requests beside the test."""
    with ThreadPoolExecutor(4) as pool:
        yield pool


def refused(answer: httpx.Response, code: str) -> None:
    """The answer names the service that is away, when to ask again, and nothing of the inside."""
    entry = CODES[code]
    assert answer.status_code == entry.status, answer.text
    assert answer.headers["Retry-After"] == str(entry.retry_after)
    if answer.headers["Content-Type"].startswith("text/html"):
        assert f"<h1>{entry.title}</h1>" in answer.text
        assert f"/help/codes/#{code}" in answer.text
    else:
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert (answer.json()["code"], answer.json()["remedy"]) == (code, entry.remedy)
    for secret in ("Traceback", "/tmp/", "PGSQL", "psycopg", "Errno"):
        assert secret not in answer.text


def accepted(answer: httpx.Response) -> str:
    """The id of a submission that this request made."""
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


def scored(site: FragileSite, id_: str, *, within: float = 30.0) -> None:
    """Within 30 s, as promised, and by nobody but the site itself."""
    wait_until(lambda: site.state_of(id_) == "scored", within)


@contextmanager
def quickly(seconds: float = LEAST) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


# A disk is full


@pytest.mark.parametrize("n_bytes", [4 * MIB, 2 * MIB], ids=["body", "file"])
def test_an_upload_that_finds_no_room_is_refused_whole_and_heals(
    fragile: FragileSite, n_bytes: int
) -> None:
    """A body is spooled, then its file: neither finds room, by API nor form."""
    data, key = answers(n_bytes), str(uuid4())
    n_before, stored_before = fragile.n_submissions(), fragile.stored_files()
    with fragile.browser() as browser:
        form = {**fields(), "system_name": "Walker", "idempotency_key": key, **csrf(browser)}
        with fragile.portal_files_of_at_most(MIB):
            refused(fragile.submit(data, key=key), "infra.disk_full")
            page = browser.post("/submit/", data=form, files={"file": ("answers.json", data)})
            refused(page, "infra.disk_full")
            assert browser.get("/submissions/").status_code == 200
    wait_until(lambda: not fragile.temporary_files(), 5)
    assert fragile.stored_files() == stored_before
    assert fragile.n_submissions() == n_before
    accepted(fragile.submit(data, key=key))


def test_a_store_that_is_full_keeps_no_half_file_and_heals(
    fragile: FragileSite, later: ThreadPoolExecutor
) -> None:
    data, key = answers(MIB // 2), str(uuid4())
    stored_before = fragile.stored_files()
    with ExitStack() as disk:
        with fragile.held(SYSTEMS, "ACCESS EXCLUSIVE"):
            answer = later.submit(fragile.submit, data, key=key)
            # The file has come in, and is not in the store yet.
            wait_until(lambda: fragile.is_waited_for(SYSTEMS), 5)
            disk.enter_context(fragile.portal_files_of_at_most(MIB // 4))
        refused(answer.result(), "infra.disk_full")
    assert fragile.stored_files() == stored_before
    accepted(fragile.submit(data, key=key))


@contextmanager
def full_disk_of_postgres(site: FragileSite) -> Iterator[None]:
    """Every submission wants a row more of a table whose file finds no room."""
    site.ask(f"CREATE TABLE {FULL} (filler text)")
    ((place,),) = site.ask(
        f"SELECT current_setting('data_directory') || '/' || pg_relation_filepath('{FULL}')"
    )
    file = Path(place)
    file.unlink()
    file.symlink_to("/dev/full")
    site.ask(
        f"CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS "
        f"$$ BEGIN INSERT INTO public.{FULL} VALUES ('x'); RETURN NEW; END $$; "
        f"CREATE TRIGGER fill AFTER INSERT ON {SUBMISSIONS} FOR EACH ROW "
        f"EXECUTE FUNCTION fill()"
    )
    try:
        yield
    finally:
        site.ask(f"DROP TRIGGER fill ON {SUBMISSIONS}; DROP FUNCTION fill()")
        file.unlink()
        file.touch()
        site.ask(f"DROP TABLE {FULL}")


def test_a_full_disk_of_the_database_is_told_and_heals(fragile: FragileSite) -> None:
    data, key, n_before = answers(), str(uuid4()), fragile.n_submissions()
    with full_disk_of_postgres(fragile):
        refused(fragile.submit(data, key=key), "infra.disk_full")
        assert fragile.n_submissions() == n_before
    accepted(fragile.submit(data, key=key))
    assert fragile.n_submissions() == n_before + 1


# The database goes away


def test_without_database_a_submission_waits_outside_and_becomes_one(
    fragile: FragileSite,
) -> None:
    data, key, n_before = answers(), str(uuid4()), fragile.n_submissions()
    with fragile.browser() as browser:
        form = {**fields(), "system_name": "Walker", "idempotency_key": key, **csrf(browser)}
        with fragile.without_postgres():
            for _ in range(2):
                with quickly():
                    refused(fragile.submit(data, key=key), "infra.database")
            with quickly():
                page = browser.post("/submit/", data=form, files={"file": ("a.json", data)})
            refused(page, "infra.database")
    wait_until(lambda: not fragile.temporary_files(), 5)
    id_ = accepted(fragile.submit(data, key=key))
    again = fragile.submit(data, key=key)
    assert (again.status_code, again.json()["id"]) == (200, id_)
    assert fragile.n_submissions() == n_before + 1
    scored(fragile, id_)


def test_killed_between_file_and_row_the_same_key_makes_one_submission(
    fragile: FragileSite, later: ThreadPoolExecutor
) -> None:
    data, key, n_before = answers(), str(uuid4()), fragile.n_submissions()
    stored_before = fragile.stored_files()
    with fragile.held(SUBMISSIONS, "SHARE"):
        answer = later.submit(fragile.submit, data, key=key)
        wait_until(lambda: fragile.is_waited_for(SUBMISSIONS), 5)
        assert len(fragile.stored_files() - stored_before) == 1
        fragile.kill_postgres()
        refused(answer.result(), "infra.database")
    fragile.restart_postgres()
    assert fragile.n_submissions() == n_before
    id_ = accepted(fragile.submit(data, key=key))
    assert fragile.n_submissions() == n_before + 1
    assert len(fragile.stored_files() - stored_before) == 1
    scored(fragile, id_)


def test_an_answer_lost_after_commit_is_given_to_the_same_key(fragile: FragileSite) -> None:
    data, key, n_before = answers(), str(uuid4()), fragile.n_submissions()
    n_cut = fragile.forwarder.n_cut
    fragile.forwarder.cut_after_commit_of(INSERTED)
    refused(fragile.submit(data, key=key), "infra.database")
    assert fragile.forwarder.n_cut == n_cut + 1
    assert fragile.n_submissions() == n_before + 1  # it was carried out, and nobody heard
    again = fragile.submit(data, key=key)
    assert (again.status_code, again.json()["is_new"]) == (200, False)
    ((id_,),) = fragile.ask(f"SELECT id FROM {SUBMISSIONS} WHERE idempotency_key = '{key}'")
    assert again.json()["id"] == str(id_)
    assert fragile.n_submissions() == n_before + 1
    scored(fragile, str(id_))


def test_without_database_pages_and_boards_say_what_is_away(fragile: FragileSite) -> None:
    board = f"/api/v1/boards/tiny-hoi/1/{TRACKS[0]}"
    with fragile.browser() as browser:
        wait_until(lambda: fragile.http.get(board).status_code == 200)
        with fragile.without_postgres():
            pages = ("/benchmarks/", "/benchmarks/tiny-hoi/", "/submissions/", "/submit/")
            for page in (*pages, "/account/", "/account/sign-in/"):
                with quickly():
                    refused(browser.get(page), "infra.database")
            for path in (board, f"{board}.csv", "/api/v1/benchmarks", "/api/v1/me"):
                headers = {"Authorization": f"Bearer {fragile.token}"}
                with quickly():
                    refused(fragile.http.get(path, headers=headers), "infra.database")
            health = fragile.http.get("/api/v1/health")
            assert (health.status_code, health.json()["database"]) == (503, False)
            assert fragile.http.get("/help/codes/").status_code == 200
            for path in ("/status/", "/api/v1/status", "/api/v1/ready"):
                with quickly():
                    told = browser.get(path)
                assert told.status_code == 503
                assert "The database does not answer." in told.text
            # The board's own process is not part of this site.
            refused(browser.get("/board/"), "infra.board")
        for page in (*pages, "/account/"):
            assert browser.get(page).status_code == 200
    assert fragile.http.get(board).status_code == 200


# The broker goes away


@pytest.mark.parametrize("away", ["without_broker", "frozen_broker"])
def test_without_broker_a_submission_is_accepted_at_once_and_scored_soon(
    fragile: FragileSite, away: str
) -> None:
    leave: Callable[[], object] = getattr(fragile, away)
    with leave():  # type: ignore[attr-defined]  # a context manager
        with quickly(1.0):
            id_ = accepted(fragile.submit())
        with fragile.browser() as browser, quickly(1.0):
            assert browser.get(f"/submissions/{id_}/").status_code == 200
        with quickly():
            fragile.http.get("/api/v1/status")

        def is_told() -> bool:
            told = fragile.http.get("/api/v1/status")
            return told.status_code == 200 and not told.json()["services"]["broker"]

        wait_until(is_told, 10)  # what it found out before it may tell for two seconds
        assert fragile.http.get("/api/v1/ready").status_code == 200
    scored(fragile, id_)
