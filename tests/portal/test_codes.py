"""Refusals and failures bear a code of the closed list, and say what to do."""

from __future__ import annotations

import errno
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import DataError, Error, connection, transaction
from django.test import Client

from evaluator.errors import PredictionsInvalid, Problem
from portal import services
from portal.codes import CODES, UnknownCode
from portal.errors import NotFound, PolicyRefused, PortalError, TooManyTries, Unavailable
from portal.exchange.folder import FolderStore
from portal.exchange.storage import StoreDamaged, StoreFull, StoreMissing, StoreUnavailable
from portal.outages import outage_of
from tests import factories
from tests.conftest import Stores


def test_a_refusal_cannot_bear_a_code_that_is_not_listed() -> None:
    with pytest.raises(UnknownCode, match=r"policy\.invented"):
        PolicyRefused("No.", code="policy.invented")
    with pytest.raises(UnknownCode):
        PolicyRefused("No.")  # the rule must be named
    with pytest.raises(UnknownCode, match="no HTTP status"):
        PolicyRefused("No.", code="scorer.memory")


def test_a_kind_of_refusal_cannot_fix_a_code_that_is_not_listed() -> None:
    with pytest.raises(UnknownCode, match=r"auth\.invented"):
        type("Invented", (PortalError,), {"code": "auth.invented"})


def test_status_title_and_advice_come_from_the_list() -> None:
    missing = NotFound("It is not here.")
    entry = CODES["policy.not_found"]
    assert (missing.status, missing.title, missing.remedy) == (404, entry.title, entry.remedy)
    assert TooManyTries("Wait.").retry_after == 600
    assert TooManyTries("Wait.", retry_after=5).retry_after == 5
    assert Unavailable("infra.store").detail == CODES["infra.store"].meaning


@pytest.mark.django_db
def test_the_api_serves_the_whole_list(client: Client) -> None:
    served = client.get("/api/v1/problems").json()["problems"]
    assert {entry["code"] for entry in served} == set(CODES)
    one = next(entry for entry in served if entry["code"] == "infra.database")
    assert (one["owner"], one["fault"], one["status"], one["retry_after"]) == (
        "infra", "ours", 503, 5,
    )  # fmt: skip


@pytest.mark.django_db
def test_every_code_has_its_anchor_on_the_page(client: Client) -> None:
    page = client.get("/help/codes/").content.decode()
    for code in CODES:
        assert page.count(f'id="{code}"') == 1
    problem = client.get("/api/v1/benchmarks/none").json()
    assert problem["type"].endswith("/help/codes/#policy.benchmark_not_found")
    assert problem["remedy"] == CODES["policy.benchmark_not_found"].remedy


@pytest.mark.django_db
def test_a_rejected_submission_says_first_of_all_what_is_wrong(
    tmp_path: Path, stores: Stores
) -> None:
    factories.version(tmp_path, stores)
    person = factories.user()
    accepted = factories.submit(person)
    brief = services.begin_scoring(worker="test")
    assert brief is not None
    invalid = PredictionsInvalid([Problem("UNKNOWN_ID", "/predictions/0", "x", "a question")])
    services.record_rejection(
        evaluation_id=brief.evaluation_id, attempt=brief.attempt, invalid=invalid
    )
    state = services.submission_state(user=person, submission_id=accepted.id)
    entry = CODES["input.UNKNOWN_ID"]
    assert state["failure"] == {
        "code": "input.UNKNOWN_ID", "sentence": entry.meaning, "remedy": entry.remedy,
    }  # fmt: skip
    assert state["problems"][0]["code"] == "UNKNOWN_ID"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("SET LOCAL statement_timeout = 20; SELECT pg_sleep(5)", "infra.busy"),
        ("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '55P03'; END $$", "infra.busy"),
        ("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '53100'; END $$", "infra.disk_full"),
        ("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '57P01'; END $$", "infra.database"),
        ("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = 'XX001'; END $$", "infra.database"),
        ("SELECT 1 / 0", None),
        ("SELECT no_such_column", None),
    ],
)
@pytest.mark.django_db
def test_what_the_database_says_names_what_is_away(said: str, code: str | None) -> None:
    with pytest.raises(Error) as raised, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(said)
    away = outage_of(raised.value)
    assert (away.code if away else None) == code


def test_what_a_store_says_names_what_is_away() -> None:
    for error, code in (
        (StoreFull("/srv/secret"), "infra.disk_full"),
        (StoreUnavailable("10.0.0.7"), "infra.store"),
        (StoreDamaged("abc"), "infra.file_damaged"),
        (StoreMissing("abc"), "infra.file_damaged"),
        (OSError(errno.ENOSPC, "No space left"), "infra.disk_full"),
    ):
        away = outage_of(error)
        assert away is not None
        assert (away.code, away.status) == (code, 503)
        assert "secret" not in away.detail and "10.0.0.7" not in away.detail
    for other in (OSError(errno.EACCES, "no"), ValueError(), DataError(), None):
        assert outage_of(other) is None


@contextmanager
def files_of_at_most(n_bytes: int) -> Iterator[None]:
    """No file of this process grows beyond that: what a full disk looks like to a writer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_keeps_no_half_file_and_heals(tmp_path: Path) -> None:
    store = FolderStore(str(tmp_path))
    with files_of_at_most(1000), pytest.raises(StoreFull):
        store.put(b"x" * 5000)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    stored = store.put(b"x" * 5000)
    assert len(store.get(stored.digest)) == 5000
