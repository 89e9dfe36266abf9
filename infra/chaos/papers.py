"""The benchmark of the trial and files for it: the sample, with few draws."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import msgspec

from evaluator.bundle import Bundle
from evaluator.scoring import score_predictions
from evaluator.statistics.bootstrap import weights_digest
from infra.chaos.load import Paper
from infra.samples import files
from infra.samples.scenes import questions

TRACK = "all-people"
DRAWS = 200  # the trial is about the road, not about intervals
UNSOUND_EVERY = 20  # papers: these name a letter that no question has


def light_bundle() -> Bundle:
    """The sample with so few draws that its intervals take no time."""
    bundle = files.bundle(questions())
    benchmark = bundle.benchmark
    n_clusters = len({question.scene.image for question in questions()})
    plan = msgspec.structs.replace(
        benchmark.bootstrap,
        draws=DRAWS,
        weights_sha256=weights_digest(n_clusters, DRAWS, benchmark.bootstrap.seed),
    )
    return replace(bundle, benchmark=msgspec.structs.replace(benchmark, bootstrap=plan))


def papers(n_papers: int, seed: int) -> Iterator[Paper]:
    """Files of guesses, each another one; some are unsound."""
    asked = [question for question in questions() if question.track == TRACK]
    for number in range(n_papers):
        chance = Random(f"{seed} {number}")
        is_sound = number % UNSOUND_EVERY != UNSOUND_EVERY - 1
        items = [
            {"question_id": question.id, "answer": [files.LETTERS[chance.randrange(len(choices))]]}
            for question in asked
            if (choices := question.choices)
        ]
        if not is_sound:
            items[chance.randrange(len(items))]["answer"] = ["Z"]
        head = {"benchmark": f"{files.NAME}@{files.VERSION}", "track": TRACK}
        yield Paper(number, json.dumps({**head, "predictions": items}).encode(), is_sound)


def values_of(bundle: Bundle, paper: Paper) -> dict[str, float | None]:
    """What a sound paper scores on the full slice, by metric, computed here."""
    card = score_predictions(bundle, TRACK, paper.data, draws=0)
    return {score.metric: score.value for score in card.scores if score.slice == "all"}
