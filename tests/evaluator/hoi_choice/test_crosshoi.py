"""The importer of CrossHOI-Bench on a release of our own making and on the real one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from evaluator.bundle import Bundle, read_bundle, write_bundle
from evaluator.choices import choice_order
from evaluator.errors import BundleInvalid
from evaluator.families.hoi_choice.checks import position_shares
from evaluator.families.hoi_choice.crosshoi import import_crosshoi
from evaluator.families.hoi_choice.definition import FAMILY
from evaluator.families.hoi_choice.schema import questions_of, truth_of
from evaluator.scoring import score_predictions

RELEASE = Path(__file__).parents[3] / "../shared/data/crosshoi"
HICO_ANNOTATIONS = RELEASE.parent / "hicodet/instances_test2015.json"

needs_release = pytest.mark.skipif(not RELEASE.exists(), reason="../shared/data/crosshoi is absent")


@pytest.fixture(scope="module")
def real() -> Bundle:
    return import_crosshoi(RELEASE, "hicodet", annotations=HICO_ANNOTATIONS)[0]


def write_release(folder: Path, questions: dict[str, object]) -> Path:
    (folder / "crosshoi_bench_hum_box_final.json").write_text(json.dumps(questions))
    return folder


def release_question(right: list[str], wrong: list[str]) -> dict[str, object]:
    return {"gt_choices": right, "wrong_choices": wrong, "boxes": {"human": [0, 0, 9, 9]}}


def test_odd_items_are_kept_by_rule_and_reported(tmp_path: Path) -> None:
    source = write_release(
        tmp_path,
        {
            "a.jpg": release_question(["ride a/an horse"], ["feed a/an horse", "pet a/an horse"]),
            "b.jpg": release_question([], ["feed a/an horse", "pet a/an horse"]),
            "c.jpg": release_question(
                ["ride a/an horse", "pet a/an horse"], ["pet a/an horse", "wash a/an moon"]
            ),
        },
    )
    bundle, report = import_crosshoi(source, "hicodet")
    truths = {t.id: t for t in truth_of(bundle) if t.track == "target-box"}
    questions = {q.id: q for q in questions_of(bundle) if q.track == "target-box"}
    assert truths["b-q0"].right == ()
    assert len(questions["c-q0"].choices) == 3
    assert len(truths["c-q0"].right) == 2
    assert len(truths["c-q0"].also_wrong) == 1
    said = "\n".join(report.lines)
    for words in ("3 choices", "no right choice", "stands on both sides", "name no HICO class"):
        assert words in said
    assert any(entry.name == "wash moon" and entry.id is None for entry in bundle.benchmark.classes)


def test_public_files_do_not_tell_the_truth(tmp_path: Path) -> None:
    source = write_release(
        tmp_path, {"c.jpg": release_question(["ride a/an horse"], ["pet a/an horse"] * 2)}
    )
    bundle, _ = import_crosshoi(source, "hicodet")
    assert not any("horse" in note for note in bundle.benchmark.notes)
    hidden = [q for q in questions_of(bundle) if q.track == "detect-then-answer"]
    assert all(question.person_box is None for question in hidden)


def test_a_folder_without_the_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleInvalid, match="holds none of"):
        import_crosshoi(tmp_path, "hicodet")


def test_choice_order_depends_on_question_text_and_seed_alone() -> None:
    texts = ["a", "b", "c", "d"]
    assert choice_order("q1", texts, 0) == choice_order("q1", texts[::-1], 0)
    orders = {tuple(choice_order(f"q{n}", texts, 0)) for n in range(200)}
    assert len(orders) == 24
    assert choice_order("q1", texts, 0) != choice_order("q1", texts, 3)


@needs_release
def test_positions_of_right_choices_are_balanced_in_the_built_questions(real: Bundle) -> None:
    for plan in real.benchmark.tracks:
        found, expected, _ = position_shares(real, plan.slug)
        shares = found[:4] / found.sum()
        assert np.abs(shares - 0.25).max() < 0.03, (plan.slug, shares)
        assert np.abs(found - expected).max() < 0.03 * found.sum()


@needs_release
def test_a_bundle_that_lists_right_choices_first_is_refused(real: Bundle) -> None:
    lines = []
    for question, truth in zip(questions_of(real), truth_of(real), strict=True):
        if question.track != "all-people":
            continue
        right = [
            c for letter, c in zip("ABCD", question.choices, strict=True) if letter in truth.right
        ]
        wrong = [c for c in question.choices if c not in right]
        lines.append((question, right + wrong, len(right)))
    questions = b"".join(
        json.dumps({"track": q.track, "id": q.id, "image": q.image, "choices": choices}).encode()
        + b"\n"
        for q, choices, _ in lines
    )
    truths = b"".join(
        json.dumps({"track": q.track, "id": q.id, "right": list("ABCD"[:n])}).encode() + b"\n"
        for q, _, n in lines
    )
    from msgspec.structs import replace

    benchmark = replace(real.benchmark, tracks=real.benchmark.tracks[:1])
    assert FAMILY.check(Bundle(benchmark, questions, truths))
    assert any(
        "choice A is right" in problem
        for problem in FAMILY.check(Bundle(benchmark, questions, truths))
    )


@needs_release
def test_the_real_bundle_passes_its_checks_and_survives_the_disk(
    real: Bundle, tmp_path: Path
) -> None:
    assert FAMILY.check(real) == []
    write_bundle(real, tmp_path / "bundle")
    again = read_bundle(tmp_path / "bundle")
    assert again.questions == real.questions
    assert again.truth == real.truth
    for plan in real.benchmark.tracks:
        card = score_predictions(again, plan.slug, FAMILY.perfect(again, plan.slug), draws=0)
        for metric in ("macro_f1", "instance_f1", "micro_f1", "exact_match"):
            assert card.score("all", metric).value == 1.0


@needs_release
@pytest.mark.parametrize("part", ["vcoco", "swig"])
def test_the_other_parts_import(part: str) -> None:
    bundle, report = import_crosshoi(RELEASE, part)
    assert FAMILY.check(bundle) == []
    assert report.odd
