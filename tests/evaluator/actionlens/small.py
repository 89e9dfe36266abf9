"""Benchmarks small enough to score by hand."""

from __future__ import annotations

import json
from typing import Any

from evaluator.bundle import Benchmark, BootstrapPlan, Bundle, TrackPlan, json_lines
from evaluator.statistics.bootstrap import weights_digest

Item = dict[str, Any]
TRACK = "tracked-boxes"
PERSON = {"colour": "red", "boxes": [[2, 0.1, 0.1, 0.4, 0.9]]}
KINDS = {
    "D1": ["correct", "reversal", "static-before", "static-after"],
    "D2": ["correct", "trap", "scene", "absent"],
    "D3": ["correct", "one-changed", "one-changed", "both-changed"],
    "D4": ["correct", "role-swap", "co-action-swap", "scene-alternative"],
    "D5": ["only-red", "only-blue", "both", "neither"],
}


def bundle(items: list[tuple[Item, Item]], draws: int = 200, seed: int = 7) -> Bundle:
    """A bundle of (question, truth) pairs."""
    tracks = sorted({question["track"] for question, _ in items})
    n_clusters = len({question["video"] for question, _ in items})
    return Bundle(
        benchmark=Benchmark(
            name="small",
            title="Small",
            family="actionlens",
            version="1",
            tracks=tuple(TrackPlan(slug=t, title=t, answers="public") for t in tracks),
            rules="paper",
            cluster="video",
            bootstrap=BootstrapPlan(
                draws=draws, seed=seed, weights_sha256=weights_digest(n_clusters, draws, seed)
            ),
        ),
        questions=json_lines(question for question, _ in items),
        truth=json_lines(truth for _, truth in items),
    )


def item(
    id_: str,
    diagnostic: str,
    video: str,
    *,
    n_options: int = 4,
    track: str = TRACK,
    review: bool = False,
    **truth: Any,
) -> tuple[Item, Item]:
    """A question whose key is A, and its truth; kinds in the usual order."""
    question = {
        "track": track,
        "id": id_,
        "diagnostic": diagnostic,
        "video": video,
        "clip": [0, 5],
        "text": "What is the person in the red box doing?",
        "options": ["sweeping", "sitting", "holding a tool", "waving"][:n_options],
        "people": [PERSON],
        "review": review,
    }
    told = {"track": track, "id": id_, "right": "A", "kinds": KINDS[diagnostic][:n_options]}
    return question, told | truth


def predictions(answers: dict[str, Any], form: str = "answer", track: str = TRACK) -> bytes:
    """A predictions file from answers by question id."""
    items = [{"question_id": id_, form: answer} for id_, answer in answers.items()]
    return json.dumps({"benchmark": "small@1", "track": track, "predictions": items}).encode()
