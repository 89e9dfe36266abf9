"""Clips from invented evidence to ranked rows: models that talk, people on the review subset."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from infra.samples.clip_files import write_clip_samples
from tests.journeys.conftest import Journey

TRACK = "tracked-boxes"
NAMES = {"Lynx-38B": "lynx-38b", "Weasel-7B": "weasel-7b", "Four people": "four-people"}

pytestmark = pytest.mark.journey


@pytest.fixture(scope="module")
def board(journey: Journey, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("clips")
    write_clip_samples(folder)
    journey.load(folder / "sample-clips")
    for system, slug in NAMES.items():
        file: Path = folder / "predictions" / TRACK / f"{slug}.json"
        done = journey.plumbline(
            "submit", file, "--benchmark", "sample-clips", "--track", TRACK,
            "--system", system, "--publish", "--wait",
        )  # fmt: skip
        assert (done["state"], done["intervals"]) == ("scored", "ready")
    deadline = time.monotonic() + 120
    while True:
        said = journey.plumbline("board", "sample-clips@1", "--track", TRACK)
        found: dict[str, Any] = said.get("board", said)
        entrants = [row for row in found["rows"] if row["kind"] == "entrant"]
        micro = [row["scores"]["review-subset"]["question_micro"] for row in entrants]
        if len(micro) == len(NAMES) and all(s["interval"] == "ready" and s["rank"] for s in micro):
            return found
        assert time.monotonic() < deadline, "the board never became complete"
        time.sleep(1.0)


def test_every_row_stands_with_ranks_in_every_scope(board: dict[str, Any]) -> None:
    rows = {row["name"]: row for row in board["rows"]}
    assert {"Chance", "Always A", "Most frequent letter", *NAMES} == set(rows)
    full = rows["Lynx-38B"]["scores"]["all"]["question_micro"]
    assert (full["rank"], full["interval"]) == (1, "ready")
    assert "all" not in rows["Four people"]["scores"]
    people = rows["Four people"]["scores"]["review-subset"]["question_micro"]
    assert (people["rank"], people["best"]) == (1, True)
    assert rows["Weasel-7B"]["scores"]["review-subset"]["question_micro"]["rank"] == 3
    traps = rows["Weasel-7B"]["scores"]["actor-disambiguation"]
    assert traps["trap_lift"]["value"] == pytest.approx(3 * traps["trap_rate"]["value"], abs=1e-3)


def test_the_board_says_that_the_source_is_provisional(board: dict[str, Any]) -> None:
    assert board["track"]["note"].startswith("Provisional")
    assert {slice_["slug"] for slice_ in board["slices"]} >= {"all", "review-subset"}
