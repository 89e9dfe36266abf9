"""Rows without a model: what they answer, and that their shortcut changes nothing."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from evaluator.bundle import Bundle
from evaluator.families.hoi_choice.definition import FAMILY
from evaluator.families.hoi_choice.evidence import outcome_of
from evaluator.families.hoi_choice.schema import lay_out, lay_out_truth
from evaluator.families.hoi_choice.scorer import tally_paper
from evaluator.families.hoi_choice.trivial import N_RANDOM_FILES
from evaluator.scoring import point_values
from tests.evaluator.hoi_choice import small
from tests.evaluator.hoi_choice.small import question, truth

TRACK = "all-people"
CHOICES = ["ride bicycle", "hold bicycle", "feed horse", "wash horse"]


@pytest.fixture
def bundle() -> Bundle:
    asked = [question(f"i{n}-q{k}", CHOICES) for n in range(8) for k in range(2)]
    told = [truth(q["id"], list(("AB", "C", "BD")[n % 3])) for n, q in enumerate(asked)]
    return small.bundle(asked, told)


def row(slug: str):  # type: ignore[no-untyped-def]  # a Trivial
    return next(trivial for trivial in FAMILY.trivial if trivial.slug == slug)


def test_all_letters_find_everything_and_no_letter_nothing(bundle: Bundle) -> None:
    for slug, recall in (("all-letters", 1.0), ("no-letter", 0.0)):
        (outcome,) = row(slug).outcomes(bundle, TRACK)
        addresses = FAMILY.addresses(outcome, TRACK)
        values = dict(zip([(s.slug, m.slug) for s, m in addresses],
                          point_values(FAMILY, outcome, addresses), strict=True))  # fmt: skip
        assert values["all", "recall"] == recall


def test_counting_a_file_as_one_cluster_gives_the_same_values(bundle: Bundle) -> None:
    layout = lay_out(bundle, TRACK)
    told = lay_out_truth(bundle, TRACK, layout)
    found = np.ones(layout.n_questions, dtype=bool)
    nothing = np.zeros(layout.n_questions, dtype=np.int64)
    generator = np.random.Generator(np.random.PCG64(bundle.benchmark.bootstrap.seed))
    for outcome in islice(row("random").outcomes(bundle, TRACK), 5):
        times = generator.integers(0, 2, size=layout.n_choices, dtype=np.int64)
        tally = tally_paper(layout, told, times, nothing, found)
        whole = outcome_of(bundle, TRACK, layout, told, tally, "paper", [])
        addresses = FAMILY.addresses(whole, TRACK)
        np.testing.assert_allclose(
            point_values(FAMILY, outcome, addresses),
            point_values(FAMILY, whole, addresses),
            rtol=1e-12,
        )


def test_chance_takes_half_of_the_choices_over_all_its_files(bundle: Bundle) -> None:
    recalls = []
    for outcome in row("random").outcomes(bundle, TRACK):
        addresses = [a for a in FAMILY.addresses(outcome, TRACK) if a[1].slug == "recall"][:1]
        recalls.append(point_values(FAMILY, outcome, addresses)[0])
    assert len(recalls) == N_RANDOM_FILES
    assert np.mean(recalls) == pytest.approx(0.5, abs=0.02)
