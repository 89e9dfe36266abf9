"""The family against a slow version written from the formulas, which imports nothing of ours."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from evaluator.families.actionlens import FAMILY
from evaluator.scoring import match_predictions, score_outcome
from evaluator.statistics.bootstrap import draw_weights
from infra.samples.clip_files import VIEWERS, clip_bundle, predictions

TRACK = "tracked-boxes"
NAMES = {
    "D1": "transition-sensitivity",
    "D2": "actor-disambiguation",
    "D3": "concurrent-binding",
    "D4": "interaction-reasoning",
    "D5": "gaze-detection",
}
Item = dict[str, Any]


def in_slice(slug: str, question: Item, truth: Item) -> bool:
    if slug.startswith("review-subset"):
        if not question.get("review"):
            return False
        slug = slug.removeprefix("review-subset").removeprefix("-") or "all"
    if slug == "all":
        return True
    if slug.startswith("transition-") and slug != NAMES["D1"]:
        return truth.get("transition") == slug.removeprefix("transition-")
    if slug.startswith("gaze-") and slug != NAMES["D5"]:
        return truth.get("gaze") == slug.removeprefix("gaze-")
    name = NAMES[question["diagnostic"]]
    if not slug.startswith(name):
        return False
    crowd = slug.removeprefix(name).removeprefix("-")
    if crowd == "5-people-or-more":
        return int(truth["n_people"]) >= 5
    return not crowd or f"{truth['n_people']}-people" == crowd


def slow(rows: Sequence[tuple[Item, Item, str | None]], metric: str) -> float | None:
    """A metric over (question, truth, letter) rows, one row per drawn question."""
    if metric in ("accuracy", "question_micro"):
        return mean([letter == truth["right"] for _, truth, letter in rows])
    if metric == "invalid_rate":
        return mean([letter is None for _, _, letter in rows])
    if metric in ("diagnostic_macro", "equal_video"):
        groups = defaultdict(list)
        key = "diagnostic" if metric == "diagnostic_macro" else "video"
        for question, truth, letter in rows:
            groups[question[key]].append(letter == truth["right"])
        return mean([mean(group) for group in groups.values()])
    wrong = [
        truth["kinds"]["ABCD".index(letter)] == "trap"
        for question, truth, letter in rows
        if question["diagnostic"] == "D2" and letter is not None and letter != truth["right"]
    ]
    rate = mean(wrong)
    return None if rate is None else rate * (3 if metric == "trap_lift" else 1)


def mean(values: list[Any]) -> float | None:
    return sum(values) / len(values) if values else None


@pytest.fixture(scope="module")
def lines() -> tuple[dict[str, Item], dict[str, Item]]:
    bundle = clip_bundle()
    assert bundle.truth is not None
    questions, truths = (
        {line["id"]: line for line in map(json.loads, data.splitlines()) if line["track"] == TRACK}
        for data in (bundle.questions, bundle.truth)
    )
    return questions, truths


@pytest.mark.parametrize("name", ["Weasel-7B", "Vole-2B", "Four people"])
def test_every_score_is_the_slow_one(
    lines: tuple[dict[str, Item], dict[str, Item]], name: str
) -> None:
    questions, truths = lines
    bundle = clip_bundle()
    data = predictions(next(v for v in VIEWERS if v.name == name), TRACK, bundle)
    outcome = match_predictions(bundle, TRACK, data)
    letters = {}
    for entry in json.loads(data)["predictions"]:
        said = entry.get("answer", entry.get("reply"))
        letters[entry["question_id"]] = (
            None if said == "I cannot tell." else said.removeprefix("The answer is ")[0]
        )
    answered = [(questions[i], truths[i], letter) for i, letter in letters.items()]
    card = score_outcome(bundle.benchmark, TRACK, outcome, draws=0)
    assert len(card.scores) > 10
    for score in card.scores:
        rows = [row for row in answered if in_slice(score.slice, row[0], row[1])]
        wanted = slow(rows, score.metric)
        assert (score.value is None) == (wanted is None), score
        if wanted is not None:
            assert score.value == pytest.approx(wanted, abs=1e-12), (score.slice, score.metric)


def test_draws_are_resamples_of_whole_videos(
    lines: tuple[dict[str, Item], dict[str, Item]],
) -> None:
    questions, truths = lines
    bundle = clip_bundle()
    rng = random.Random(5)
    items = [{"question_id": i, "answer": rng.choice("ABC")} for i in questions]
    head = {"benchmark": bundle.benchmark.address, "track": TRACK, "predictions": items}
    outcome = match_predictions(bundle, TRACK, json.dumps(head).encode())
    weights = draw_weights(outcome.n_clusters, 6, 11)
    weighed = FAMILY.weigh(outcome, weights)
    letters = {entry["question_id"]: entry["answer"] for entry in items}
    by_video = defaultdict(list)
    for i, question in questions.items():
        by_video[question["video"]].append((question, truths[i], letters[i]))
    for draw, row in enumerate(weights):
        drawn = [
            ({**question, "video": f"{question['video']} {copy}"}, truth, letter)
            for video, times in zip(sorted(by_video), row, strict=True)
            for copy in range(times)
            for question, truth, letter in by_video[video]
        ]
        for metric in ("question_micro", "diagnostic_macro", "equal_video"):
            found = FAMILY.metric(metric).compute(weighed, "all")[draw]
            assert found == pytest.approx(slow(drawn, metric), abs=1e-12), metric
        found = FAMILY.metric("trap_rate").compute(weighed, "actor-disambiguation")[draw]
        assert found == pytest.approx(slow(drawn, "trap_rate"), abs=1e-12)


def test_tracks_of_one_version_share_their_videos() -> None:
    bundle = clip_bundle()
    clusters = {
        match_predictions(bundle, plan.slug, FAMILY.perfect(bundle, plan.slug)).clusters
        for plan in bundle.benchmark.tracks
    }
    assert len(clusters) == 1
    assert np.array_equal(sorted(next(iter(clusters))), next(iter(clusters)))
