"""Metrics worked by hand, and the numbers that follow from published counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluator.bundle import Bundle, read_bundle
from evaluator.families.actionlens import FAMILY
from evaluator.families.actionlens.predictions import Answers
from evaluator.scorecard import Scorecard
from evaluator.scoring import match_predictions, score_outcome, score_predictions
from tests.evaluator.actionlens import small
from tests.evaluator.actionlens.small import TRACK, item, predictions

ROOT = Path(__file__).parents[3]
PAPER_COUNTS = {"D1": 194, "D2": 2000, "D3": 2000, "D4": 1611, "D5": 896}
N_THREE_OPTIONS = 334  # of D4
SLUGS = {
    "D1": "transition-sensitivity",
    "D2": "actor-disambiguation",
    "D3": "concurrent-binding",
    "D4": "interaction-reasoning",
    "D5": "gaze-detection",
}


@pytest.fixture
def six() -> Bundle:
    """Four questions of D2 on two videos, one of D4, one of D5."""
    return small.bundle(
        [
            item("a1", "D2", "u", n_people=2, review=True),
            item("a2", "D2", "u", n_people=3),
            item("a3", "D2", "u", n_people=7),
            item("a4", "D2", "v", n_people=2, review=True),
            item("i1", "D4", "v", n_options=3, n_people=2),
            item("g1", "D5", "w", gaze="only-red", n_people=2),
        ]
    )


@pytest.fixture
def card(six: Bundle) -> Scorecard:
    answers = {"a1": "A", "a2": "B", "a3": [], "a4": "C", "i1": "A", "g1": "D"}
    return score_predictions(six, TRACK, predictions(answers), draws=0)


@pytest.mark.parametrize(
    ("slice_", "metric", "value"),
    [
        ("all", "question_micro", 2 / 6),
        ("all", "diagnostic_macro", (1 / 4 + 1 / 1 + 0 / 1) / 3),
        ("all", "equal_video", (1 / 3 + 1 / 2 + 0) / 3),
        ("all", "invalid_rate", 1 / 6),
        ("actor-disambiguation", "accuracy", 1 / 4),
        ("actor-disambiguation", "trap_rate", 1 / 2),
        ("actor-disambiguation", "trap_lift", 3 / 2),
        ("actor-disambiguation-2-people", "accuracy", 1 / 2),
        ("actor-disambiguation-2-people", "trap_rate", 0.0),
        ("actor-disambiguation-5-people-or-more", "accuracy", 0.0),
        ("interaction-reasoning", "accuracy", 1.0),
        ("interaction-reasoning-2-people", "accuracy", 1.0),
        ("gaze-only-red", "accuracy", 0.0),
        ("review-subset", "question_micro", 1 / 2),
        ("review-subset", "diagnostic_macro", 1 / 2),
        ("review-subset-actor-disambiguation", "trap_rate", 0.0),
    ],
)
def test_a_case_worked_by_hand(card: Scorecard, slice_: str, metric: str, value: float) -> None:
    assert card.score(slice_, metric).value == pytest.approx(value, abs=1e-15)


def test_no_wrong_answer_gives_no_trap_rate_and_a_reason(six: Bundle) -> None:
    card = score_predictions(six, TRACK, FAMILY.perfect(six, TRACK), draws=0)
    score = card.score("actor-disambiguation", "trap_rate")
    assert score.value is None
    assert score.reason == "no wrong answer on a question with a trap"


def test_an_answer_that_cannot_be_read_is_wrong_but_falls_into_no_trap(six: Bundle) -> None:
    said = {"a1": "hmm", "a2": None, "a3": "The answer is B.", "a4": "(B)", "i1": "", "g1": "A"}
    card = score_predictions(six, TRACK, predictions(said, "reply"), draws=0)
    assert card.score("actor-disambiguation", "invalid_rate").value == 1 / 2
    assert card.score("actor-disambiguation", "trap_rate").value == 1.0
    assert card.score("actor-disambiguation", "trap_rate").n == 2
    assert card.score("all", "question_micro").value == 1 / 6
    assert any("raw replies" in note for note in card.notes)


def test_answers_to_the_review_subset_get_its_scores_and_no_others(six: Bundle) -> None:
    card = score_predictions(six, TRACK, predictions({"a1": "A", "a4": "B"}), draws=0)
    assert {score.slice for score in card.scores} == {
        "review-subset",
        "review-subset-actor-disambiguation",
    }
    assert card.score("review-subset", "question_micro").value == 1 / 2
    assert card.score("review-subset", "question_micro").n == 2


def paper_shaped(three_options: int = N_THREE_OPTIONS) -> Bundle:
    """A bundle with the paper's counts, on 64 videos."""
    items, number = [], 0
    for code, n in PAPER_COUNTS.items():
        for place in range(n):
            n_options = 3 if code == "D4" and place < three_options else 4
            video = f"v{number % 64:02d}"
            items.append(item(f"{code}-{place:04d}", code, video, n_options=n_options))
            number += 1
    return small.bundle(items)


@pytest.fixture(scope="module")
def paper() -> Bundle:
    return paper_shaped()


def test_chance_follows_from_the_counts(paper: Bundle) -> None:
    (outcome,) = next(row for row in FAMILY.trivial if row.slug == "chance").outcomes(paper, TRACK)
    card = score_outcome(paper.benchmark, TRACK, outcome, draws=0)
    d4 = card.score("interaction-reasoning", "accuracy").value
    overall = card.score("all", "question_micro").value
    assert d4 is not None and overall is not None
    assert f"{100 * d4:.1f}" == "26.7"
    assert f"{100 * overall:.1f}" == "25.4"
    assert card.score("actor-disambiguation", "trap_rate").value == pytest.approx(1 / 3)
    assert card.score("actor-disambiguation", "trap_lift").value == pytest.approx(1.0)


def test_printed_averages_and_their_order_follow_from_the_diagnostics(paper: Bundle) -> None:
    rows: dict[str, dict[tuple[str, str], float]] = {}
    for reference in read_bundle(ROOT / "infra/benchmarks/actionlens").references:
        if reference.track != TRACK:
            continue
        place = (reference.slice, reference.metric)
        rows.setdefault(reference.system, {})[place] = float(reference.value)
    ours: dict[str, float] = {}
    for system, row in rows.items():
        if ("all", "diagnostic_macro") not in row:
            continue
        picked = np.concatenate(
            [
                np.arange(n) >= round(row[SLUGS[code], "accuracy"] * n / 100)
                for code, n in PAPER_COUNTS.items()
            ]
        )
        outcome = FAMILY.match(paper, TRACK, Answers(picked.astype(np.int64)), "paper")
        card = score_outcome(paper.benchmark, TRACK, outcome, draws=0)
        for metric in ("question_micro", "diagnostic_macro"):
            value = card.score("all", metric).value
            assert value is not None
            assert 100 * value == pytest.approx(row["all", metric], abs=0.1), (system, metric)
            ours[system] = ours.get(system, value)
    assert len(ours) == 18
    printed = {system: rows[system]["all", "question_micro"] for system in ours}
    for one in ours:
        for other in ours:
            if printed[one] > printed[other] + 0.1:
                assert ours[one] > ours[other]


def test_draws_are_those_of_the_accuracies(six: Bundle) -> None:
    outcome = match_predictions(six, TRACK, FAMILY.perfect(six, TRACK))
    weights = np.array([[2, 0, 1], [0, 0, 3], [1, 1, 1]], dtype=np.int16)  # of u, v, w
    weighed = FAMILY.weigh(outcome, weights)
    macro = FAMILY.metric("diagnostic_macro").compute(weighed, "all")
    np.testing.assert_array_equal(macro, [1.0, 1.0, 1.0])
    trapped = FAMILY.metric("trap_rate").compute(weighed, "actor-disambiguation")
    assert np.isnan(trapped).all()
    d4 = FAMILY.metric("accuracy").compute(weighed, "interaction-reasoning")
    np.testing.assert_array_equal(d4, [np.nan, np.nan, 1.0])
