"""Errors by kind, agreement, cells and concentration from stored outcomes."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.bundle import Bundle
from evaluator.families.actionlens import FAMILY
from evaluator.families.actionlens.analyses import (
    agreement,
    errors_by_kind,
    questions_by_cluster,
)
from evaluator.families.actionlens.diagnostics import DIAGNOSTICS
from evaluator.families.actionlens.evidence import items_of
from evaluator.outcome import Outcome
from evaluator.scoring import compare_outcomes, match_predictions
from evaluator.statistics.stability import concentration, one_per_cell
from infra.samples.clip_files import VIEWERS, clip_bundle, predictions
from tests.evaluator.actionlens import small
from tests.evaluator.actionlens.small import TRACK, item

CODES = {diagnostic.slug: diagnostic.code for diagnostic in DIAGNOSTICS}


@pytest.fixture
def five() -> Bundle:
    return small.bundle(
        [
            item("a1", "D2", "u"),
            item("a2", "D2", "u"),
            item("a3", "D2", "v"),
            item("i1", "D4", "v", n_options=3),
            item("t1", "D1", "v"),
        ]
    )


def outcome(bundle: Bundle, **answers: object) -> Outcome:
    return match_predictions(bundle, TRACK, small.predictions(dict(answers)))


def test_errors_are_counted_by_kind_with_chance_beside_them(five: Bundle) -> None:
    found = outcome(five, a1="B", a2="C", a3="A", i1="C", t1=[])
    table = {(CODES[row.slice], row.kind): row for row in errors_by_kind(found)}
    assert [table["D2", kind].n for kind in ("trap", "scene", "absent")] == [1, 1, 0]
    assert [table["D2", kind].share for kind in ("trap", "scene", "absent")] == [0.5, 0.5, 0.0]
    assert table["D2", "trap"].chance == pytest.approx(1 / 3)
    assert table["D4", "co-action-swap"].share == 1.0
    assert table["D4", "role-swap"].chance == pytest.approx(1 / 2)  # three options
    assert table["D1", "reversal"].share is None  # nothing wrong that was readable
    assert table["D5", "both"].chance is None


def test_chance_makes_its_errors_evenly(five: Bundle) -> None:
    (even,) = next(row for row in FAMILY.trivial if row.slug == "chance").outcomes(five, TRACK)
    for row in errors_by_kind(even):
        if row.share is not None:
            assert row.share == pytest.approx(row.chance)


def test_agreement_is_on_shared_questions_by_id(five: Bundle) -> None:
    one = outcome(five, a1="A", a2="B", a3="C", i1="A", t1=[])
    two = outcome(five, a1="B", a2="B", a3="A", i1="A", t1=[])
    found = agreement(one, two)
    assert (found.n, found.share, found.n_flipped) == (5, 3 / 5, (1, 1))
    bundle = clip_bundle()
    tracks = ("tracked-boxes", "colours-swapped")
    pair = [match_predictions(bundle, t, predictions(VIEWERS[1], t, bundle)) for t in tracks]
    swapped = agreement(pair[0], pair[1])
    assert swapped.n == len(pair[1].arrays["picked"]) < len(pair[0].arrays["picked"])
    assert swapped.share is not None and 0.5 < swapped.share < 1.0


def test_controls_are_paired_across_tracks() -> None:
    bundle = clip_bundle()
    tracks = ("static-coordinates", "tracked-boxes")
    pair = tuple(match_predictions(bundle, t, predictions(VIEWERS[1], t, bundle)) for t in tracks)
    found = compare_outcomes(bundle.benchmark, tracks, (pair[0], pair[1]), draws=400)
    (gap,) = (d for d in found if (d.slice, d.metric) == ("actor-disambiguation", "accuracy"))
    assert gap.value is not None and gap.value < 0
    assert gap.interval is not None and gap.value in gap.interval


def test_cells_and_concentration_come_from_outcomes() -> None:
    bundle = clip_bundle()
    outcomes = [
        match_predictions(bundle, TRACK, predictions(viewer, TRACK, bundle))
        for viewer in VIEWERS[:3]
    ]
    items = [items for o in outcomes if (items := items_of(o, "all"))]
    right, cell = np.stack([each.is_right for each in items]), items[0].cell
    values = one_per_cell(right, cell, 200, seed=1)
    assert values.shape == (3, 200)
    macro = [
        FAMILY.metric("diagnostic_macro").compute(
            FAMILY.weigh(o, np.ones((1, o.n_clusters), dtype=np.int16)), "all"
        )[0]
        for o in outcomes
    ]
    np.testing.assert_allclose(values.mean(axis=1), macro, atol=0.08)
    spread = concentration(questions_by_cluster(outcomes[0], "all"))
    assert spread.n_clusters == len({c for c, _ in cell.tolist()})
