"""What readers and entrants can look up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.bundle import Bundle
from evaluator.errors import PredictionsInvalid
from evaluator.scoring import validate_predictions
from portal import services
from portal.benchmarks.models import BenchmarkVersion
from portal.errors import BenchmarkNotFound
from tests import factories
from tests.conftest import Stores

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def version(tmp_path: Path, stores: Stores) -> BenchmarkVersion:
    factories.version(tmp_path, stores, factories.bundle(version="2"), is_open=False)
    return factories.version(tmp_path, stores)


def test_list_shows_public_versions_only() -> None:
    (benchmark,) = services.list_benchmarks()
    assert (benchmark["name"], benchmark["promoted"]) == ("tiny-hoi", "1")
    (version,) = benchmark["versions"]
    assert (version["state"], version["n_questions"]) == ("OPEN", 24)
    assert [track["n_questions"] for track in version["tracks"]] == [12, 12]
    with pytest.raises(BenchmarkNotFound):
        services.version_detail(name="tiny-hoi", version="2")
    with pytest.raises(BenchmarkNotFound):
        services.benchmark_detail(name="nothing")


def test_detail_has_the_definition_and_the_words() -> None:
    detail = services.version_detail(name="tiny-hoi", version="1")
    assert detail["definition"]["bootstrap"]["draws"] == factories.DRAWS
    assert detail["family"]["primary_metric"] == "macro_f1"
    assert {facet["slug"] for facet in detail["family"]["facets"]} >= {"kind", "size"}


def test_questions_come_whole_or_by_track(version: BenchmarkVersion) -> None:
    whole = b"".join(services.questions_file(name="tiny-hoi", version="1"))
    assert whole == factories.bundle().questions
    lines = list(services.questions_file(name="tiny-hoi", version="1", track="target-box"))
    assert len(lines) == 12
    assert all(json.loads(line)["track"] == "target-box" for line in lines)
    assert b"right" not in whole
    with pytest.raises(BenchmarkNotFound):
        services.questions_file(name="tiny-hoi", version="1", track="nowhere")


def test_example_is_lawful_but_incomplete() -> None:
    example = services.example_predictions(benchmark="tiny-hoi", version="1", track="all-people")
    content = factories.bundle()
    bundle = Bundle(benchmark=content.benchmark, questions=content.questions, truth=None)
    with pytest.raises(PredictionsInvalid) as invalid:
        validate_predictions(bundle, "all-people", example.encode())
    assert {problem.code for problem in invalid.value.problems} == {"INCOMPLETE"}
