"""What no submission names is swept away, and nothing else, whoever submits at that moment."""

from __future__ import annotations

import hashlib
import os
import re
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection, transaction

from portal import services
from portal.evaluations.models import Evaluation
from portal.exchange import folder, storage
from portal.exchange.direct import key_of
from portal.exchange.storage import open_store
from portal.services.holding import hold, seize
from portal.submissions.models import Submission
from tests import factories
from tests.conftest import Stores, wait_until

pytestmark = pytest.mark.django_db

DATA = factories.predictions()
DIGEST = hashlib.sha256(DATA).hexdigest()
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture(autouse=True)
def version(tmp_path: Path, stores: Stores) -> object:
    version = factories.version(tmp_path, stores)
    factories.submit(factories.user(), b"[]")  # the database knows the store
    return version


def age(stores: Stores) -> None:
    """Let all uploads be two days old."""
    for file in (stores.folder / "uploads").rglob("*"):
        os.utime(file, (0, 0))


def lies_there(stores: Stores, digest: str = DIGEST) -> bool:
    return (stores.folder / "uploads" / digest[:2] / digest).is_file()


def sweep(stores: Stores) -> services.SweptUploads:
    """As housekeeping does it."""
    with stores.acting_as("housekeeping"):
        return services.sweep_uploads()


def in_thread(act: Callable[[], object]) -> threading.Thread:
    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_old_files_that_nobody_names_go(stores: Stores) -> None:
    accepted = factories.submit(factories.user(), DATA)
    uploads = open_store("uploads")
    lost = uploads.put(b"never submitted").digest
    place = stores.folder / "uploads"
    (place / ".arriving-xyz").write_bytes(b"cut off")
    direct = place / key_of(uuid.uuid4())
    direct.parent.mkdir()
    direct.write_bytes(b"never submitted either")
    assert sweep(stores).n_deleted == 0
    age(stores)
    fresh = uploads.put(b"just now").digest
    swept = sweep(stores)
    assert (swept.n_deleted, swept.n_bytes) == (3, 44)
    assert not lies_there(stores, lost)
    assert lies_there(stores, fresh)
    assert uploads.get(DIGEST) == DATA
    assert Submission.objects.get(id=accepted.id).file_digest == DIGEST
    assert sweep(stores).n_deleted == 0


def test_a_file_named_by_its_key_stays(stores: Stores) -> None:
    accepted = factories.submit(factories.user(), DATA)
    key = key_of(uuid.uuid4())
    direct = stores.folder / "uploads" / key
    direct.parent.mkdir()
    direct.write_bytes(DATA)
    row = Submission.objects.get(id=accepted.id)
    row.pk, row.file_key, row.idempotency_key = uuid.uuid4(), key, None
    row.save(force_insert=True)
    age(stores)
    assert sweep(stores).n_deleted == 0
    assert direct.is_file()


def test_another_sites_database_costs_no_file(stores: Stores) -> None:
    """As after an empty restore, or a wrong address."""
    uploads = open_store("uploads")
    digests = [uploads.put(b"%d" % number).digest for number in range(11)]
    (stores.folder / "uploads/.arriving-xyz").write_bytes(b"cut off")
    age(stores)
    swept = sweep(stores)
    assert (swept.n_deleted, swept.n_spared) == (1, 11)
    assert all(lies_there(stores, digest) for digest in digests)
    Evaluation.objects.all().delete()
    Submission.objects.all().delete()
    for file in digests[:8]:
        (stores.folder / "uploads" / file[:2] / file).unlink()
    assert sweep(stores).n_spared == 4  # three, and the one that is named no more


@pytest.mark.django_db(transaction=True)
def test_a_file_is_not_swept_while_a_submission_holds_it(stores: Stores) -> None:
    open_store("uploads").put(DATA)
    age(stores)
    is_held, may_end = threading.Event(), threading.Event()

    def holder() -> None:
        with transaction.atomic():
            hold(DIGEST)
            is_held.set()
            may_end.wait(20)

    thread = in_thread(holder)
    assert is_held.wait(20)
    try:
        assert sweep(stores).n_deleted == 0
    finally:
        may_end.set()
        thread.join()
    assert lies_there(stores)
    assert sweep(stores).n_deleted == 1


@pytest.mark.django_db(transaction=True)
def test_bytes_swept_before_the_row_is_written_are_stored_again(stores: Stores) -> None:
    """The sweeper holds the lock when the submission comes to it, and deletes its file."""
    person = factories.user()
    with transaction.atomic():
        assert seize(DIGEST)
        thread = in_thread(lambda: factories.submit(person, DATA))
        with connection.cursor() as cursor:

            def is_waiting() -> bool:
                cursor.execute(WAITING)
                return bool(cursor.fetchone()[0])

            wait_until(is_waiting, seconds=20)
        assert lies_there(stores)
        with stores.acting_as("housekeeping"):
            open_store("uploads").delete(DIGEST)
    thread.join()
    assert lies_there(stores)
    assert Submission.objects.filter(file_digest=DIGEST).count() == 1


@pytest.mark.django_db(transaction=True)
def test_submissions_and_sweepers_together_lose_no_file(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file is old at once for two sweepers that never rest."""
    # One process holds one role: here the web's may tidy up as well.
    monkeypatch.setattr(folder, "LEFTOVER", re.compile("never"))  # what arrives is not old
    monkeypatch.setattr(storage, "ACCESS", {"web": {**storage.ACCESS["web"], "uploads": "rwd"}})
    person = factories.user()
    files = [DATA + b" " * number for number in range(40)]
    is_over = threading.Event()

    def sweep_on() -> int:
        n_deleted = 0
        while not is_over.is_set():
            n_deleted += services.sweep_uploads(older_than_seconds=-1).n_deleted
        connection.close()
        return n_deleted

    def submit_all() -> None:
        for data in files:
            factories.submit(person, data)
        connection.close()

    with ThreadPoolExecutor(3) as pool:
        sweepers = [pool.submit(sweep_on) for _ in range(2)]
        try:
            pool.submit(submit_all).result()
        finally:
            is_over.set()
        n_deleted = sum(sweeper.result() for sweeper in sweepers)
    named = Submission.objects.filter(source="UPLOAD").values_list("file_digest", flat=True)
    assert len(named) == len(files) + 1
    assert all(lies_there(stores, digest) for digest in named)
    assert n_deleted > 0
