"""Commands that need no site, with the real evaluator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.families.hoi_choice.crosshoi import PARTS
from plumbline.commands.bundles import CROSSHOI_PARTS
from tests.plumbline.command import Command
from tests.plumbline.small_bundle import (
    DRAWS,
    N_QUESTIONS,
    SEED,
    TRACK,
    write_predictions,
    write_small_bundle,
)

CROSSHOI = Path(__file__).resolve().parents[2] / "../shared/data/crosshoi"
needs_release = pytest.mark.skipif(
    not CROSSHOI.is_dir(), reason="../shared/data/crosshoi is absent"
)
GOLDEN_NAMES = {"exact_match": "em"}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_small_bundle(tmp_path / "bundle")


@pytest.fixture
def perfect(tmp_path: Path) -> Path:
    return write_predictions(tmp_path / "perfect.json")


@pytest.fixture
def half(tmp_path: Path) -> Path:
    return write_predictions(tmp_path / "half.json", n_right=N_QUESTIONS // 2)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.json"
    items = [{"question_id": f"i{n}-q0", "answer": ["E"]} for n in range(N_QUESTIONS - 1)]
    path.write_text(json.dumps({"predictions": [*items, {"question_id": "x", "answer": []}]}))
    return path


def test_a_lawful_file_validates_without_truth(
    plumbline: Command, tmp_path: Path, perfect: Path
) -> None:
    questions = write_small_bundle(tmp_path / "questions", with_truth=False)
    run = plumbline("validate", questions, perfect, "--track", TRACK)
    assert (run.code, run.err) == (0, "")
    assert "no problems (small-hoi@1, target-box, rules paper)" in run.out


def test_scoring_without_truth_explains_itself(
    plumbline: Command, tmp_path: Path, perfect: Path
) -> None:
    questions = write_small_bundle(tmp_path / "questions", with_truth=False)
    run = plumbline("score", questions, perfect, "--track", TRACK)
    assert run.code == 2
    assert "no truth.jsonl" in run.err
    assert "plumbline submit" in run.err


def test_all_problems_are_listed_with_their_places(
    plumbline: Command, bundle: Path, broken: Path
) -> None:
    run = plumbline("validate", bundle, broken, "--track", TRACK)
    assert run.code == 1
    assert "/predictions/0/answer/0  [VALUE]" in run.out
    assert 'found   "E"' in run.out
    assert "[UNKNOWN_ID]" in run.out
    assert "[INCOMPLETE]" in run.out
    assert f"{broken} has " in run.err


def test_problems_as_json(plumbline: Command, bundle: Path, broken: Path) -> None:
    run = plumbline("validate", bundle, broken, "--track", TRACK, "--json")
    assert run.code == 1
    assert run.document["valid"] is False
    assert run.document["n_problems"] == len(run.document["problems"])
    assert set(run.document["problems"][0]) == {"code", "where", "found", "wanted", "hint"}
    lawful = write_predictions(broken.with_name("lawful.json"))
    run = plumbline("validate", bundle, lawful, "--track", TRACK, "--json")
    assert (run.code, run.document["valid"], run.document["problems"]) == (0, True, [])


@pytest.mark.parametrize("command", ["score", "compare", "convert"])
def test_every_command_that_reads_predictions_lists_problems(
    plumbline: Command, bundle: Path, broken: Path, perfect: Path, tmp_path: Path, command: str
) -> None:
    broken.write_text('{"predictions": [}')
    more = {"score": (), "compare": (perfect,), "convert": ("--out", tmp_path / "out.json")}
    run = plumbline(command, bundle, broken, *more[command], "--track", TRACK, "--json")
    assert run.code == 1
    assert run.document["error"]["code"] == "input.SYNTAX"
    assert run.document["problems"][0]["code"] == "SYNTAX"
    assert not (tmp_path / "out.json").exists()


def test_scores_as_json_have_the_form_of_the_site(
    plumbline: Command, bundle: Path, half: Path
) -> None:
    run = plumbline("score", bundle, half, "--track", TRACK, "--json")
    assert run.code == 0
    card = run.document
    assert (card["benchmark"], card["track"], card["rules"]) == ("small-hoi@1", TRACK, "paper")
    assert (card["draws"], card["seed"], card["level"]) == (DRAWS, SEED, 0.95)
    score = card["scores"][0]
    assert (score["slice"], score["metric"]) == ("all", "macro_f1")
    assert score["low"] <= score["value"] <= score["high"]
    exact = next(s for s in card["scores"] if s["metric"] == "exact_match")
    assert exact["value"] == 0.5


def test_no_draws_give_values_only(plumbline: Command, bundle: Path, half: Path) -> None:
    run = plumbline("score", bundle, half, "--track", TRACK, "--draws", "0")
    assert run.code == 0
    assert "interval" not in run.out
    assert "exact_match" in run.out
    assert "50.00" in run.out


def test_scores_for_a_person_are_a_table_with_intervals(
    plumbline: Command, bundle: Path, half: Path
) -> None:
    run = plumbline("score", bundle, half, "--track", TRACK)
    head, exact = (
        next(line for line in run.out.splitlines() if line.startswith(name))
        for name in ("all", "exact_match")
    )
    assert head.split() == ["all", "percent", "95", "%", "interval", "counted"]
    assert exact.split()[1] == "50.00"
    assert exact.split()[3] == "to"
    assert run.err == ""


def test_a_comparison_is_signed_and_says_what_is_unresolved(
    plumbline: Command, bundle: Path, perfect: Path, half: Path
) -> None:
    run = plumbline("compare", bundle, half, perfect, "--track", TRACK, "--json")
    assert run.code == 0
    by_metric = {d["metric"]: d for d in run.document["differences"] if d["slice"] == "all"}
    exact = by_metric["exact_match"]
    assert exact["value"] == -0.5
    assert exact["low"] <= -0.5 <= exact["high"] < 0
    assert exact["unresolved"] is False
    assert by_metric["precision"]["value"] == 0
    table = plumbline("compare", bundle, half, half, "--track", TRACK).out
    line = next(line for line in table.splitlines() if line.startswith("exact_match"))
    assert line.split() == [
        *("exact_match", "50.00", "50.00", "+0.00", "+0.00", "to", "+0.00", "0.500", "unresolved")
    ]


def test_a_comparison_wants_draws(
    plumbline: Command, bundle: Path, perfect: Path, half: Path
) -> None:
    run = plumbline("compare", bundle, half, perfect, "--track", TRACK, "--draws", "0")
    assert run.code == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--track", "all-people"), "it has target-box"),
        (("--track", TRACK, "--rules", "mine"), "there are paper, released"),
        (("--track", TRACK, "--draws", "-1"), "invalid count value"),
    ],
)
def test_misuse_names_what_there_is(
    plumbline: Command, bundle: Path, perfect: Path, options: tuple[str, ...], said: str
) -> None:
    run = plumbline("score", bundle, perfect, *options)
    assert run.code == 2
    assert said in run.err
    assert run.out == ""


def test_a_folder_that_is_no_bundle_and_a_file_that_is_missing(
    plumbline: Command, bundle: Path, perfect: Path, tmp_path: Path
) -> None:
    run = plumbline("validate", tmp_path / "nowhere", perfect, "--track", TRACK)
    assert (run.code, "benchmark.json is missing" in run.err) == (2, True)
    run = plumbline("validate", bundle, tmp_path / "missing.json", "--track", TRACK)
    assert (run.code, "missing.json: No such file" in run.err) == (2, True)
    run = plumbline("validate", bundle, tmp_path, "--track", TRACK)
    assert (run.code, "directory" in run.err) == (2, True)


def test_the_released_form_is_converted_into_a_lawful_file(
    plumbline: Command, bundle: Path, tmp_path: Path
) -> None:
    released = tmp_path / "released.json"
    released.write_text(json.dumps({"i0.jpg": {"QA_0": ["ride a/an bicycle", "fly a/an kite"]}}))
    out = tmp_path / "out.json"
    run = plumbline("convert", bundle, released, "--track", TRACK, "--out", out)
    assert run.code == 0
    assert str(out) in run.out
    assert "11 of 12 questions left unanswered" in run.err
    assert plumbline("validate", bundle, out, "--track", TRACK).code == 0


def test_conversion_never_overwrites_its_source(
    plumbline: Command, bundle: Path, perfect: Path
) -> None:
    before = perfect.read_bytes()
    run = plumbline("convert", bundle, perfect, "--track", TRACK, "--out", perfect)
    assert run.code == 2
    assert perfect.read_bytes() == before


def test_the_command_knows_every_part_of_the_release() -> None:
    assert set(CROSSHOI_PARTS) == set(PARTS)


def test_a_source_without_the_release_is_said(plumbline: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = plumbline("bundle", "crosshoi", "--source", tmp_path, "--part", "hicodet", "--out", out)
    assert run.code == 2
    assert "crosshoi_bench_allscene_final.json" in run.err
    assert not out.exists()


@needs_release
def test_the_release_becomes_a_bundle_that_scores_as_the_released_scorer_did(
    plumbline: Command, tmp_path: Path
) -> None:
    out = tmp_path / "bundle"
    built = plumbline(
        *("bundle", "crosshoi", "--source", CROSSHOI, "--part", "hicodet", "--out", out, "--json")
    )
    assert built.code == 0
    assert built.document["odd"]
    assert built.document["report"]
    again = plumbline("bundle", "crosshoi", "--source", CROSSHOI, "--part", "hicodet", "--out", out)
    assert (again.code, "not empty" in again.err) == (2, True)
    golden = json.loads((CROSSHOI / "golden/golden_metrics.json").read_bytes())
    tracks = {"allscene": "all-people", "hum_box": "target-box"}
    for setting, track in tracks.items():
        for name in ("plausible", "plausible_missing_files"):
            run = plumbline(
                *("score", out, CROSSHOI / f"golden/pred_{setting}_{name}.json"),
                *("--track", track, "--rules", "released", "--draws", "0", "--json"),
            )
            assert run.code == 0
            scores = {
                s["metric"]: s["value"] for s in run.document["scores"] if s["slice"] == "all"
            }
            expected = golden[f"{setting}/{name}"]
            for metric in ("macro_f1", "instance_f1", "micro_f1", "exact_match", "precision"):
                wanted = expected[GOLDEN_NAMES.get(metric, metric)]
                assert scores[metric] == pytest.approx(wanted, abs=1e-9), (setting, name, metric)
