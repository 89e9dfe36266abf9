"""The sample benchmark is lawful, the same everywhere, and holds the oddities it is there for."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evaluator.bundle import Bundle, read_bundle
from evaluator.errors import PredictionsInvalid
from evaluator.families.hoi_choice.checks import position_shares
from evaluator.scorecard import Scorecard
from evaluator.scoring import family_of, score_predictions, validate_predictions
from infra.samples.__main__ import main
from infra.samples.vocabulary import UNSEEN_BIN

TRACKS = ("all-people", "target-box", "detect-then-answer")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples") / "out"
    assert main(["--out", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def bundle(folder: Path) -> Bundle:
    return read_bundle(folder / "sample-hoi")


@pytest.fixture(scope="module")
def manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return content


@pytest.fixture(scope="module")
def cards(
    folder: Path, bundle: Bundle, manifest: dict[str, Any]
) -> dict[tuple[str, str], Scorecard]:
    """Values of every system on every track, by (track, system)."""
    return {
        (entry["track"], entry["system"]): score_predictions(
            bundle, entry["track"], (folder / entry["file"]).read_bytes(), draws=0
        )
        for entry in manifest["submissions"]
    }


def test_bundle_passes_the_checks_of_its_family(bundle: Bundle) -> None:
    assert family_of(bundle.benchmark).check(bundle) == []


def test_samples_are_the_same_on_every_machine(bundle: Bundle) -> None:
    assert {name: digest[:12] for name, digest in bundle.benchmark.digests.items()} == {
        "questions.jsonl": "182aca003e46",
        "truth.jsonl": "e7941cae7dac",
    }


def test_perfect_answers_score_one(bundle: Bundle) -> None:
    family = family_of(bundle.benchmark)
    for track in TRACKS:
        card = score_predictions(bundle, track, family.perfect(bundle, track), draws=0)
        for metric in ("macro_f1", "instance_f1", "micro_f1", "exact_match", "precision"):
            assert card.score("all", metric).value == 1.0


def test_thirty_systems_and_more_stand_on_each_track(manifest: dict[str, Any]) -> None:
    systems = Counter(entry["track"] for entry in manifest["submissions"])
    assert set(systems) == set(TRACKS)
    assert min(systems.values()) >= 30
    kinds = {entry["facets"]["kind"] for entry in manifest["submissions"]}
    assert kinds == {"hoi-specific", "vlm-zero-shot", "fine-tuned"}
    facets: dict[str, dict[str, str]] = {}
    for entry in manifest["submissions"]:
        assert facets.setdefault(entry["system"], entry["facets"]) == entry["facets"]


def test_questions_hold_the_oddities(bundle: Bundle) -> None:
    questions = [json.loads(line) for line in bundle.questions.splitlines()]
    truth = [json.loads(line) for line in (bundle.truth or b"").splitlines()]
    per_image = Counter((question["track"], question["image"]) for question in questions)
    assert len({image for _, image in per_image}) == 120
    assert sorted(set(per_image.values())) == [1, 2]
    assert {len(question["choices"]) for question in questions} >= {3, 4, 5}
    assert sum(not line["right"] for line in truth) == len(TRACKS)
    assert {line["scene"] for line in truth} == {"one-person", "same-hoi", "different-hoi"}
    n_rare = sum("rare" in entry.groups for entry in bundle.benchmark.classes)
    assert n_rare == sum((e.train_instances or 0) < 10 for e in bundle.benchmark.classes) > 10
    instances = Counter(entry.train_instances for entry in bundle.benchmark.classes)
    assert instances.most_common(1)[0][1] > 1  # classes tie by training instances


def test_positions_give_nothing_away(bundle: Bundle) -> None:
    for track in TRACKS:
        found, expected, sigma = position_shares(bundle, track)
        assert (abs(found - expected)[:4] <= 3 * sigma[:4]).all()


def test_one_slice_is_empty_and_says_so(cards: dict[tuple[str, str], Scorecard]) -> None:
    score = cards["target-box", "Condor-72B"].score(UNSEEN_BIN, "recall")
    assert score.value is None
    assert score.reason
    assert cards["target-box", "Condor-72B"].score("rare", "recall").n


def test_two_systems_tie_to_the_last_digit(cards: dict[tuple[str, str], Scorecard]) -> None:
    for track in TRACKS:
        assert cards[track, "Tern-8B"].scores == cards[track, "Tern-8B 4-bit"].scores


def test_systems_have_the_faults_that_they_are_there_for(
    folder: Path, cards: dict[tuple[str, str], Scorecard]
) -> None:
    def share(system: str, metric: str) -> float:
        value = cards["target-box", system].score("all", metric).value
        assert value is not None
        return value

    assert share("Bittern-9B", "abstention_rate") > 0.35
    assert share("Fulmar-30B", "misattribution") > share("Heron-32B", "misattribution") + 0.05
    assert share("Condor-72B", "macro_f1") > share("Kestrel-8B", "macro_f1") + 0.05
    assert share("Kestrel-8B", "macro_f1") > share("Snipe-3B", "macro_f1") + 0.05
    items = json.loads((folder / "predictions/target-box/lapwing-7b.json").read_bytes())
    letters = Counter(letter for item in items["predictions"] for letter in item["answer"])
    assert letters["A"] > 1.3 * letters["B"]


def test_malformed_file_has_five_kinds_of_faults(folder: Path, bundle: Bundle) -> None:
    with pytest.raises(PredictionsInvalid) as caught:
        validate_predictions(bundle, "target-box", (folder / "malformed.json").read_bytes())
    found = [(problem.code, problem.where) for problem in caught.value.problems]
    assert found == [
        ("VALUE", "/predictions/3/answer/1"),
        ("UNKNOWN_ID", "/predictions/8/question_id"),
        ("TYPE", "/predictions/21/answer"),
        ("DUPLICATE_ID", "/predictions/34/question_id"),
        ("INCOMPLETE", "/predictions"),
    ]


def test_second_run_into_the_same_folder_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--out", str(folder)]) == 1
    assert "is not empty" in capsys.readouterr().err
