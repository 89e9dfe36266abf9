"""Files that go straight to the store: begun, sent, resumed, submitted once, and checked."""

from __future__ import annotations

import hashlib
import io
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db import close_old_connections, connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from portal import services
from portal.accounts.models import User
from portal.errors import (
    ContainerRefused,
    IdempotencyMismatch,
    PolicyRefused,
    QuotaSpent,
    StateConflict,
    TooLarge,
    UploadEnded,
    UploadIncomplete,
    UploadNotFound,
)
from portal.exchange.direct import LEAST_PART_BYTES, key_of
from portal.exchange.storage import StoreDamaged, StoreUnavailable, open_store
from portal.services import Accepted, UploadDocument
from portal.submissions.models import Submission, Upload
from tests import factories
from tests.conftest import Stores
from tests.fault_proxy import FaultProxy

pytestmark = pytest.mark.django_db

TRACK = factories.TRACKS[0]
# Lawful answers of two parts: JSON may end in blanks.
FILE = factories.predictions().ljust(LEAST_PART_BYTES + 100)
DIGEST = hashlib.sha256(FILE).hexdigest()
http = httpx.Client(trust_env=False)


@pytest.fixture
def stores(stores_in_a_bucket: Stores) -> Stores:
    return stores_in_a_bucket


@pytest.fixture(autouse=True)
def version(tmp_path: Path, stores: Stores, settings: Any) -> object:
    settings.PART_BYTES = LEAST_PART_BYTES
    return factories.version(tmp_path, stores)


@pytest.fixture
def person() -> User:
    return factories.user()


def begin(person: User, data: bytes = FILE, **other: Any) -> UploadDocument:
    wanted = {
        "benchmark": "tiny-hoi",
        "track": TRACK,
        "file_digest": hashlib.sha256(data).hexdigest(),
        "file_bytes": len(data),
        "file_name": "large.json",
    }
    return services.begin_upload(user=person, **{**wanted, **other})


def send(upload: UploadDocument, data: bytes = FILE, *, parts: int = 100) -> None:
    """PUT the first missing parts."""
    for part in upload["missing"][:parts]:
        start = (part["number"] - 1) * upload["part_bytes"]
        answer = http.put(part["url"], content=data[start : start + part["n_bytes"]])
        assert answer.status_code == 200


def completed(upload: UploadDocument) -> None:
    """Its parts are one file, as after a crash before the row was written."""
    direct = open_store("uploads").direct
    assert direct is not None
    key, name = key_of(upload["id"]), Upload.objects.get(id=upload["id"]).store_upload
    direct.complete(key, name, direct.parts(key, name))


def submit(person: User, upload: UploadDocument, **other: Any) -> Accepted:
    wanted = {"benchmark": "tiny-hoi", "track": TRACK, "system": "Large 7B"}
    return services.submit_upload(user=person, upload_id=upload["id"], **{**wanted, **other})


def state(person: User, upload: UploadDocument) -> UploadDocument:
    return services.upload_state(user=person, upload_id=upload["id"])


def submitted() -> QuerySet[Submission]:
    return Submission.objects.filter(source="UPLOAD")


def objects() -> list[str]:
    with_all = open_store("uploads")._store("w")
    return [file.key for file in with_all.old_files(seconds=-1)]


def test_parts_become_a_submission_that_is_read_where_they_lie(
    person: User, stores: Stores
) -> None:
    upload = begin(person)
    assert (upload["state"], upload["n_parts"], upload["n_missing"]) == ("open", 2, 2)
    assert [part["n_bytes"] for part in upload["missing"]] == [LEAST_PART_BYTES, 100]
    send(upload)
    whole = state(person, upload)
    assert (whole["missing"], [part["number"] for part in whole["parts"]]) == ([], [1, 2])
    accepted = submit(person, upload, publish=True)
    assert accepted.is_new
    submission = Submission.objects.get(id=accepted.id)
    key = key_of(upload["id"])
    assert (submission.file_key, submission.file_digest) == (key, DIGEST)
    assert (submission.file_bytes, submission.file_name) == (len(FILE), "large.json")
    assert objects() == [key]
    with stores.acting_as("scoring"):
        brief = services.begin_scoring(worker="me")
        assert brief is not None
        file = open_store("uploads").open(
            brief.predictions_digest, key=brief.predictions_key, n_bytes=brief.predictions_bytes
        )
        with file:
            assert file.read() == FILE
    used = state(person, upload)
    assert (used["state"], used["submission"], used["missing"]) == ("used", accepted.id, [])


def test_a_second_begin_goes_on_with_what_is_there(person: User) -> None:
    first = begin(person)
    send(first, parts=1)
    second = begin(person)
    assert second["id"] == first["id"]
    assert [part["number"] for part in second["missing"]] == [2]
    assert begin(person, track=factories.TRACKS[1])["id"] != first["id"]
    assert begin(factories.user("other"))["id"] != first["id"]
    # The same digest with another size is no resumption: somebody was wrong before.
    assert begin(person, file_bytes=len(FILE) + 1)["id"] != first["id"]
    assert state(person, first)["state"] == "ended"


def test_a_part_of_the_wrong_size_is_missing(person: User) -> None:
    upload = begin(person)
    send(upload)
    http.put(upload["missing"][1]["url"], content=FILE[:77])
    assert [part["number"] for part in state(person, upload)["missing"]] == [2]
    with pytest.raises(UploadIncomplete):
        submit(person, upload)
    assert not submitted().exists()
    send(state(person, upload))
    assert submit(person, upload).is_new


def test_only_what_the_rules_allow_is_begun(person: User, settings: Any) -> None:
    settings.MAX_DIRECT_BYTES = len(FILE) - 1
    with pytest.raises(TooLarge, match="at most"):
        begin(person)
    settings.MAX_DIRECT_BYTES = len(FILE)
    with pytest.raises(PolicyRefused, match="no track"):
        begin(person, track="no-such")
    with pytest.raises(PolicyRefused):
        submit(person, begin(person), system="")
    with pytest.raises(PolicyRefused, match="begun for"):
        submit(person, begin(person), track=factories.TRACKS[1])
    settings.MAX_DIRECT_BYTES = 0
    with pytest.raises(TooLarge):
        begin(person)


def test_nothing_is_begun_for_a_spent_quota(person: User, settings: Any) -> None:
    settings.QUOTA_PER_DAY = 1
    upload, other = begin(person), begin(person, b"[1]")
    for begun, data in ((upload, FILE), (other, b"[1]")):
        send(begun, data)
    submit(person, upload)
    with pytest.raises(QuotaSpent):
        begin(person, b"[2]")
    with pytest.raises(QuotaSpent):
        submit(person, other)
    assert state(person, other)["state"] == "open"  # for tomorrow, if it lasts
    assert begin(person)["is_known"]


def test_parts_grow_where_ten_thousand_would_not_do(person: User, settings: Any) -> None:
    settings.MAX_DIRECT_BYTES = 10**12
    upload = begin(person, file_bytes=10**11)
    assert upload["part_bytes"] == 10**7
    assert (upload["n_parts"], upload["n_missing"]) == (10_000, 10_000)
    assert len(upload["missing"]) == 100


def test_a_folder_takes_no_parts(person: User, tmp_path: Path, stores: Stores) -> None:
    assert services.upload_limits()["max_direct_bytes"] == 2 * 1024**3
    with Stores(stores.folder).acting_as("web"):
        assert services.upload_limits()["max_direct_bytes"] == 0
        with pytest.raises(PolicyRefused) as caught:
            begin(person)
    assert caught.value.code == "policy.no_direct_uploads"


def test_nobody_else_sees_or_uses_an_upload(person: User) -> None:
    upload = begin(person)
    stranger = factories.user("stranger")
    for act in (
        lambda: state(stranger, upload),
        lambda: submit(stranger, upload),
        lambda: services.end_upload(user=stranger, upload_id=upload["id"]),
        lambda: services.upload_state(user=stranger, upload_id=uuid.uuid4()),
    ):
        with pytest.raises(UploadNotFound, match=r"^There is no such upload among yours\.$"):
            act()
    assert state(person, upload)["state"] == "open"


def test_the_same_request_again_finds_its_submission(person: User) -> None:
    upload = begin(person)
    send(upload)
    first = submit(person, upload, idempotency_key="k1")
    for key in ("k1", "k2", None):
        again = submit(person, upload, idempotency_key=key)
        assert (again.id, again.is_new) == (first.id, False)
    assert submitted().count() == 1
    assert state(person, upload)["state"] == "used"


def test_known_answers_need_no_bytes(person: User) -> None:
    by_form = factories.submit(person, FILE)
    upload = begin(person)
    assert upload["is_known"]
    found = submit(person, upload)
    assert (found.id, found.is_new, found.duplicate_of) == (by_form.id, False, by_form.id)
    assert state(person, upload)["state"] == "ended"
    assert objects() == [DIGEST]


def test_the_form_finds_what_went_straight_to_the_store(person: User) -> None:
    upload = begin(person)
    send(upload)
    direct = submit(person, upload, idempotency_key="k")
    assert factories.submit(person, FILE).duplicate_of == direct.id
    with pytest.raises(IdempotencyMismatch):
        factories.submit(person, b"{}", key="k")


def test_a_crash_between_completing_and_the_row_is_mended(person: User) -> None:
    upload = begin(person)
    send(upload)
    completed(upload)
    whole = state(person, upload)
    assert (whole["state"], whole["n_missing"]) == ("open", 0)
    assert begin(person)["id"] == upload["id"]
    assert submit(person, upload).is_new


def test_an_answer_lost_while_completing_is_mended(person: User, proxy: FaultProxy) -> None:
    upload = begin(person)
    send(upload)
    proxy.fail("lost", method="POST")
    assert submit(person, upload).is_new
    assert len(proxy.requests("POST", "uploadId=")) == 2


def test_the_store_away_loses_nothing(person: User, proxy: FaultProxy) -> None:
    upload = begin(person)
    send(upload)
    proxy.fail(*["500"] * 10)
    with pytest.raises(StoreUnavailable):
        submit(person, upload, idempotency_key="k")
    assert not submitted().exists()
    proxy.mend()
    first = submit(person, upload, idempotency_key="k")
    assert first.is_new
    assert submit(person, upload, idempotency_key="k").id == first.id


def test_an_archive_is_refused_by_its_first_bytes(person: User) -> None:
    data = b"PK\x03\x04".ljust(LEAST_PART_BYTES + 1)
    upload = begin(person, data)
    send(upload, data)
    with pytest.raises(ContainerRefused):
        submit(person, upload)
    assert state(person, upload)["state"] == "ended"
    assert not submitted().exists()


def test_three_bytes_are_a_file(person: User) -> None:
    upload = begin(person, b"[1]")
    send(upload, b"[1]")
    assert submit(person, upload).is_new


def test_what_is_over_takes_nothing_more(person: User) -> None:
    upload = begin(person)
    send(upload, parts=1)
    for _ in range(2):
        services.end_upload(user=person, upload_id=upload["id"])
    assert state(person, upload)["state"] == "ended"
    assert http.put(upload["missing"][1]["url"], content=b"x").status_code == 404
    with pytest.raises(UploadEnded):
        submit(person, upload)
    later = begin(person)
    assert later["id"] != upload["id"]
    Upload.objects.filter(id=later["id"]).update(expires_at=Now() - timedelta(seconds=1))
    assert state(person, later)["state"] == "ended"
    with pytest.raises(UploadEnded):
        submit(person, later)
    third = begin(person)
    assert third["id"] != later["id"]
    send(third)
    submit(person, third)
    with pytest.raises(StateConflict):
        services.end_upload(user=person, upload_id=third["id"])


def test_an_upload_that_the_store_lost_is_over(person: User) -> None:
    upload = begin(person)
    direct = open_store("uploads").direct
    assert direct is not None
    direct.abort(key_of(upload["id"]), Upload.objects.get().store_upload)
    assert state(person, upload)["state"] == "ended"
    assert begin(person)["id"] != upload["id"]


def test_the_sweeper_ends_what_is_too_old_and_deletes_what_it_left(
    person: User, stores: Stores
) -> None:
    late, waiting, used = (begin(person, data) for data in (FILE, b"[1]", b"[2]"))
    send(late, parts=1)
    for upload, data in ((waiting, b"[1]"), (used, b"[2]")):
        send(upload, data)
    completed(waiting)
    submit(person, used)
    Upload.objects.filter(id=late["id"]).update(expires_at=Now())
    kept = sorted(key_of(upload["id"]) for upload in (waiting, used))
    with stores.acting_as("housekeeping"):
        swept = services.sweep_uploads(older_than_seconds=-1)
        assert (swept.n_ended, swept.n_deleted) == (1, 0)
    assert state(person, late)["state"] == "ended"
    assert http.put(late["missing"][1]["url"], content=b"x").status_code == 404
    assert sorted(objects()) == kept
    Upload.objects.filter(id=waiting["id"]).update(expires_at=Now())
    with stores.acting_as("housekeeping"):
        swept = services.sweep_uploads(older_than_seconds=-1)
        assert (swept.n_ended, swept.n_deleted) == (1, 1)
    assert objects() == [key_of(used["id"])]


def test_a_team_has_five_open_uploads_at_most(person: User) -> None:
    begun = [begin(person, b"[%d]" % number)["id"] for number in range(7)]
    is_open = Upload.objects.filter(state="OPEN").values_list("id", flat=True)
    assert set(is_open) == set(begun[2:])


def test_wrong_bytes_are_never_given_to_the_scorer(person: User, stores: Stores) -> None:
    upload = begin(person)
    send(upload, FILE.replace(b"tiny", b"TINY"))
    accepted = submit(person, upload)
    submission = Submission.objects.get(id=accepted.id)
    with stores.acting_as("scoring"), pytest.raises(StoreDamaged):
        open_store("uploads").open(
            submission.file_digest, key=submission.file_key, n_bytes=submission.file_bytes
        )


@pytest.mark.django_db(transaction=True)
def test_fifty_requests_with_one_key_make_one_submission(person: User) -> None:
    upload = begin(person)
    send(upload)

    def once(_: int) -> uuid.UUID:
        try:
            return submit(person, upload, idempotency_key="k").id
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        ids = set(pool.map(once, range(50)))
    close_old_connections()
    assert len(ids) == 1
    assert submitted().count() == 1
    assert objects() == [key_of(upload["id"])]


@pytest.mark.django_db(transaction=True)
def test_two_begins_at_once_make_one_upload(person: User) -> None:
    def once(_: int) -> uuid.UUID:
        try:
            return begin(person)["id"]
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(once, range(16)))
    assert len(ids) == 1
    assert Upload.objects.count() == 1


def test_a_form_upload_is_stored_once(person: User, proxy: FaultProxy) -> None:
    proxy.fail("500", "500", method="PUT")
    accepted = services.submit_predictions(
        user=person, benchmark="tiny-hoi", track=TRACK, system="S", file=io.BytesIO(b"{}")
    )
    assert accepted.is_new
    assert len(objects()) == 1
