"""The clips sample as files: a bundle built from invented evidence, and what systems answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from evaluator.bundle import Bundle, write_bundle
from evaluator.families.actionlens.builder.build import build
from evaluator.families.actionlens.builder.evidence import read_evidence
from evaluator.families.actionlens.builder.ledger import Ledger
from evaluator.families.actionlens.schema import Question, Truth, questions_of, truth_of
from infra.samples.chance import normal, unit
from infra.samples.clips import evidence
from infra.samples.tubes import volleyball

NAME = "sample-clips"
N_VIDEOS, N_SECONDS = 32, 150
MAX_QUESTIONS, REVIEW_SIZE = 72, 24  # of a diagnostic
SEED = 4
TRACKS = (
    "tracked-boxes",
    "static-coordinates",
    "relational-reference",
    "no-video",
    "frames-1",
    "frames-8",
    "step-by-step",
    "colours-swapped",
)
# What a way of asking adds to the evidence for the right option.
HANDICAP = {"static-coordinates": -0.7, "relational-reference": -0.3, "no-video": -2.0}

Item = dict[str, Any]  # one item of a predictions file, as JSON has it


@dataclass(frozen=True, slots=True)
class Viewer:
    """How an invented system watches clips.

    Attributes:
        skill: evidence for the right option, beside noise of spread 1.
        trap: added to the other person's action.
        gaze: added to the skill on gaze detection.
        form: letter, text of the option, or a reply in words.
        silence: share of replies that say nothing readable.
        scope: the questions it answered: all, or those of the review subset.
    """

    name: str
    facets: dict[str, str]
    skill: float
    trap: float = 0.4
    gaze: float = -0.9
    form: str = "letter"
    silence: float = 0.0
    scope: str = "all"

    @property
    def slug(self) -> str:
        return self.name.lower().replace(" ", "-").replace(".", "-")


VIEWERS = (
    Viewer("Lynx-38B", {"access": "open", "size": "large"}, 2.3, form="reply"),
    Viewer("Marten-32B", {"access": "open", "size": "large"}, 2.1),
    Viewer("Badger-27B", {"access": "open", "size": "large"}, 1.8, trap=1.2, form="text"),
    Viewer("Polecat-9B", {"access": "open", "size": "mid-size"}, 1.9, form="reply"),
    Viewer("Stoat-8B", {"access": "open", "size": "mid-size"}, 1.6, trap=0.9),
    Viewer("Weasel-7B", {"access": "open", "size": "mid-size"}, 1.3, trap=1.5, form="reply"),
    Viewer("Dormouse-4B", {"access": "open", "size": "small"}, 1.4, form="reply", silence=0.1),
    Viewer("Shrew-4B", {"access": "open", "size": "small"}, 0.8, trap=0.8, form="text"),
    Viewer("Vole-2B", {"access": "open", "size": "small"}, 0.5, form="reply", silence=0.3),
    Viewer("Falconer-2", {"access": "closed"}, 2.4, scope="review"),
    Viewer("Four people", {"access": "human"}, 3.8, trap=0.0, gaze=-0.2, scope="review"),
)


@cache
def clip_bundle() -> Bundle:
    """The sample bundle, without digests yet."""
    built = build(
        read_evidence(evidence(N_VIDEOS, N_SECONDS, NAME), Ledger()),
        Ledger(),
        seed=SEED,
        tracks=TRACKS,
        max_questions=MAX_QUESTIONS,
        review_size=REVIEW_SIZE,
    )
    notes = ("Clips, questions and systems are invented. No row is a result of a real model.",)
    benchmark = msgspec.structs.replace(built.benchmark, notes=(*built.benchmark.notes, *notes))
    return replace(built, benchmark=benchmark)


def write_clip_samples(folder: Path) -> dict[str, Any]:
    """Write bundle, predictions, manifest and the evidence behind them; returns the manifest.

    Raises:
        BundleInvalid: the bundle's folder holds something already.
    """
    bundle = clip_bundle()
    write_bundle(bundle, folder / NAME)
    (folder / "clips.jsonl").write_bytes(evidence(N_VIDEOS, N_SECONDS, NAME))
    (folder / "volleyball.jsonl").write_bytes(volleyball())
    entries = []
    for track in TRACKS:
        home = folder / "predictions" / track
        home.mkdir(parents=True, exist_ok=True)
        for viewer in VIEWERS:
            if viewer.scope == "review" and track != TRACKS[0]:
                continue
            (home / f"{viewer.slug}.json").write_bytes(predictions(viewer, track, bundle))
            entries.append(
                {
                    "system": viewer.name,
                    "track": track,
                    "file": f"predictions/{track}/{viewer.slug}.json",
                    "facets": viewer.facets,
                }
            )
    manifest = {
        "benchmark": bundle.benchmark.address,
        "bundle": NAME,
        "submissions": entries,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return manifest


def predictions(viewer: Viewer, track: str, bundle: Bundle) -> bytes:
    """A viewer's answers to a track, in the form that it likes to write."""
    truths = {truth.id: truth for truth in truth_of(bundle) if truth.track == track}
    items = [
        _item(viewer, question, truths[question.id])
        for question in questions_of(bundle)
        if question.track == track and (viewer.scope == "all" or question.review)
    ]
    head = {"benchmark": bundle.benchmark.address, "track": track, "predictions": items}
    return json.dumps(head, indent=1).encode() + b"\n"


def _item(viewer: Viewer, question: Question, truth: Truth) -> Item:
    letter = _choice(viewer, question, truth)
    item: Item = {"question_id": question.id}
    text = question.options[question.letters.index(letter)]
    if viewer.form == "reply":
        is_silent = unit(viewer.name, question.id, question.track, "silent") < viewer.silence
        item["reply"] = "I cannot tell." if is_silent else f"The answer is {letter}. {text}"
    else:
        item["answer"] = letter if viewer.form == "letter" else text
    return item


def _choice(viewer: Viewer, question: Question, truth: Truth) -> str:
    def looks(letter: str, kind: str) -> float:
        # Noise is by what an option is, so that tracks are paired.
        shared = 0.6 * normal("difficulty", question.id, kind, letter)
        own = normal(viewer.name, question.id, kind, letter)
        own += 0.3 * normal(viewer.name, question.id, letter, question.track)
        seen = viewer.skill + (viewer.gaze if question.diagnostic == "D5" else 0.0)
        right = seen + HANDICAP.get(question.track, 0.0) if letter == truth.right else 0.0
        return shared + own + right + (viewer.trap if kind == "trap" else 0.0)

    pairs = zip(question.letters, truth.kinds, strict=True)
    return max(pairs, key=lambda pair: looks(*pair))[0]
