"""The store in a bucket: the same promises, and faults of the network survived or said.

The server is a real one that checks signatures; the faults are those of a proxy before it.
"""

from __future__ import annotations

import hashlib
import time
import uuid

import httpx
import pytest

from infra.object_store import EmbeddedObjectStore
from portal.exchange import direct
from portal.exchange.s3 import S3Store
from portal.exchange.storage import StoreDamaged, StoreMissing, StoreUnavailable, TooManyBytes
from tests.conftest import wait_until
from tests.fault_proxy import Fault, FaultProxy

CONTENT = b"answers" * 1000
DIGEST = hashlib.sha256(CONTENT).hexdigest()
PARTS = (b"a" * direct.LEAST_PART_BYTES, b"the rest")
http = httpx.Client(trust_env=False)
WHOLE = hashlib.sha256(b"".join(PARTS)).hexdigest()


@pytest.fixture
def store(object_store: EmbeddedObjectStore, proxy: FaultProxy) -> S3Store:
    """A new store, reached through the proxy."""
    return S3Store.at(object_store.store_url(uuid.uuid4().hex, endpoint=proxy.url))


def keys(store: S3Store) -> list[str]:
    # The server's clock is told in whole seconds.
    return [file.key for file in store.old_files(seconds=-1)]


def begun(store: S3Store) -> tuple[str, str]:
    """Key and name of an upload whose two parts were sent by their addresses."""
    key = direct.key_of(uuid.uuid4())
    upload = store.direct.begin(key)
    for address, part in zip(store.direct.addresses(key, upload, [1, 2]), PARTS, strict=True):
        assert http.put(address, content=part).status_code == 200
    return key, upload


def completed(store: S3Store) -> str:
    key, upload = begun(store)
    store.direct.complete(key, upload, store.direct.parts(key, upload))
    return key


def test_what_was_put_comes_back(store: S3Store) -> None:
    assert store.put(CONTENT).digest == DIGEST
    assert keys(store) == [DIGEST]
    assert store.get(DIGEST) == CONTENT
    assert store.exists(DIGEST)
    assert not store.exists("0" * 64)
    with pytest.raises(StoreMissing):
        store.get("0" * 64)


def test_source_beyond_the_limit_leaves_nothing(store: S3Store) -> None:
    with pytest.raises(TooManyBytes):
        store.put(CONTENT, max_bytes=10)
    assert keys(store) == []


@pytest.mark.parametrize("fault", ["500", "reset", "lost", "slow"])
def test_passing_faults_are_survived(store: S3Store, proxy: FaultProxy, fault: Fault) -> None:
    proxy.fail(fault, fault)
    assert store.put(CONTENT).digest == DIGEST
    proxy.fail(fault, "cut", method="GET")
    assert store.get(DIGEST) == CONTENT
    assert keys(store) == [DIGEST]


def test_cut_object_is_never_given_out(store: S3Store, proxy: FaultProxy) -> None:
    store.put(CONTENT)
    proxy.fail("short", method="GET")
    with pytest.raises(StoreDamaged):
        store.get(DIGEST)
    with pytest.raises(StoreDamaged):
        store.open(DIGEST, n_bytes=len(CONTENT) + 1)


def test_what_lies_there_whole_need_not_be_written_again(store: S3Store, proxy: FaultProxy) -> None:
    store.put(CONTENT)
    # A server that was killed between two steps of a write may refuse that name for ever.
    proxy.fail(*["500"] * 30, method="PUT")
    assert store.put(CONTENT).digest == DIGEST
    with pytest.raises(StoreUnavailable):
        store.put(CONTENT + b"!")


def test_what_lies_there_damaged_does_not_pass_for_written(
    store: S3Store, proxy: FaultProxy
) -> None:
    store.put(CONTENT)
    proxy.fail(*["500"] * 30, method="PUT")
    proxy.fail(*["short"] * 30, method="GET")
    with pytest.raises(StoreUnavailable):
        store.put(CONTENT)


def test_lasting_faults_are_said(store: S3Store, proxy: FaultProxy) -> None:
    store.put(CONTENT)
    proxy.fail(*["500"] * 30)
    for call in (
        lambda: store.get(DIGEST),
        lambda: store.put(b"x"),
        lambda: store.exists(DIGEST),
        lambda: keys(store),
        lambda: store.direct.begin(direct.key_of(uuid.uuid4())),
    ):
        with pytest.raises(StoreUnavailable):
            call()


def test_parts_become_one_file_that_is_checked_when_read(store: S3Store) -> None:
    key, upload = begun(store)
    parts = store.direct.parts(key, upload)
    assert [(part.number, part.n_bytes) for part in parts] == [(1, len(PARTS[0])), (2, 8)]
    store.direct.complete(key, upload, parts)
    assert store.direct.n_bytes(key) == sum(map(len, PARTS))
    assert store.direct.head(key, 8) == b"a" * 8
    with store.open(WHOLE, key=key, n_bytes=sum(map(len, PARTS))) as file:
        assert file.read() == b"".join(PARTS)
    with pytest.raises(StoreDamaged):
        store.open(DIGEST, key=key)
    with pytest.raises(StoreDamaged):
        store.open(WHOLE, key=key, n_bytes=7)
    assert keys(store) == [key]
    assert not store.exists(WHOLE)


def test_an_upload_ends_once(store: S3Store) -> None:
    key, upload = begun(store)
    parts = store.direct.parts(key, upload)
    (address,) = store.direct.addresses(key, upload, [1])
    store.direct.complete(key, upload, parts)
    for over in (
        lambda: store.direct.complete(key, upload, parts),
        lambda: store.direct.parts(key, upload),
    ):
        with pytest.raises(StoreMissing):
            over()
    store.direct.abort(key, upload)
    assert http.put(address, content=b"other answers").status_code == 404
    assert store.direct.n_bytes(key) == sum(map(len, PARTS))


def test_an_aborted_upload_leaves_nothing(store: S3Store) -> None:
    key, upload = begun(store)
    store.direct.abort(key, upload)
    store.direct.abort(key, upload)
    for gone in (lambda: store.direct.parts(key, upload), lambda: store.direct.n_bytes(key)):
        with pytest.raises(StoreMissing):
            gone()
    assert keys(store) == []


def test_a_part_that_changed_is_not_completed(store: S3Store) -> None:
    key, upload = begun(store)
    parts = store.direct.parts(key, upload)
    (address,) = store.direct.addresses(key, upload, [2])
    http.put(address, content=b"changed!")
    with pytest.raises(StoreDamaged):
        store.direct.complete(key, upload, parts)


def test_an_address_is_good_for_its_part_and_its_time(
    store: S3Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.exchange.s3_direct.ADDRESS_SECONDS", 1)
    key = direct.key_of(uuid.uuid4())
    upload = store.direct.begin(key)
    first, second = store.direct.addresses(key, upload, [1, 2])
    other_part = first.replace("partNumber=1", "partNumber=3")
    assert http.put(other_part, content=b"x").status_code == 403
    assert http.get(first).status_code == 403
    wait_until(lambda: http.put(second, content=b"x").status_code == 403, step=0.3)


def test_addresses_name_the_store_as_the_world_knows_it(
    object_store: EmbeddedObjectStore, proxy: FaultProxy
) -> None:
    inside = object_store.store_url(uuid.uuid4().hex)
    store = S3Store.at(f"{inside}&public_endpoint={proxy.url}")
    key = completed(store)
    assert len(proxy.requests("PUT", "partNumber=")) == 2
    assert {one.method for one in proxy.passed} == {"PUT"}
    assert store.direct.n_bytes(key) == sum(map(len, PARTS))


def test_deleted_files_are_gone_and_strangers_stay(
    store: S3Store, object_store: EmbeddedObjectStore
) -> None:
    store.put(CONTENT)
    key = completed(store)
    assert sorted(keys(store)) == sorted([DIGEST, key])
    assert list(store.old_files(seconds=3600)) == []
    for name in (DIGEST, key, key):
        store.delete(name)
    assert keys(store) == []
    for name in ("../other", "direct/../x", "direct/x", "x"):
        with pytest.raises(ValueError, match=r"digest|key"):
            store.delete(name)


def test_a_bucket_is_reachable_if_it_answers_us(
    store: S3Store, object_store: EmbeddedObjectStore, proxy: FaultProxy
) -> None:
    assert store.is_reachable()
    for fault in ("500", "503", "reset", "lost"):
        proxy.fail(fault)
        assert not store.is_reachable()
    other = object_store.store_url(uuid.uuid4().hex).replace("s3://", "s3://no-")
    assert not S3Store.at(other).is_reachable()


def test_a_store_that_is_away_or_does_not_know_us_is_soon_found_unreachable(
    object_store: EmbeddedObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.monotonic()
    # An address for examples, which leads nowhere.
    for endpoint in ("http://127.0.0.1:1", "http://192.0.2.1"):
        assert not S3Store.at(f"s3://bucket/x?endpoint={endpoint}&region=a").is_reachable()
    assert time.monotonic() - began < 10
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    assert not S3Store.at(object_store.store_url("x")).is_reachable()
