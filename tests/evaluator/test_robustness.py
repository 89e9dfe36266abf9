"""What a ranking owes to its clusters, on a case small enough to work by hand."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.bundle import Bundle
from evaluator.families import FAMILIES
from evaluator.outcome import Outcome
from evaluator.robustness import NO_ITEMS, NO_RANKING, NO_SHARE, NO_SIZES, Robustness, robustness
from evaluator.scoring import match_predictions
from evaluator.statistics.stability import subset_weights
from infra.samples.detections import detection_bundle, detections_of, detectors
from tests.evaluator.actionlens import small
from tests.evaluator.actionlens.small import TRACK, item

FAMILY = FAMILIES["actionlens"]
RIGHT, WRONG = "A", "B"


@pytest.fixture
def videos() -> Bundle:
    """u has three questions, v two, w one; v alone is in both diagnostics."""
    return small.bundle(
        [
            *(item(f"u{n}", "D2", "u") for n in range(3)),
            item("v0", "D2", "v"),
            item("v1", "D4", "v"),
            item("w0", "D4", "w"),
        ]
    )


def outcomes(bundle: Bundle, *answers: str) -> list[Outcome]:
    """Outcomes of answers to u0 u1 u2 v0 v1 w0, a letter each, - for none."""
    ids = ("u0", "u1", "u2", "v0", "v1", "w0")
    given = [[[] if letter == "-" else letter for letter in text] for text in answers]
    return [
        match_predictions(bundle, TRACK, small.predictions(dict(zip(ids, letters, strict=True))))
        for letters in given
    ]


def found_on(bundle: Bundle, *answers: str, slice_: str = "all", metric: str = "") -> Robustness:
    address = (FAMILY.slice(slice_), FAMILY.metric(metric or FAMILY.primary_metric))
    return robustness(bundle.benchmark, outcomes(bundle, *answers), address, draws=100)


def test_the_case_worked_by_hand(videos: Bundle) -> None:
    found = found_on(videos, "AAAABB", "ABBAAA")
    first, second = found.systems
    assert (first.value, second.value) == (pytest.approx(4 / 6), pytest.approx(4 / 6))
    # u 3/3, v 1/2, w 0/1; and u 1/3, v 2/2, w 1/1.
    assert first.equal_clusters == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert second.equal_clusters == pytest.approx((1 / 3 + 1 + 1) / 3)
    assert first.design_effect_reason == "fewer than 5 clusters"
    change = found.leave_one_out.largest_change
    assert change is not None  # without u: 1/3 and 3/3
    assert (change.cluster, abs(change.value)) == ("u", pytest.approx(1 / 3))
    assert found.subsets == ()  # three clusters: fewer than any subset
    spread = found.concentration
    assert spread is not None
    assert (spread.least, spread.median, spread.most) == (1, 2.0, 3)
    assert (spread.largest_share, spread.n_clusters) == (1.0, 3)


def test_leaving_out_a_cluster_may_turn_a_ranking(videos: Bundle) -> None:
    # 4/6 against 3/6; without u 1/3 against 3/3, without v or w the first stays ahead.
    left_out = found_on(videos, "AAAABB", "BBBAAA").leave_one_out
    stability = left_out.ranking.stability
    assert stability is not None
    assert (stability.least, stability.n) == (-1.0, 3)
    assert stability.leader_retained == pytest.approx(2 / 3)
    assert stability.mean == pytest.approx((-1 + 1 + 1) / 3)


def test_fewer_is_better_turns_the_leader(videos: Bundle) -> None:
    # 1/6 against 3/6; without u 0/3 against 3/3, without v 1/4 against 1/4: a tie.
    found = found_on(videos, "-AAAAA", "AAA---", metric="invalid_rate")
    stability = found.leave_one_out.ranking.stability
    assert stability is not None
    assert (stability.least, stability.leader_retained) == (0.0, 1.0)
    assert found.systems[0].value == pytest.approx(1 / 6)


def test_one_question_of_each_cell_is_held_against_all_of_them(videos: Bundle) -> None:
    # All: (3/4 + 1/2) / 2 against (0 + 1) / 2. A question of each cell, u being all alike:
    # (1/2 + 1/2) / 2 against (0 + 1) / 2, a tie.
    stability = found_on(videos, "AAABAB", "BBBBAA").one_per_cell.stability
    assert stability is not None
    assert (stability.mean, stability.leader_retained, stability.n) == (0.0, 1.0, 100)
    single = found_on(videos, "AAABAB", "BBBBAA", slice_="actor-disambiguation", metric="accuracy")
    assert single.one_per_cell.stability is not None
    assert single.one_per_cell.stability.mean == 1.0
    trap = found_on(videos, "BBBBBB", "CCCBBB", slice_="actor-disambiguation", metric="trap_rate")
    assert (trap.one_per_cell.stability, trap.one_per_cell.reason) == (None, NO_ITEMS)


def test_one_system_has_values_but_no_ranking(videos: Bundle) -> None:
    found = found_on(videos, "AAAABB")
    assert found.leave_one_out.ranking.reason == NO_RANKING
    assert found.one_per_cell.reason == NO_RANKING
    assert found.leave_one_out.largest_change is not None


def test_the_macro_average_says_what_it_does_not_define(videos: Bundle) -> None:
    (system,) = found_on(videos, "AAAABB", metric="diagnostic_macro").systems
    assert (system.equal_clusters, system.equal_clusters_reason) == (None, NO_SIZES)
    assert (system.design_effect, system.design_effect_reason) == (None, NO_SHARE)


def test_clusters_that_stand_or_fall_together_double_the_width() -> None:
    # 25 videos of four questions each, right or wrong as one: the effect is sqrt(4).
    pairs = [item(f"q{v:02d}-{n}", "D2", f"v{v:02d}") for v in range(25) for n in range(4)]
    bundle = small.bundle(pairs, draws=4000)
    letters = {f"q{v:02d}-{n}": RIGHT if v % 2 else WRONG for v in range(25) for n in range(4)}
    outcome = match_predictions(bundle, TRACK, small.predictions(letters))
    address = (FAMILY.slice("all"), FAMILY.metric("question_micro"))
    found = robustness(bundle.benchmark, [outcome, outcome], address)
    effect = found.systems[0].design_effect
    assert effect == pytest.approx(2.0, abs=0.15)
    assert [subset.n_clusters for subset in found.subsets] == [8, 16]


def test_subsets_are_the_loop_over_chosen_clusters() -> None:
    bundle = detection_bundle()
    rivals = [match_predictions(bundle, "detect", detections_of(d)) for d in detectors()[:2]]
    family = FAMILIES["hoi_detection"]
    address = (family.slice("all"), family.metric("map"))
    found = robustness(bundle.benchmark, rivals, address, draws=40)
    smallest = found.subsets[0]
    weights = subset_weights(rivals[0].n_clusters, 8, 40, bundle.benchmark.bootstrap.seed)
    one_by_one = np.array(
        [
            [address[1].compute(family.weigh(o, row[None, :]), "all")[0] for row in weights]
            for o in rivals
        ]
    )
    usable = one_by_one[:, ~np.isnan(one_by_one).any(axis=0)]
    stability = smallest.ranking.stability
    assert stability is not None
    assert (smallest.n_clusters, stability.n) == (8, usable.shape[1])
    assert stability.leader_retained == pytest.approx((usable[0] >= usable[1]).mean())
    assert found.concentration is None and found.concentration_reason
    assert found.systems[0].equal_clusters_reason == NO_SIZES
    assert found.one_per_cell.reason == NO_ITEMS
