"""Stores: keyed by digest, checked when read, opened by role."""

from __future__ import annotations

import hashlib
import io
import itertools
from pathlib import Path

import pytest

from portal.environment import EnvironmentIncomplete
from portal.exchange import storage
from portal.exchange.folder import FolderStore
from portal.exchange.storage import (
    Keys,
    StoreDamaged,
    StoreDenied,
    StoreMissing,
    StoreUnavailable,
    TooManyBytes,
    open_store,
)
from tests.conftest import Stores

DIGEST = hashlib.sha256(b"answers").hexdigest()


def test_what_was_put_comes_back(tmp_path: Path) -> None:
    store = FolderStore(str(tmp_path))
    assert store.put(b"answers").digest == DIGEST
    assert store.put(io.BytesIO(b"answers")).n_bytes == 7
    assert store.get(DIGEST) == b"answers"
    with store.open(DIGEST) as file:
        assert file.read() == b"answers"
    assert store.exists(DIGEST)
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_cut_or_changed_file_is_never_given_out(tmp_path: Path) -> None:
    store = FolderStore(str(tmp_path))
    store.put(b"answers")
    (place,) = (path for path in tmp_path.rglob("*") if path.is_file())
    for damaged in (b"answer", b"Answers", b""):
        place.write_bytes(damaged)
        with pytest.raises(StoreDamaged):
            store.get(DIGEST)
        with pytest.raises(StoreDamaged):
            store.open(DIGEST)


def test_source_beyond_the_limit_leaves_nothing(tmp_path: Path) -> None:
    store = FolderStore(str(tmp_path))
    with pytest.raises(TooManyBytes):
        store.put(io.BytesIO(b"x" * 11), max_bytes=10)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_missing_file_and_strange_digest(tmp_path: Path) -> None:
    store = FolderStore(str(tmp_path))
    with pytest.raises(StoreMissing):
        store.get("0" * 64)
    for digest in ("../../etc/passwd", "", "0" * 63, "G" * 64, "0" * 64 + "\n"):
        with pytest.raises(ValueError, match="digest"):
            store.get(digest)


def test_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreUnavailable):
        FolderStore(str(tmp_path / "file")).put(b"answers")


@pytest.mark.parametrize(
    ("role", "name"), list(itertools.product(storage.ACCESS, storage.STORES)), ids=str
)
def test_each_role_does_what_the_table_says(
    stores: Stores, role: storage.Role, name: storage.StoreName
) -> None:
    """Even with every address at hand, a role goes no further than its rights."""
    keys = Keys(role=role, urls=stores.urls("scoring"))
    before = storage.use(keys)
    try:
        store, granted = open_store(name), storage.ACCESS[role][name]
        if "w" in granted:
            store.put(b"answers")
        else:
            with pytest.raises(StoreDenied):
                store.put(b"answers")
        if "r" in granted:
            with pytest.raises(StoreMissing):
                store.get("0" * 64)
        else:
            for denied in (store.get, store.open):
                with pytest.raises(StoreDenied):
                    denied("0" * 64)
    finally:
        storage.use(before)


def test_web_process_reads_neither_truth_nor_outcomes(stores: Stores) -> None:
    with stores.acting_as("maintain"):
        digest = open_store("truth").put(b"hidden").digest
    assert storage.role() == "web"
    for name in ("truth", "outcomes"):
        for denied in (open_store(name).get, open_store(name).open):
            with pytest.raises(StoreDenied):
                denied(digest)


def test_web_process_starts_without_truth_and_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUMBLINE_ROLE", "web")
    for name in ("TRUTH", "OUTCOMES"):
        monkeypatch.delenv(f"PLUMBLINE_STORE_{name}", raising=False)
    assert set(Keys.from_environment().urls) == {"uploads", "questions"}


def test_missing_setting_stops_the_start_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUMBLINE_ROLE", "scoring")
    monkeypatch.setenv("PLUMBLINE_STORE_TRUTH", "folder:/somewhere")
    monkeypatch.delenv("PLUMBLINE_STORE_OUTCOMES", raising=False)
    with pytest.raises(EnvironmentIncomplete, match="PLUMBLINE_STORE_OUTCOMES"):
        Keys.from_environment()
    monkeypatch.setenv("PLUMBLINE_ROLE", "root")
    with pytest.raises(EnvironmentIncomplete, match="PLUMBLINE_ROLE"):
        Keys.from_environment()
