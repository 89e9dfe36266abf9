"""The clips sample is lawful, the same everywhere, and a second source builds the same way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.bundle import read_bundle
from evaluator.families.actionlens.builder.build import PROVISIONAL, build
from evaluator.families.actionlens.builder.evidence import read_evidence
from evaluator.families.actionlens.builder.ledger import Ledger
from evaluator.families.actionlens.schema import questions_of
from evaluator.scoring import family_of, score_predictions
from infra.samples.clip_files import write_clip_samples
from infra.samples.tubes import volleyball


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    write_clip_samples(folder)
    return folder


def test_samples_are_the_same_on_every_machine(folder: Path) -> None:
    digests = read_bundle(folder / "sample-clips").benchmark.digests
    assert {name: digest[:12] for name, digest in digests.items()} == {
        "questions.jsonl": "6d1ad9fdf242",
        "truth.jsonl": "805b3200ad90",
    }


def test_every_viewer_is_scored_and_people_see_best(folder: Path) -> None:
    bundle = read_bundle(folder / "sample-clips")
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    values = {}
    for entry in manifest["submissions"]:
        data = (folder / entry["file"]).read_bytes()
        card = score_predictions(bundle, entry["track"], data, draws=0)
        if entry["track"] == "tracked-boxes":
            values[entry["system"]] = card.score("review-subset", "question_micro").value or 0.0
    assert max(values, key=lambda system: values[system]) == "Four people"
    assert len(values) == 11


def test_tubes_of_another_sport_build_a_provisional_benchmark() -> None:
    ledger = Ledger()
    bundle = build(read_evidence(volleyball(), ledger), ledger, seed=1)
    assert ledger.bad_rows == []
    assert family_of(bundle.benchmark).check(bundle) == []
    assert {question.diagnostic for question in questions_of(bundle)} == {"D2"}
    assert ledger.built["D2"] > 100
    assert bundle.benchmark.tracks[0].note == PROVISIONAL
    assert any(PROVISIONAL in note for note in bundle.benchmark.notes)
