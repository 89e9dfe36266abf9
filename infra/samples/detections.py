"""The detection sample: the same scenes, with boxes of things, and systems that find pairs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from evaluator.bundle import (
    Benchmark,
    BootstrapPlan,
    Bundle,
    LabelClass,
    TrackPlan,
    json_lines,
    write_bundle,
)
from evaluator.families.hoi_choice.labels import class_name
from evaluator.families.hoi_detection.class_list import grouped_classes
from evaluator.families.hoi_detection.schema import TRACK
from evaluator.statistics.bootstrap import weights_digest
from infra.samples.chance import normal, shuffled, unit
from infra.samples.scenes import HEIGHT, WIDTH, Box, Person, Scene, scenes
from infra.samples.vocabulary import VERBS, label_classes, text_of

NAME, VERSION, TITLE = "sample-detection", "1", "Sample detection"
DRAWS, SEED = 1_000, 1
N_EMPTY = 6  # images in which nobody does anything: false positives on them count
N_STRAYS = 4  # pairs that a system sees where there are none
SHARED_DIFFICULTY = 0.7  # spread of what misleads every system

Item = dict[str, Any]  # one item of a predictions file, as JSON has it


@dataclass(frozen=True, slots=True)
class Detector:
    """An invented system.

    Attributes:
        blur: spread of its own noise; evidence stands at +1 and -1.
        finds: share of the people whom it finds.
        jitter: spread of its corners, in sides of the box.
        class_ids: how its file names classes.
    """

    name: str
    facets: dict[str, str]
    blur: float
    finds: float
    jitter: float
    class_ids: Literal["hoi0", "matlab1", "names"] = "hoi0"

    @property
    def slug(self) -> str:
        return self.name.lower().replace(" ", "-")


def detectors() -> tuple[Detector, ...]:
    """All invented systems, best first within a detector setting."""
    fine = {"detector": "fine-tuned", "backbone": "ResNet-50"}
    plain = {"detector": "pre-trained", "backbone": "ResNet-50"}
    large = {"detector": "fine-tuned", "backbone": "Swin-L"}
    oracle = {"detector": "oracle", "backbone": "ResNet-50"}
    return (
        Detector("Egret-L", large, 0.5, 0.95, 0.03),
        Detector("Egret-B", fine, 0.8, 0.93, 0.04, "matlab1"),
        Detector("Bunting", fine, 1.1, 0.9, 0.05, "names"),
        Detector("Redstart", fine, 1.6, 0.88, 0.06),
        Detector("Egret-B plain", plain, 0.8, 0.7, 0.1),
        Detector("Redstart plain", plain, 1.6, 0.66, 0.12),
        Detector("Bunting oracle", oracle, 1.1, 1.0, 0.0, "names"),
        Detector("Redstart oracle", oracle, 1.6, 1.0, 0.0),
    )


@cache
def classes() -> tuple[LabelClass, ...]:
    """Every verb with every thing, with the sample's training counts."""
    instances = {entry.name: entry.train_instances or 0 for entry in label_classes()}
    return tuple(
        grouped_classes(
            [
                (verb.replace(" ", "_"), thing, instances[class_name(text_of(verb, thing))])
                for thing in sorted(VERBS)
                for verb in sorted(VERBS[thing])
            ]
        )
    )


def detection_bundle() -> Bundle:
    """The sample bundle, without digests yet."""
    shown = [*scenes(), *(Scene(f"img-{900 + n:04d}", ()) for n in range(N_EMPTY))]
    number = _numbers()
    images, truths = [], []
    for scene in shown:
        images.append(
            {"track": TRACK, "id": scene.id, "image": scene.image}
            | {"width": WIDTH, "height": HEIGHT}
        )
        pairs = [(person, deed) for person in scene.people for deed in sorted(person.does)]
        truths.append(
            {
                "track": TRACK,
                "id": scene.id,
                "hoi": [number[deed] for _, deed in pairs],
                "human": [person.box for person, _ in pairs],
                "object": [thing_box(scene, person) for person, _ in pairs],
            }
        )
    benchmark = Benchmark(
        name=NAME,
        title=TITLE,
        family="hoi_detection",
        version=VERSION,
        tracks=(TrackPlan(slug=TRACK, title="Detection", answers="public", partial=True),),
        rules="official",
        cluster="image",
        bootstrap=BootstrapPlan(
            draws=DRAWS, seed=SEED, weights_sha256=weights_digest(len(shown), DRAWS, SEED)
        ),
        classes=classes(),
        description=(
            f"{len(shown)} invented scenes with people who use things, {N_EMPTY} of them empty. "
            "There are no images: the sample shows how a benchmark and its board work."
        ),
        licence="Apache-2.0",
        citation="Plumbline, sample benchmark.",
        source="Made by infra/samples; the generator is public, so the answers are.",
        notes=("Scenes and systems are invented. No row is a result of a real model.",),
    )
    return Bundle(benchmark=benchmark, questions=json_lines(images), truth=json_lines(truths))


def write_detection_samples(folder: Path) -> dict[str, Any]:
    """Write bundle, predictions and manifest into `folder`; returns the manifest.

    Raises:
        BundleInvalid: the bundle's folder holds something already.
    """
    write_bundle(detection_bundle(), folder / NAME)
    home = folder / "predictions" / TRACK
    home.mkdir(parents=True, exist_ok=True)
    entries = []
    for detector in detectors():
        (home / f"{detector.slug}.json").write_bytes(detections_of(detector))
        entries.append(
            {
                "system": detector.name,
                "track": TRACK,
                "file": f"predictions/{TRACK}/{detector.slug}.json",
                "facets": detector.facets,
            }
        )
    manifest = {"benchmark": f"{NAME}@{VERSION}", "bundle": NAME, "submissions": entries}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return manifest


def thing_box(scene: Scene, person: Person) -> Box:
    """Where a person's thing stands: at their side, lower than their head."""
    x1, y1, x2, y2 = person.box
    key = (scene.id, person.box, "thing")
    left = x1 + (0.1 + 0.4 * unit(*key, "left")) * (x2 - x1)
    top = y1 + (0.3 + 0.2 * unit(*key, "top")) * (y2 - y1)
    right = left + (0.3 + 0.2 * unit(*key, "width")) * (x2 - x1)
    bottom = top + (0.3 + 0.2 * unit(*key, "height")) * (y2 - y1)
    return (round(left, 1), round(top, 1), round(right, 1), round(bottom, 1))


def detections_of(detector: Detector) -> bytes:
    """A predictions file of an invented system."""
    head = {
        "benchmark": f"{NAME}@{VERSION}",
        "track": TRACK,
        "box_base": 1,
        "class_ids": detector.class_ids,
        "predictions": [item for scene in scenes() for item in _seen(detector, scene)],
    }
    return json.dumps(head).encode() + b"\n"


def _seen(detector: Detector, scene: Scene) -> Iterator[Item]:
    eyes = (detector.name, scene.id)
    for person in scene.people:
        if unit(*eyes, person.box, "found") >= detector.finds:
            continue
        human = _moved(person.box, detector.jitter, *eyes, person.box)
        object_ = _moved(thing_box(scene, person), detector.jitter, *eyes, person.box, "thing")
        for verb in VERBS[person.thing]:
            deed = text_of(verb, person.thing)
            evidence = 1.0 if deed in person.does else -1.0
            evidence += SHARED_DIFFICULTY * normal("difficulty", scene.id, person.box, deed)
            evidence += detector.blur * normal(*eyes, person.box, deed)
            yield _item(detector, scene, deed, human, object_, evidence)
    for stray in range(N_STRAYS):
        key = (*eyes, "stray", stray)
        thing = shuffled(sorted(VERBS), *key)[0]
        human, object_ = _anywhere(*key, "human"), _anywhere(*key, "thing")
        for verb in shuffled(VERBS[thing], *key)[:2]:
            evidence = detector.blur * normal(*key, verb) - 1.5
            yield _item(detector, scene, text_of(verb, thing), human, object_, evidence)


def _item(
    detector: Detector, scene: Scene, deed: str, human: Box, object_: Box, evidence: float
) -> Item:
    number = _numbers()[deed]
    entry = classes()[number]
    label: Item = {"hoi_id": number + (detector.class_ids == "matlab1")}
    if detector.class_ids == "names":
        label = {"verb": entry.verb, "object": entry.object}
    score = round(1 / (1 + math.exp(-1.5 * evidence)), 5)
    boxes = {"human_box": human, "object_box": object_, "score": score}
    return {"image_id": scene.id, **label, **boxes}


@cache
def _numbers() -> dict[str, int]:
    """Class ids by the words in which scenes speak of deeds."""
    return {
        text_of(entry.verb.replace("_", " "), entry.object): number
        for number, entry in enumerate(classes())
    }


def _moved(box: Box, jitter: float, *key: object) -> Box:
    x1, y1, x2, y2 = box
    sides = (x2 - x1, y2 - y1, x2 - x1, y2 - y1)
    moved = [
        corner + max(-0.4, min(0.4, jitter * normal(*key, n))) * side
        for n, (corner, side) in enumerate(zip(box, sides, strict=True))
    ]
    return (round(moved[0], 1), round(moved[1], 1), round(moved[2], 1), round(moved[3], 1))


def _anywhere(*key: object) -> Box:
    width, height = 40 + 200 * unit(*key, "width"), 40 + 200 * unit(*key, "height")
    left, top = unit(*key, "left") * (WIDTH - width), unit(*key, "top") * (HEIGHT - height)
    return (round(left, 1), round(top, 1), round(left + width, 1), round(top + height, 1))
