"""Bundles from the annotation files of HICO-DET and V-COCO.

Both in the JSON of github.com/fredzzhang/hicodet and /vcoco. Every image is
kept, those without pairs too: false positives on them count.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from evaluator.bundle import (
    Benchmark,
    BootstrapPlan,
    Bundle,
    LabelClass,
    TrackPlan,
    json_lines,
)
from evaluator.errors import BundleInvalid
from evaluator.families.hoi_detection.class_list import hico_det_classes, hoi_coco_classes
from evaluator.families.hoi_detection.schema import TRACK, Image, Truth
from evaluator.statistics.bootstrap import weights_digest

DRAWS, SEED, LEVEL = 1_000, 20_260_901, 0.95

# V-COCO's 24 actions in the order of its annotation file, as HOI-COCO spells their verbs.
# fmt: off
VCOCO_ACTIONS = (
    "hold", "sit", "ride", "look", "hit", "hit", "eat", "eat", "jump", "lay", "talk_on_phone",
    "carry", "throw", "catch", "cut", "cut", "work_on_computer", "ski", "surf", "skateboard",
    "drink", "kick", "read", "snowboard",
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Described:
    """What `benchmark.json` says of a data set besides its classes."""

    name: str
    title: str
    licence: str
    citation: str
    source: str
    notes: tuple[str, ...] = ()


HICO_DET = Described(
    "hico-det",
    "HICO-DET",
    "Annotations CC0.",
    "Chao, Liu, Liu, Zeng, Deng: Learning to Detect Human-Object Interactions. WACV 2018.",
    "https://github.com/fredzzhang/hicodet",
    ("Known-object evaluation takes the objects of an image from its annotated pairs.",),
)
HOI_COCO = Described(
    "hoi-coco",
    "HOI-COCO",
    "COCO annotations CC BY 4.0.",
    "Hou, Yu, Qiao, Peng, Tao: Affordance Transfer Learning for Human-Object Interaction "
    "Detection. CVPR 2021; V-COCO: Gupta, Malik 2015.",
    "https://github.com/fredzzhang/vcoco",
)


def import_hico_det(annotations: Path) -> tuple[Bundle, list[str]]:
    """HICO-DET's test set, and what was found, in lines.

    Raises:
        BundleInvalid: not such a file.
    """
    content = _load(annotations)
    try:
        rows = [
            (name, size, entry["hoi"], entry["boxes_h"], entry["boxes_o"])
            for name, size, entry in zip(
                content["filenames"], content["size"], content["annotation"], strict=True
            )
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise BundleInvalid(
            f"{annotations} does not hold HICO-DET annotations: {error!r}"
        ) from error
    return _bundle(HICO_DET, hico_det_classes(), rows)


def import_hoi_coco(annotations: Path, classes: Path) -> tuple[Bundle, list[str]]:
    """HOI-COCO: V-COCO's test set over 222 classes of verb and object.

    Args:
        classes: CSV with the columns object and verb.

    Raises:
        BundleInvalid: not such files.
    """
    content = _load(annotations)
    entries = hoi_coco_classes(classes)
    number_of = {(entry.verb, entry.object): number for number, entry in enumerate(entries)}
    rows, n_outside = [], 0
    try:
        for entry in content["annotations"]:
            kept: list[tuple[int, list[float], list[float]]] = []
            for action, thing, human, object_ in zip(
                entry["actions"], entry["objects"], entry["boxes_h"], entry["boxes_o"], strict=True
            ):
                pair = (VCOCO_ACTIONS[action], content["objects"][thing].replace(" ", "_"))
                if pair in number_of:
                    kept.append((number_of[pair], _from_one(human), _from_one(object_)))
                else:
                    n_outside += 1
            rows.append((entry["file_name"], (None, None), *_columns(kept)))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise BundleInvalid(f"{annotations} does not hold V-COCO annotations: {error!r}") from error
    bundle, lines = _bundle(HOI_COCO, entries, rows)
    lines.append(f"{n_outside} annotated pairs belong to no HOI-COCO class: left out")
    lines.append("no training counts of a named split: no rare and no object splits")
    return bundle, lines


def _bundle(
    described: Described, classes: list[LabelClass], rows: Sequence[tuple[Any, ...]]
) -> tuple[Bundle, list[str]]:
    images, truths, n_pairs, n_empty = [], [], 0, 0
    for name, (width, height), hoi, human, object_ in rows:
        id_ = Path(name).stem
        images.append(Image(track=TRACK, id=id_, image=name, width=width, height=height))
        truths.append(
            Truth(track=TRACK, id=id_, hoi=tuple(hoi), human=_boxes(human), object=_boxes(object_))
        )
        n_pairs += len(hoi)
        n_empty += not hoi
    lines = [f"{len(images)} images, {n_empty} of them without pairs", f"{n_pairs} pairs"]
    benchmark = Benchmark(
        name=described.name,
        title=described.title,
        family="hoi_detection",
        version="1",
        description="Find every person who interacts, with what, and how.",
        tracks=(TrackPlan(slug=TRACK, title="Detection", answers="public", partial=True),),
        rules="official",
        cluster="image",
        bootstrap=BootstrapPlan(
            draws=DRAWS,
            seed=SEED,
            level=LEVEL,
            weights_sha256=weights_digest(len(images), DRAWS, SEED),
        ),
        classes=tuple(classes),
        licence=described.licence,
        citation=described.citation,
        source=described.source,
        notes=described.notes,
    )
    questions = json_lines(msgspec.json.encode(image) for image in images)
    truth = json_lines(msgspec.json.encode(line) for line in truths)
    return Bundle(benchmark=benchmark, questions=questions, truth=truth), lines


def _load(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BundleInvalid(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(content, dict):
        raise BundleInvalid(f"{path} does not hold a JSON object")
    return content


def _columns(rows: list[tuple[Any, ...]]) -> tuple[list[Any], list[Any], list[Any]]:
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def _from_one(box: Sequence[float]) -> list[float]:
    """A box of COCO, which counts pixels from 0, in the truth's frame."""
    return [corner + 1.0 for corner in box]


def _boxes(rows: Sequence[Sequence[float]]) -> tuple[tuple[float, float, float, float], ...]:
    return tuple((row[0], row[1], row[2], row[3]) for row in rows)
