"""CrossHOI-Bench from its released files to ranked rows with intervals, through every process."""

from __future__ import annotations

import json
import time
from pathlib import Path

import httpx
import pytest

from tests.journeys.conftest import Journey

RELEASE = Path(__file__).resolve().parents[2] / "../shared/data/crosshoi"
GOLDEN = RELEASE / "golden"
TRACKS = {"all-people": "allscene", "target-box": "hum_box"}

pytestmark = [
    pytest.mark.journey,
    pytest.mark.skipif(not RELEASE.exists(), reason="../shared/data/crosshoi is absent"),
]


@pytest.fixture(scope="module")
def bundle(journey: Journey, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundles") / "crosshoi"
    journey.plumbline(
        "bundle", "crosshoi", "--source", RELEASE, "--part", "hicodet", "--out", folder
    )
    journey.load(folder)
    return folder


@pytest.mark.parametrize("track", TRACKS)
def test_golden_submissions_stand_on_the_board_in_the_right_order(
    journey: Journey, bundle: Path, tmp_path: Path, track: str
) -> None:
    expected = json.loads((GOLDEN / "golden_metrics.json").read_bytes())
    systems = {"Plausible": "plausible", "Plausible, gaps": "plausible_missing_files"}
    for system, name in systems.items():
        lawful = tmp_path / f"{name}.json"
        released = GOLDEN / f"pred_{TRACKS[track]}_{name}.json"
        journey.plumbline("convert", bundle, released, "--track", track, "--out", lawful)
        journey.plumbline("validate", bundle, lawful, "--track", track)
        done = journey.plumbline(
            "submit", lawful, "--benchmark", "crosshoi-hicodet", "--track", track,
            "--system", system, "--publish", "--wait",
        )  # fmt: skip
        assert done["state"] == "scored"
        assert done["intervals"] == "ready"

    board = board_when_complete(journey, track)
    rows = {row["name"]: row for row in board["rows"] if row["kind"] == "entrant"}
    assert set(rows) == set(systems)
    for metric, golden in {"instance_f1": "instance_f1", "micro_f1": "micro_f1"}.items():
        scores = {name: row["scores"]["all"][metric] for name, row in rows.items()}
        for name, score in scores.items():
            # Sets or lists, the file repeats no label: paper and released rules agree here.
            golden_value = expected[f"{TRACKS[track]}/{systems[name]}"][golden]
            assert score["value"] == pytest.approx(golden_value, abs=5e-4)
            assert score["low"] <= score["value"] <= score["high"]
        assert [scores[name]["rank"] for name in systems] == [1, 2]
    order = [row["name"] for row in board["rows"] if row["name"] in systems]
    assert order == list(systems)


@pytest.mark.parametrize("track", TRACKS)
def test_the_paired_difference_is_served(journey: Journey, bundle: Path, track: str) -> None:
    rows = {row["name"]: row["system"] for row in board_when_complete(journey, track)["rows"]}
    answer = httpx.get(
        f"{journey.address}/api/v1/comparisons/crosshoi-hicodet/1/{track}",
        params={"first": rows["Plausible"], "second": rows["Plausible, gaps"]},
    ).raise_for_status()
    (difference,) = (
        entry
        for entry in answer.json()["differences"]
        if (entry["slice"], entry["metric"]) == ("all", "macro_f1")
    )
    assert 0 < difference["low"] <= difference["value"] <= difference["high"]
    assert difference["unresolved"] is False
    assert difference["probability_better"] == pytest.approx(1.0, abs=0.01)


def test_the_truth_stays_in_the_house(journey: Journey, bundle: Path) -> None:
    questions = httpx.get(
        f"{journey.address}/api/v1/benchmarks/crosshoi-hicodet/versions/1/questions"
    ).raise_for_status()
    lines = [json.loads(line) for line in questions.text.splitlines()]
    assert len(lines) == 4 * 1274
    assert all("right" not in line and "others" not in line for line in lines)
    hidden = [line for line in lines if line["track"] == "detect-then-answer"]
    assert all(line.get("person_box") is None for line in hidden)


def board_when_complete(journey: Journey, track: str) -> dict:  # type: ignore[type-arg]  # JSON
    """The board once both rows stand there with ranks."""
    deadline = time.monotonic() + 120
    while True:
        board = journey.plumbline("board", "crosshoi-hicodet@1", "--track", track)
        board = board.get("board", board)
        entrants = [row for row in board["rows"] if row["kind"] == "entrant"]
        scores = [row["scores"]["all"]["instance_f1"] for row in entrants]
        if len(scores) == 2 and all(s["interval"] == "ready" and s["rank"] for s in scores):
            return board
        assert time.monotonic() < deadline, "the board never became complete"
        time.sleep(1.0)
