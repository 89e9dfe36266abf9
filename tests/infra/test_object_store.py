"""The S3 server of the tests: its keys are checked, and kill -9 costs it nothing."""

from __future__ import annotations

import hashlib

import pytest

from infra.object_store import EmbeddedObjectStore
from portal.exchange.s3 import S3Store
from portal.exchange.storage import StoreUnavailable

CONTENT = b"answers" * 1000
DIGEST = hashlib.sha256(CONTENT).hexdigest()


def test_wrong_key_is_never_success(
    object_store: EmbeddedObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = object_store.store_url("wrong-key")
    S3Store.at(url).put(CONTENT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "guessed")
    stranger = S3Store.at(url)
    for call in (
        lambda: stranger.get(DIGEST),
        lambda: stranger.exists(DIGEST),
        lambda: stranger.exists("0" * 64),
        lambda: stranger.put(b"other answers"),
    ):
        with pytest.raises(StoreUnavailable):
            call()


def test_what_was_stored_survives_a_kill(object_store: EmbeddedObjectStore) -> None:
    store = S3Store.at(object_store.store_url("kill"))
    store.put(CONTENT)
    object_store.stop(within=0)
    with pytest.raises(StoreUnavailable):
        store.exists(DIGEST)
    object_store.start()
    assert store.get(DIGEST) == CONTENT
