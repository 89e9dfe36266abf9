"""Versions that hold published results only: shown as printed, ranked by nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from portal import services
from portal.api.schemas import BoardOut
from tests.conftest import Stores
from worker.boards import rebuild_board

BENCHMARKS = Path(__file__).resolve().parents[2] / "infra" / "benchmarks"


@pytest.mark.parametrize("name", ["actionlens", "crosshoi-hicodet"])
def test_a_shipped_version_is_a_full_board(
    db: None, stores: Stores, broker: str, client: Client, name: str
) -> None:
    with stores.acting_as("maintain"):
        loaded = services.load_bundle(folder=BENCHMARKS / name, actor="test", open_now=True)
    (entry,) = client.get("/api/v1/benchmarks").json()["benchmarks"]
    version = entry["versions"][0]
    for track in version["tracks"]:
        with stores.acting_as("scoring"):
            while not rebuild_board(loaded.version_id, track["slug"]):
                pass
        path = f"/api/v1/boards/{name}/{version['version']}/{track['slug']}"
        board: dict[str, Any] = client.get(path).json()
        BoardOut.model_validate(board)
        assert len(board["rows"]) == track["n_rows"] > 0
        listed = [slice_["slug"] for slice_ in board["slices"]]
        assert listed and "all" not in listed[1:]  # where there is a full slice, it comes first
        if "all" in listed:
            assert board["primary_metric"] in board["slices"][0]["metrics"]
        for row in board["rows"]:
            assert row["provenance"] == "reported"
            for scores in row["scores"].values():
                for score in scores.values():
                    assert score["rank"] is None
                    assert score["text"].replace(".", "").isdecimal()
        slug = board["rows"][0]["system"]
        assert client.get(f"{path}/systems/{slug}").json()["differences"] == []
        assert client.get(f"{path}.csv").status_code == 200
    detail = f"/api/v1/benchmarks/{name}/versions/{version['version']}"
    assert client.get(detail).json()["is_reference_only"]
    refused = client.get(f"{detail}/questions")
    assert (refused.status_code, refused.json()["code"]) == (422, "policy.reference_only")
