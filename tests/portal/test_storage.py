"""Stores: keyed by digest, checked when read, opened by role."""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import uuid
from pathlib import Path

import pytest

from portal.environment import EnvironmentIncomplete
from portal.exchange import direct, storage
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


def test_a_bucket_copied_into_a_folder_is_read_by_key(tmp_path: Path) -> None:
    key = direct.key_of(uuid.uuid4())
    (tmp_path / "direct").mkdir()
    (tmp_path / key).write_bytes(b"answers")
    store = FolderStore(str(tmp_path))
    with store.open(DIGEST, key=key, n_bytes=7) as file:
        assert file.read() == b"answers"
    with pytest.raises(StoreDamaged):
        store.open(DIGEST, key=key, n_bytes=8)
    with pytest.raises(StoreDamaged):
        store.open("0" * 64, key=key)
    for strange in ("direct/../x", "direct/", "ab/cd", f"../{key}"):
        with pytest.raises(ValueError, match="key"):
            store.open(DIGEST, key=strange)


def test_only_old_files_of_the_store_are_named_and_deleted(tmp_path: Path) -> None:
    store = FolderStore(str(tmp_path))
    key = direct.key_of(uuid.uuid4())
    for content in (b"answers", b"fresh"):
        store.put(content)
    old = [
        tmp_path / DIGEST[:2] / DIGEST,
        tmp_path / key,
        tmp_path / ".arriving-x1",
        tmp_path / "n",
    ]
    (tmp_path / "direct").mkdir()
    for file in old:
        file.write_bytes(b"answers")
        os.utime(file, (0, 0))
    named = {file.key for file in store.old_files(seconds=3600)}
    assert named == {DIGEST, key, ".arriving-x1"}
    for name in (*named, key):
        store.delete(name)
    assert [file for file in old if file.exists()] == [tmp_path / "n"]
    assert len(list(store.old_files(seconds=-1))) == 1
    for strange in ("n", "../n", ".arriving-/../n"):
        with pytest.raises(ValueError, match="name"):
            store.delete(strange)


def test_housekeeping_lists_and_deletes_uploads_and_opens_none(stores: Stores) -> None:
    digest = open_store("uploads").put(b"answers").digest
    with stores.acting_as("housekeeping"):
        uploads = open_store("uploads")
        for denied in (uploads.get, uploads.open):
            with pytest.raises(StoreDenied):
                denied(digest)
        assert [file.key for file in uploads.old_files(seconds=-1)] == [digest]
        uploads.delete(digest)
        with pytest.raises(StoreDenied):
            open_store("truth").exists(digest)
    with pytest.raises(StoreDenied):
        open_store("uploads").delete(digest)


def test_stores_in_one_place_stop_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUMBLINE_ROLE", "web")
    monkeypatch.setenv("PLUMBLINE_STORE_UPLOADS", "s3://site/files?region=a")
    monkeypatch.setenv("PLUMBLINE_STORE_QUESTIONS", "s3://site/files/")
    with pytest.raises(EnvironmentIncomplete, match="PLUMBLINE_STORE"):
        Keys.from_environment()


def test_a_folder_is_reachable_before_its_first_file_but_not_below_a_file(tmp_path: Path) -> None:
    assert FolderStore(str(tmp_path / "not" / "yet")).is_reachable()
    (tmp_path / "file").write_bytes(b"")
    assert not FolderStore(str(tmp_path / "file" / "store")).is_reachable()


def test_who_may_not_look_into_a_store_learns_nothing_of_it(stores: Stores) -> None:
    assert open_store("uploads").is_reachable()
    with pytest.raises(StoreDenied):
        open_store("outcomes").is_reachable()
