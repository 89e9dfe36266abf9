"""The sample as files: a bundle, predictions of every system, one file that is wrong on purpose."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from evaluator.bundle import (
    Benchmark,
    BootstrapPlan,
    Bundle,
    TrackPlan,
    json_lines,
    write_bundle,
)
from evaluator.families.hoi_choice.labels import class_name
from evaluator.statistics.bootstrap import weights_digest
from infra.samples.chance import normal, shuffled
from infra.samples.scenes import SampleQuestion, questions
from infra.samples.systems import System, found, picks, sees, systems
from infra.samples.vocabulary import VERBS, label_classes, text_of

NAME, VERSION, TITLE = "sample-hoi", "1", "Sample HOI"
DRAWS, SEED = 10_000, 1
LETTERS = "ABCDEFGH"
N_STRAY_CLASSES = 5  # further classes that a HOI method scores in each image

Item = dict[str, Any]  # one item of a predictions file, as JSON has it


def write_samples(folder: Path) -> dict[str, Any]:
    """Write bundle, predictions and manifest into `folder`; returns the manifest.

    Raises:
        BundleInvalid: the bundle's folder holds something already.
    """
    asked = questions()
    write_bundle(bundle(asked), folder / NAME)
    entries = []
    for track in dict.fromkeys(question.track for question in asked):
        home = folder / "predictions" / track
        home.mkdir(parents=True, exist_ok=True)
        of_track = [question for question in asked if question.track == track]
        for system in systems():
            if not system.answers_on(track):
                continue
            name, data = predictions(system, track, of_track)
            (home / name).write_bytes(data)
            entries.append(
                {
                    "system": system.name,
                    "track": track,
                    "file": f"predictions/{track}/{name}",
                    "facets": system.facets,
                }
            )
    (folder / "malformed.json").write_bytes(malformed(asked))
    manifest = {"benchmark": f"{NAME}@{VERSION}", "bundle": NAME, "submissions": entries}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return manifest


def bundle(asked: list[SampleQuestion]) -> Bundle:
    """The sample bundle, without digests yet."""
    n_clusters = len({question.scene.image for question in asked})
    benchmark = Benchmark(
        name=NAME,
        title=TITLE,
        family="hoi_choice",
        version=VERSION,
        tracks=(
            TrackPlan(slug="all-people", title="All people (Setting 1)", answers="public"),
            TrackPlan(slug="target-box", title="Target box (Setting 2)", answers="public"),
            TrackPlan(
                slug="detect-then-answer",
                title="Detect, then answer (Setting 3)",
                answers="public",
                note="box public",
            ),
        ),
        rules="paper",
        cluster="image",
        bootstrap=BootstrapPlan(
            draws=DRAWS, seed=SEED, weights_sha256=weights_digest(n_clusters, DRAWS, SEED)
        ),
        classes=label_classes(),
        description=(
            f"{n_clusters} invented scenes with people who use things. There are no images: "
            "the sample shows how a benchmark and its board work."
        ),
        licence="Apache-2.0",
        citation="Plumbline, sample benchmark.",
        source="Made by infra/samples; the generator is public, so the answers are.",
        notes=("Scenes, questions and systems are invented. No row is a result of a real model.",),
    )
    return Bundle(
        benchmark=benchmark,
        questions=json_lines(_question(question) for question in asked),
        truth=json_lines(_truth(question) for question in asked),
    )


def predictions(system: System, track: str, asked: list[SampleQuestion]) -> tuple[str, bytes]:
    """File name and bytes of a system's answers, in the form that it likes to write."""
    items = [_item(system, question) for question in asked]
    if system.form == "lines":
        return f"{system.slug}.jsonl", json_lines(items)
    return f"{system.slug}.json", _document(track, items)


def malformed(asked: list[SampleQuestion]) -> bytes:
    """A target-box file with five faults, to show how they are told."""
    of_track = [question for question in asked if question.track == "target-box"]
    items = [_item(systems()[0], question) for question in of_track]
    items[3]["answer"] = ["A", "Z"]
    items[8]["question_id"] = "img-9999-q1"
    items[21]["answer"] = "B"
    items[34]["question_id"] = items[33]["question_id"]
    return _document("target-box", items[:-2])


def _document(track: str, items: list[Item]) -> bytes:
    head = {"benchmark": f"{NAME}@{VERSION}", "track": track, "predictions": items}
    return json.dumps(head, indent=1).encode() + b"\n"


def _question(question: SampleQuestion) -> Item:
    item: Item = {
        "track": question.track,
        "id": question.id,
        "image": question.scene.image,
        "choices": question.choices,
    }
    if question.track == "target-box" and question.target is not None:
        item["person_box"] = question.target.box
    return item


def _truth(question: SampleQuestion) -> Item:
    right = [LETTERS[n] for n, choice in enumerate(question.choices) if choice in question.right]
    item: Item = {
        "track": question.track,
        "id": question.id,
        "right": right,
        "scene": question.scene.kind,
    }
    if question.target is not None:
        item["others"] = sorted(class_name(deed) for deed in question.others)
    if question.track == "detect-then-answer" and question.target is not None:
        item["person_box"] = question.target.box
    return item


def _item(system: System, question: SampleQuestion) -> Item:
    item: Item = {"question_id": question.id}
    if system.form == "interactions":
        item["interactions"] = _interactions(system, question)
    elif question.track == "detect-then-answer":
        item["people"] = [
            {"box": box, "answer": _written(system, question, picks(system, question, person))}
            for person, box in found(system, question)
        ]
    else:
        item["answer"] = _written(system, question, picks(system, question, question.target))
    return item


def _written(system: System, question: SampleQuestion, chosen: list[str]) -> list[str]:
    if system.form == "texts":
        return chosen
    return [LETTERS[question.choices.index(choice)] for choice in chosen]


def _interactions(system: System, question: SampleQuestion) -> list[Item]:
    """Scored classes of every person found: the question's, and some that nobody asked about."""
    every = [text_of(verb, thing) for thing in sorted(VERBS) for verb in VERBS[thing]]
    detections = []
    for person, box in found(system, question):
        evidence = {
            choice: sees(system, question, question.target and person, choice)
            for choice in question.choices
        }
        for choice in shuffled(every, system.name, question.id, person.box)[:N_STRAY_CLASSES]:
            key = (system.name, question.id, person.box, choice, "stray")
            evidence.setdefault(choice, normal(*key) - 0.5)
        detections += [
            {"box": box, "hoi": choice, "score": round(1 / (1 + math.exp(-seen)), 4)}
            for choice, seen in evidence.items()
        ]
    return sorted(detections, key=lambda detection: -detection["score"])
