"""The example of a predictions file that entrants are shown."""

from __future__ import annotations

import pytest

from evaluator.bundle import Bundle
from evaluator.errors import PredictionsInvalid
from evaluator.families.hoi_choice import FAMILY
from infra.samples.files import bundle
from infra.samples.scenes import TRACKS, questions


@pytest.mark.parametrize("track", TRACKS)
def test_the_example_lacks_nothing_but_the_other_questions(track: str) -> None:
    made = bundle(questions())
    public = Bundle(benchmark=made.benchmark, questions=made.questions, truth=None)
    with pytest.raises(PredictionsInvalid) as refused:
        FAMILY.read_predictions(public, track, FAMILY.example(public, track), "paper")
    assert [problem.code for problem in refused.value.problems] == ["INCOMPLETE"]
