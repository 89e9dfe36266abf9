"""A benchmark small enough to score by hand."""

from __future__ import annotations

import json
from typing import Any

from evaluator.bundle import Benchmark, BootstrapPlan, Bundle, TrackPlan, json_lines
from evaluator.families.hoi_choice.labels import class_list, class_name
from evaluator.statistics.bootstrap import weights_digest

Item = dict[str, Any]


def bundle(questions: list[Item], truth: list[Item], draws: int = 200, seed: int = 7) -> Bundle:
    """A bundle of the given lines; class list and digests follow from them."""
    tracks = sorted({q["track"] for q in questions})
    names = sorted({class_name(choice) for q in questions for choice in q["choices"]})
    n_clusters = len({q["image"] for q in questions})
    return Bundle(
        benchmark=Benchmark(
            name="small",
            title="Small",
            family="hoi_choice",
            version="1",
            tracks=tuple(TrackPlan(slug=t, title=t, answers="public") for t in tracks),
            rules="paper",
            cluster="image",
            bootstrap=BootstrapPlan(
                draws=draws, seed=seed, weights_sha256=weights_digest(n_clusters, draws, seed)
            ),
            classes=tuple(class_list(names)),
        ),
        questions=json_lines(questions),
        truth=json_lines(truth),
    )


def question(id_: str, choices: list[str], track: str = "all-people", **more: Any) -> Item:
    image = f"{id_.rsplit('-q', 1)[0]}.jpg"
    return {"track": track, "id": id_, "image": image, "choices": choices, **more}


def truth(id_: str, right: list[str], track: str = "all-people", **more: Any) -> Item:
    return {"track": track, "id": id_, "right": right, **more}


def predictions(items: list[Item], track: str = "all-people") -> bytes:
    return json.dumps({"benchmark": "small@1", "track": track, "predictions": items}).encode()


def answer(id_: str, *labels: str) -> Item:
    return {"question_id": id_, "answer": list(labels)}
