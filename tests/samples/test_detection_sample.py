"""The detection sample is lawful, the same everywhere, and ranks its systems as they see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.bundle import Bundle, read_bundle
from evaluator.scoring import family_of, score_predictions
from infra.samples.detections import NAME, write_detection_samples


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples") / "detection"
    write_detection_samples(folder)
    return folder


@pytest.fixture(scope="module")
def bundle(folder: Path) -> Bundle:
    return read_bundle(folder / NAME)


@pytest.fixture(scope="module")
def manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return content


def test_bundle_passes_the_checks_of_its_family(bundle: Bundle) -> None:
    assert family_of(bundle.benchmark).check(bundle) == []


def test_sample_is_the_same_on_every_machine(bundle: Bundle) -> None:
    assert {name: digest[:12] for name, digest in bundle.benchmark.digests.items()} == {
        "questions.jsonl": "f323ecf0471f",
        "truth.jsonl": "a32b5956aa3d",
    }


def test_every_system_says_how_its_detector_came_about(
    bundle: Bundle, manifest: dict[str, Any]
) -> None:
    facet = next(f for f in family_of(bundle.benchmark).facets if f.slug == "detector")
    stated = {entry["facets"]["detector"] for entry in manifest["submissions"]}
    assert stated == {slug for slug, _ in facet.values}


def test_systems_stand_as_they_see(folder: Path, bundle: Bundle, manifest: dict[str, Any]) -> None:
    values: dict[str, float] = {}
    for entry in manifest["submissions"]:
        card = score_predictions(bundle, "detect", (folder / entry["file"]).read_bytes(), draws=0)
        value = card.score("all", "map").value
        assert value is not None
        values[entry["system"]] = value
        assert not any("check" in note for note in card.notes)
    for better, worse in (
        ("Egret-L", "Egret-B"),
        ("Egret-B", "Redstart"),
        ("Egret-B", "Egret-B plain"),
        ("Redstart oracle", "Redstart"),
    ):
        assert values[better] > values[worse]
