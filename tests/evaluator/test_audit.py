"""What is said of a benchmark before anybody answers."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest

from evaluator.audit import Fact, TrackAudit, class_tables, training_facts
from evaluator.bundle import LabelClass
from evaluator.families import FAMILIES
from evaluator.families.hoi_choice.crosshoi import import_crosshoi
from evaluator.families.hoi_detection.importers import import_hico_det
from evaluator.wording import leak_facts
from infra.samples.clip_files import clip_bundle
from infra.samples.detections import detection_bundle
from infra.samples.files import bundle as choice_bundle
from infra.samples.scenes import questions

DATA = Path(__file__).resolve().parents[2] / "../shared/data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is absent")


def entries(*train: int | None) -> list[LabelClass]:
    return [LabelClass(name=f"c{n}", train_instances=count) for n, count in enumerate(train)]


def fact(audit: TrackAudit | tuple[Fact, ...], slug: str) -> Fact:
    facts = audit.facts if isinstance(audit, TrackAudit) else audit
    return next(each for each in facts if each.slug == slug)


def rows(audit: TrackAudit, slug: str) -> tuple[tuple[object, ...], ...]:
    return next(table.rows for table in audit.tables if table.slug == slug)


def test_divergence_by_hand() -> None:
    facts = training_facts(entries(3, 1, None), np.array([1, 1, 9]))
    assert fact(facts, "kl_train_test").value == pytest.approx(
        0.75 * log(0.75 / 0.5) + 0.25 * log(0.25 / 0.5)
    )


def test_a_class_that_never_occurs_makes_the_divergence_infinite() -> None:
    found = fact(training_facts(entries(3, 1), np.array([4, 0])), "kl_train_test")
    assert found.value is None
    assert "never occur here: 1" in found.reason


def test_ties_by_training_instances_go_by_the_parents_ids() -> None:
    # 41 classes with one instance each: the 21st by id is neither head nor tail.
    classes = [LabelClass(name=f"c{n}", id=40 - n, train_instances=1) for n in range(41)]
    counts = np.where(np.arange(41) > 20, 3, 1)
    assert fact(training_facts(classes, counts), "head_tail_ratio").value == 3.0


def test_without_training_counts_nothing_is_said() -> None:
    for found in training_facts(entries(None, None), np.array([1, 2])):
        assert found.value is None and found.reason


def test_histogram_counts_every_class_once() -> None:
    histogram, each = class_tables(entries(*range(8)), np.array([0, 1, 2, 4, 5, 9, 999, 5000]))
    counted = {str(span): n for span, n in histogram.rows if n}
    assert counted == {"0": 1, "1": 1, "2-4": 2, "5-9": 2, "500-999": 1, "1000+": 1}
    assert each.is_long and each.rows[7] == ("c7", 7, 5000)


def test_samples_are_audited() -> None:
    bundle = detection_bundle()
    audit = FAMILIES["hoi_detection"].audit
    assert audit is not None
    found = audit(bundle, "detect")
    assert fact(found, "n_images_without_pairs").value == 6
    assert [row[0] for row in rows(found, "slices")] == [
        "all",
        "rare",
        "non-rare",
        "object-rare",
        "object-non-rare",
    ]
    audit = FAMILIES["hoi_choice"].audit
    assert audit is not None
    found = audit(choice_bundle(questions()), "target-box")
    shares = [row[3] for row in rows(found, "positions")]
    assert sum(share for share in shares if isinstance(share, float)) == pytest.approx(1)
    assert sum(row[2] for row in rows(found, "options")) == pytest.approx(1)  # type: ignore[misc]
    assert rows(found, "chance")[0][0] == "all"


@needs_data
def test_hico_det_is_as_far_from_its_training_set_as_published() -> None:
    bundle, _ = import_hico_det(DATA / "hicodet/instances_test2015.json")
    audit = FAMILIES["hoi_detection"].audit
    assert audit is not None
    found = audit(bundle, "detect")
    assert fact(found, "kl_train_test").value == pytest.approx(0.0876, abs=5e-5)
    assert fact(found, "head_tail_ratio").value == pytest.approx(80.19, abs=5e-3)
    assert [fact(found, slug).value for slug in ("n_images", "n_pairs")] == [9_658, 33_405]


@needs_data
def test_right_choices_of_the_release_are_as_far_as_computed_before() -> None:
    bundle, _ = import_crosshoi(DATA / "crosshoi", "hicodet", annotations=None, seed=0)
    audit = FAMILIES["hoi_choice"].audit
    assert audit is not None
    found = audit(bundle, "target-box")
    assert fact(found, "head_tail_ratio").value == pytest.approx(7.13, abs=5e-3)
    assert fact(found, "kl_train_test").value == pytest.approx(0.619, abs=5e-4)
    assert rows(found, "options")[0][:2] == (3, 2)


def test_wording_that_gives_the_answer_away() -> None:
    told = [
        (("hold the red cup", "sit"), [True, False]),
        (("sit", "hold the red mug"), [False, True]),
    ]
    longer, frequent = leak_facts(told)
    assert longer.value == 1.0
    assert frequent.value == 0.0  # "sit", "hold", "the", "red": 2 of 10 each; "cup", "mug": 1
    mute = [(("sit", "run"), [True, False]), (("run", "sit"), [True, False])]
    assert [fact.value for fact in leak_facts(mute)] == [0.5, 0.5]
    assert leak_facts([(("sit", "run"), [False, False])])[0].value is None


def test_both_choice_families_audit_their_wording() -> None:
    for bundle in (clip_bundle(), choice_bundle(questions())):
        audit = FAMILIES[bundle.benchmark.family].audit
        assert audit is not None
        found = audit(bundle, bundle.benchmark.tracks[0].slug)
        for slug in ("right_longer", "right_more_frequent"):
            value = fact(found, slug).value
            assert value is not None
            assert 0 < value < 1
