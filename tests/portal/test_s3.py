"""The store in a bucket: the same promises, and faults of the network survived or said."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest

from portal.exchange.s3 import S3Store
from portal.exchange.storage import StoreDamaged, StoreMissing, StoreUnavailable, TooManyBytes
from tests.portal.object_server import ObjectServer, object_server

CONTENT = b"answers" * 1000
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server() -> Iterator[ObjectServer]:
    with object_server() as server:
        yield server


@pytest.fixture
def store(server: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> S3Store:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    return S3Store.at(f"s3://uploads/site?endpoint={server.url}&region=eu-west-1")


def test_what_was_put_comes_back(store: S3Store, server: ObjectServer) -> None:
    assert store.put(CONTENT).digest == DIGEST
    assert list(server.objects) == [f"/uploads/site/{DIGEST[:2]}/{DIGEST}"]
    assert store.get(DIGEST) == CONTENT
    assert store.exists(DIGEST)
    assert not store.exists("0" * 64)
    with pytest.raises(StoreMissing):
        store.get("0" * 64)


def test_source_beyond_the_limit_leaves_nothing(store: S3Store, server: ObjectServer) -> None:
    with pytest.raises(TooManyBytes):
        store.put(CONTENT, max_bytes=10)
    assert server.objects == {}


def test_passing_faults_are_survived(store: S3Store, server: ObjectServer) -> None:
    server.faults = ["500", "reset"]
    assert store.put(CONTENT).digest == DIGEST
    assert server.n_requests == 3
    server.faults = ["500"]
    assert store.get(DIGEST) == CONTENT


def test_cut_object_is_never_given_out(store: S3Store, server: ObjectServer) -> None:
    store.put(CONTENT)
    ((place, content),) = server.objects.items()
    server.objects[place] = content[: len(content) * 9 // 10]
    with pytest.raises(StoreDamaged):
        store.get(DIGEST)


def test_lasting_faults_are_said(store: S3Store, server: ObjectServer) -> None:
    store.put(CONTENT)
    server.faults = ["500"] * 20
    for call in (lambda: store.get(DIGEST), lambda: store.put(b"x"), lambda: store.exists(DIGEST)):
        with pytest.raises(StoreUnavailable):
            call()
