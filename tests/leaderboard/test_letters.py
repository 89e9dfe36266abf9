"""Letters bring a published file onto the board: real worker, broker and database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from portal import services
from tests import factories
from tests.conftest import Process, Stores, wait_until


@pytest.mark.journey
def test_a_published_file_arrives_on_a_complete_board(
    start_worker: Callable[..., Process], stores: Stores, tmp_path: Path
) -> None:
    version = factories.version(tmp_path, stores)
    track = factories.TRACKS[0]
    start_worker()
    person = factories.user()
    for system in ("First", "Second"):
        data = factories.predictions(
            lambda n, s=system: factories.right(n) if s == "First" else ["A"]
        )
        factories.submit(person, data, system=system, publish=True)

    def is_complete() -> bool:
        stage = services.board_stage(version_id=version.id, track=track)
        settled = services.board_is_settled(version_id=version.id, track=track)
        return settled and stage == "complete"

    wait_until(is_complete, seconds=60)
    board = services.board_document(benchmark="tiny-hoi", version="1", track=track).value
    ranked = [row for row in board["rows"] if row["kind"] == "entrant"]
    assert [row["name"] for row in ranked] == ["First", "Second"]
    for row in ranked:
        score = row["scores"]["all"]["instance_f1"]
        assert score["interval"] == "ready" and score["rank_interval_text"]
    pair = services.comparison(
        benchmark="tiny-hoi", version="1", track=track, first="first", second="second"
    )
    assert any(d["low"] is not None for d in pair["differences"])
