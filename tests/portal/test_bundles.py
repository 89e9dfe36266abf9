"""Loading bundles: once, checked, with published rows as printed; opening and closing."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command

from evaluator.bundle import Bundle, ReferenceDifference
from evaluator.families import FAMILIES
from portal import services
from portal.benchmarks.models import Benchmark, BenchmarkVersion
from portal.errors import BenchmarkNotFound, BundleRefused, StateConflict
from portal.evaluations.models import Evaluation, Event, Score
from portal.exchange.storage import StoreDenied, open_store
from portal.submissions.models import Submission, System
from tests import factories
from tests.conftest import ROOT, Stores

pytestmark = pytest.mark.django_db

PUBLISHED = ROOT / "infra" / "benchmarks"


def references_only(name: str = "tiny-papers") -> Bundle:
    content = factories.bundle(
        name=name,
        references=(
            factories.reference(value="51.30"),
            factories.reference(value="48.7", slice="rare", low="40.1", high="57.0"),
            factories.reference(value="60.00", metric="exact_match", track="target-box"),
            factories.reference("Human", "91.2", kind="human", facets={}),
        ),
    )
    return replace(content, questions=b"", truth=None)


def load(path: Path, stores: Stores, content: Bundle, **options: bool) -> services.LoadedVersion:
    with stores.acting_as("maintain"):
        return services.load_bundle(
            folder=factories.folder(path, content), actor="maintainer", **options
        )


def test_bundle_becomes_a_draft_with_its_files_stored(tmp_path: Path, stores: Stores) -> None:
    content = factories.bundle()
    loaded = load(tmp_path, stores, content)
    version = BenchmarkVersion.objects.get(id=loaded.version_id)
    assert (version.state, version.n_questions, loaded.is_new) == ("DRAFT", 24, True)
    assert [track.slug for track in version.tracks.all()] == list(factories.TRACKS)
    with stores.acting_as("scoring"):
        assert open_store("questions").get(version.questions_digest) == content.questions
        assert open_store("truth").get(version.truth_digest) == content.truth
    trivial = Evaluation.objects.filter(submission__source="TRIVIAL", status="QUEUED")
    assert trivial.count() == loaded.n_trivial == 6
    assert services.list_benchmarks() == []


def test_same_bundle_twice_is_one_version(tmp_path: Path, stores: Stores) -> None:
    first = load(tmp_path, stores, factories.bundle())
    second = load(tmp_path, stores, factories.bundle(), open_now=True)
    assert (second.version_id, second.is_new, second.state) == (first.version_id, False, "OPEN")
    third = load(tmp_path, stores, factories.bundle(), open_now=True)
    assert (third.version_id, third.state) == (first.version_id, "OPEN")
    assert Event.objects.filter(kind="version.loaded").count() == 1
    assert Event.objects.filter(kind="version.opened").count() == 1


def test_other_content_under_the_same_version_is_refused(tmp_path: Path, stores: Stores) -> None:
    load(tmp_path, stores, factories.bundle())
    with pytest.raises(BundleRefused, match="new version"):
        load(tmp_path, stores, factories.bundle(n_images=16))


def test_unsound_bundles_are_refused_and_leave_nothing(tmp_path: Path, stores: Stores) -> None:
    content = factories.bundle()
    lines = content.truth.splitlines(keepends=True) if content.truth else []
    twice = (factories.reference(), factories.reference())
    plan = msgspec.structs.replace(content.benchmark, family="palmistry")
    unsound = {
        "truth": replace(content, truth=b"".join(lines[1:])),
        "no truth.jsonl": replace(content, truth=None),
        "two values": factories.bundle(references=twice),
        "no track": factories.bundle(references=(factories.reference(track="nowhere"),)),
        "palmistry": replace(content, benchmark=plan),
        "neither questions nor": replace(references_only(), references=()),
    }
    for said, bundle in unsound.items():
        with pytest.raises(BundleRefused, match=said):
            load(tmp_path, stores, bundle)
    assert not BenchmarkVersion.objects.exists()


def test_trivial_row_takes_over_no_published_system(tmp_path: Path, stores: Stores) -> None:
    trivial = FAMILIES["hoi_choice"].trivial[0]
    content = factories.bundle(references=(factories.reference(trivial.slug, "12.00"),))
    load(tmp_path, stores, replace(content, questions=b"", truth=None))
    second = msgspec.structs.replace(content.benchmark, version="2")
    loaded = load(tmp_path, stores, replace(content, benchmark=second, references=()))
    third = msgspec.structs.replace(content.benchmark, version="3")
    load(tmp_path, stores, replace(content, benchmark=third, references=()))
    published = System.objects.get(slug=trivial.slug)
    assert (published.kind, published.submissions.count()) == ("reported", 1)
    computed = System.objects.get(name=trivial.title)
    assert (computed.kind, computed.slug) == ("trivial", f"{trivial.slug}-2")
    # The worker still finds the rule of the family that the row follows.
    evaluation = Evaluation.objects.filter(
        version_id=loaded.version_id, submission__system=computed
    ).first()
    assert evaluation is not None
    brief = services.begin_scoring(evaluation_id=evaluation.id, worker="test")
    assert brief is not None and brief.trivial == trivial.slug


def test_changed_file_is_refused(tmp_path: Path, stores: Stores) -> None:
    folder = factories.folder(tmp_path)
    truth = folder / "truth.jsonl"
    truth.write_bytes(truth.read_bytes().replace(b'"A"', b'"B"', 1))
    with stores.acting_as("maintain"), pytest.raises(BundleRefused, match="SHA-256"):
        services.load_bundle(folder=folder, actor="maintainer")


def test_web_process_cannot_load_truth(tmp_path: Path) -> None:
    with pytest.raises(StoreDenied):
        services.load_bundle(folder=factories.folder(tmp_path), actor="nobody")


def test_published_rows_stand_as_printed(tmp_path: Path, stores: Stores) -> None:
    loaded = load(tmp_path, stores, references_only(), open_now=True)
    assert (loaded.n_reported, loaded.n_trivial, loaded.n_questions) == (3, 0, 0)
    hola = System.objects.get(name="HOLa")
    assert (hola.kind, hola.team, hola.description) == ("reported", None, "Table 2")
    assert System.objects.get(name="Human").kind == "human"
    scores = {
        (s.slice, s.metric): s for s in Score.objects.filter(evaluation__submission__system=hola)
    }
    plain, bounded = scores["all", "macro_f1"], scores["rare", "macro_f1"]
    assert (plain.value, plain.printed, plain.low) == (0.513, "51.30", None)
    assert plain.interval_reason
    assert (bounded.printed, bounded.low, bounded.high) == ("48.7", 0.401, 0.57)
    assert (bounded.printed_low, bounded.printed_high) == ("40.1", "57.0")
    rows = Submission.objects.filter(system=hola)
    assert {row.visibility for row in rows} == {"PUBLISHED"}
    assert rows.count() == 2


def test_nothing_can_be_submitted_to_published_results(tmp_path: Path, stores: Stores) -> None:
    load(tmp_path, stores, references_only(), open_now=True)
    with pytest.raises(Exception, match="published results only"):
        factories.submit(factories.user(), benchmark="tiny-papers")


def test_published_differences_are_kept(tmp_path: Path, stores: Stores) -> None:
    difference = ReferenceDifference("all-people", "all", "A", "B", "macro_f1", "1.5", "", "", "T2")
    content = replace(references_only(), differences=(difference,))
    loaded = load(tmp_path, stores, content)
    version = BenchmarkVersion.objects.get(id=loaded.version_id)
    assert version.reported_differences[0]["value"] == "1.5"


@pytest.mark.parametrize("name", sorted(path.name for path in PUBLISHED.iterdir() if path.is_dir()))
def test_shipped_results_load(name: str, stores: Stores) -> None:
    with stores.acting_as("maintain"):
        loaded = services.load_bundle(folder=PUBLISHED / name, actor="test", open_now=True)
    assert loaded.n_reported > 5 and loaded.state == "OPEN"
    document = services.board_document(
        benchmark=name,
        version=loaded.address.split("@")[1],
        track=BenchmarkVersion.objects.get(id=loaded.version_id).tracks.all()[0].slug,
    )
    assert document.value["rows"]


def test_first_opened_version_is_promoted(tmp_path: Path, stores: Stores) -> None:
    load(tmp_path, stores, factories.bundle(), open_now=True)
    load(tmp_path, stores, factories.bundle(version="2"), open_now=True)
    promoted = Benchmark.objects.get(name="tiny-hoi").promoted
    assert promoted is not None and promoted.version == "1"


def test_version_with_questions_takes_over_from_one_with_results_only(
    tmp_path: Path, stores: Stores
) -> None:
    results = references_only()
    load(tmp_path, stores, results, open_now=True)
    load(tmp_path, stores, factories.bundle(name="tiny-papers", version="2"), open_now=True)
    later = msgspec.structs.replace(results.benchmark, version="3")
    load(tmp_path, stores, replace(results, benchmark=later), open_now=True)
    promoted = Benchmark.objects.get(name="tiny-papers").promoted
    assert promoted is not None and promoted.version == "2"


def test_opening_and_closing_are_steps_without_return(tmp_path: Path, stores: Stores) -> None:
    loaded = load(tmp_path, stores, factories.bundle())
    step = {"version_id": loaded.version_id, "actor": "maintainer"}
    with pytest.raises(StateConflict):
        services.close_version(**step)
    services.open_version(**step)
    with pytest.raises(StateConflict):
        services.open_version(**step)
    services.close_version(**step)
    with pytest.raises(StateConflict):
        services.open_version(**step)
    kinds = Event.objects.filter(version_id=loaded.version_id, kind__startswith="version")
    assert list(kinds.values_list("kind", flat=True)) == [
        "version.loaded",
        "version.opened",
        "version.promoted",
        "version.closed",
    ]


def test_commands_load_open_and_close(tmp_path: Path, stores: Stores) -> None:
    folder, said = factories.folder(tmp_path), StringIO()
    with stores.acting_as("maintain"):
        call_command("load_bundle", str(folder), stdout=said)
    call_command("open_version", "tiny-hoi@1", stdout=said)
    call_command("close_version", "tiny-hoi@1", stdout=said)
    assert "24 questions, 0 reported rows, 6 trivial rows" in said.getvalue()
    assert BenchmarkVersion.objects.get().state == "CLOSED"
    with pytest.raises(CommandError, match="already"):
        call_command("open_version", "tiny-hoi@1")
    with pytest.raises(CommandError, match="missing"), stores.acting_as("maintain"):
        call_command("load_bundle", str(tmp_path / "nothing"))
    with pytest.raises(BenchmarkNotFound):
        services.version_id(address="tiny-hoi")
