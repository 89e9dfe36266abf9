"""Importer of CrossHOI-Bench's released files.

Source: github.com/ChelsieLei/CrossHOI-Bench at 249db3c. The release lists the
right choices first, so choices are put in the order of a seeded hash.
Odd items are kept by stated rules and reported.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from evaluator.bundle import (
    Benchmark,
    BootstrapPlan,
    Bundle,
    LabelClass,
    Reference,
    TrackPlan,
    json_lines,
)
from evaluator.choices import choice_order
from evaluator.errors import BundleInvalid
from evaluator.families.hoi_choice.image_people import VCOCO_VERBS, ImagePeople, read_image_people
from evaluator.families.hoi_choice.labels import class_list, class_name, hico_names
from evaluator.families.hoi_choice.release_form import release_question_id
from evaluator.families.hoi_choice.schema import LETTERS, MIN_CHOICES, Box, Question, Truth
from evaluator.hico import hico_by_verb_and_object, hico_classes
from evaluator.statistics.bootstrap import weights_digest

USUAL_CHOICES = 4
DRAWS, BOOTSTRAP_SEED, LEVEL = 10_000, 20_260_901, 0.95

# Choices of the SWiG part that its class list of 407 verbs does not hold.
SWIG_UNLISTED = frozenset({"None", "discipling"})

TRACK_TITLES = {
    "all-people": "All people (Setting 1)",
    "target-box": "Target box (Setting 2)",
    "detect-then-answer": "Detect, then answer (Setting 3)",
    "target-pair": "Target pair",
}
BOX_PUBLIC = "Box public: the target box of each question can be read from target-box."


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the release: which file asks which tracks, and what it is."""

    title: str
    images: str
    files: dict[str, tuple[str, ...]]


PARTS = {
    "hicodet": Part(
        "CrossHOI-Bench, HICO-DET part",
        "HICO-DET test images",
        {
            "crosshoi_bench_allscene_final.json": ("all-people",),
            "crosshoi_bench_hum_box_final.json": ("target-box", "detect-then-answer"),
            "crosshoi_bench_hum_obj_box_final.json": ("target-pair",),
        },
    ),
    "vcoco": Part(
        "CrossHOI-Bench, V-COCO part",
        "V-COCO test images (COCO val2014)",
        {
            "vcoco_newbench_none.json": ("all-people",),
            "vcoco_newbench_person.json": ("target-box", "detect-then-answer"),
            "vcoco_newbench_ho.json": ("target-pair",),
        },
    ),
    "swig": Part(
        "CrossHOI-Bench, SWiG part",
        "SWiG-HOI test images",
        {
            "swighoi_newbench_none.json": ("all-people",),
            "swighoi_newbench_person.json": ("target-box", "detect-then-answer"),
            "swighoi_newbench_ho.json": ("target-pair",),
        },
    ),
}


@dataclass(slots=True)
class ImportReport:
    """What an importer did with what it found, in lines for a person."""

    lines: list[str] = field(default_factory=list)
    odd: Counter[str] = field(default_factory=Counter)

    def say(self, line: str) -> None:
        self.lines.append(line)

    def keep(self, place: str, what: str, rule: str) -> None:
        """An odd item at `place`, and the rule by which it was kept."""
        self.say(f"{place}: {what}; {rule}")
        self.odd[rule] += 1


class _Release(msgspec.Struct, frozen=True):
    """One question as the release writes it; other keys are ignored."""

    gt_choices: tuple[str, ...]
    wrong_choices: tuple[str, ...]
    boxes: dict[str, Any] = {}


def import_crosshoi(
    source: Path,
    part: str,
    *,
    annotations: Path | None = None,
    seed: int = 0,
    references: tuple[Reference, ...] = (),
) -> tuple[Bundle, ImportReport]:
    """A bundle of one part of the release.

    Args:
        source: folder with the release's JSON files.
        part: hicodet, vcoco or swig.
        annotations: HICO-DET's or V-COCO's test annotations in JSON; they fill
            `others` and the scene slices.
        seed: of the order of choices.
        references: published rows to ship with the version.

    Raises:
        BundleInvalid: no file of the part, or a malformed one.
    """
    known = PARTS[part]
    people = read_image_people(annotations, part) if annotations else {}
    report = ImportReport()
    questions: list[Question] = []
    truths: list[Truth] = []
    labels: dict[str, str] = {}
    for file_name, tracks in known.files.items():
        path = source / file_name
        if not path.exists():
            report.say(f"{file_name}: not in the source; no track {' or '.join(tracks)}")
            continue
        n_before = len(questions)
        for image, number, item in _read_release(path):
            for track in tracks:
                place = f"{file_name} {image} QA_{number}"
                said = report if track == tracks[0] else ImportReport()
                question, truth = _question(track, image, number, item, seed, place, said)
                questions.append(question)
                truths.append(_with_people(truth, item, track, people.get(image)))
            labels.update({label: class_name(label) for label in _choices(item)})
        report.say(
            f"{file_name}: {(len(questions) - n_before) // len(tracks)} questions "
            f"for {', '.join(tracks)}"
        )
    if not questions:
        raise BundleInvalid(f"{source} holds none of {', '.join(known.files)}")
    _report_labels(labels, report)
    _report_people(people, truths, report)
    benchmark = _benchmark(part, known, questions, labels, seed, report)
    return (
        Bundle(
            benchmark=benchmark,
            questions=json_lines(_line(q) for q in questions),
            truth=json_lines(_line(t) for t in truths),
            references=references,
        ),
        report,
    )


def _read_release(path: Path) -> Iterator[tuple[str, int, _Release]]:
    """(image, number of its question, question) in file order."""
    try:
        files = json.loads(path.read_bytes())
        for image, content in files.items():
            asked = content if "QA_0" in content else {"QA_0": content}
            for key, item in asked.items():
                yield image, int(key.removeprefix("QA_")), msgspec.convert(item, _Release)
    except (ValueError, AttributeError, TypeError, msgspec.ValidationError) as error:
        raise BundleInvalid(f"{path.name} is not a file of the release: {error}") from error


def _choices(item: _Release) -> list[str]:
    """The distinct choices; two spellings of one class count as one choice."""
    by_class: dict[str, str] = {}
    for text in (*item.gt_choices, *item.wrong_choices):
        by_class.setdefault(class_name(text), text)
    return list(by_class.values())


def _question(
    track: str,
    image: str,
    number: int,
    item: _Release,
    seed: int,
    place: str,
    report: ImportReport,
) -> tuple[Question, Truth]:
    id_ = release_question_id(image, number)
    choices = choice_order(id_, _choices(item), seed)
    n_listed = len(item.gt_choices) + len(item.wrong_choices)
    if len(choices) < MIN_CHOICES:
        raise BundleInvalid(f"{place}: fewer than {MIN_CHOICES} distinct choices")
    if len(choices) < n_listed:
        report.keep(place, "a class is listed twice", "a class listed twice is one choice")
    elif n_listed != USUAL_CHOICES:
        report.keep(place, f"{n_listed} choices", "questions need not have four choices")
    if not item.gt_choices:
        report.keep(place, "no right choice", "where no choice is right, none is the answer")
    on_both = sorted(set(item.gt_choices) & set(item.wrong_choices))
    for label in on_both:
        report.keep(place, f'"{label}" stands on both sides', "a label on both sides is right")
    boxes = item.boxes
    gives_person = track in ("target-box", "target-pair")
    question = Question(
        track=track,
        id=id_,
        image=image,
        choices=tuple(choices),
        person_box=_box(boxes, "human", place) if gives_person else None,
        object_box=_box(boxes, "object", place) if track == "target-pair" else None,
    )
    truth = Truth(
        track=track,
        id=id_,
        right=_letters(choices, item.gt_choices),
        also_wrong=_letters(choices, tuple(on_both)),
        person_box=_box(boxes, "human", place) if track == "detect-then-answer" else None,
    )
    return question, truth


def _with_people(truth: Truth, item: _Release, track: str, people: ImagePeople | None) -> Truth:
    if people is None or not people.people:
        return truth
    others = None
    if track != "all-people":
        target = people.at(_box(item.boxes, "human", truth.id))
        others = None if target is None else people.classes_of_others(target)
    return msgspec.structs.replace(truth, scene=people.scene, others=others)


def _letters(choices: list[str], labels: tuple[str, ...]) -> tuple[str, ...]:
    names = {class_name(label) for label in labels}
    return tuple(
        letter
        for letter, choice in zip(LETTERS, choices, strict=False)
        if class_name(choice) in names
    )


def _box(boxes: dict[str, Any], key: str, place: str) -> Box:
    try:
        box: Box = msgspec.convert(boxes[key], Box)
        return box
    except (KeyError, msgspec.ValidationError) as error:
        raise BundleInvalid(f"{place}: no usable {key} box ({error})") from error


def _line(item: Question | Truth) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(item)
    return {key: value for key, value in fields.items() if value is not None}


def _is_listed(label: str, part: str) -> bool:
    """Whether the released scorer's class list of that part holds the label."""
    if part == "swig":
        return label not in SWIG_UNLISTED
    verb, separator, thing = label.partition(" a/an ")
    if not separator:
        return False
    verb = "no_interaction" if "no_interaction" in verb else verb.replace(" ", "_")
    thing = thing.replace(" ", "_")
    if (verb, thing) in hico_by_verb_and_object():
        return True
    objects = {hico.object for hico in hico_classes()}
    return part == "vcoco" and verb.replace("_", " ") in VCOCO_VERBS and thing in objects


def _benchmark(
    part: str,
    known: Part,
    questions: list[Question],
    labels: dict[str, str],
    seed: int,
    report: ImportReport,
) -> Benchmark:
    asked = {question.track for question in questions}
    n_clusters = len({question.image for question in questions})
    listed = {name for label, name in labels.items() if _is_listed(label, part)}
    names = sorted(set(labels.values()))
    classes: list[LabelClass] = class_list(names, frozenset(names) - listed)
    return Benchmark(
        name=f"crosshoi-{part}",
        title=known.title,
        family="hoi_choice",
        version="1",
        description=(
            "Which interactions hold? Multiple choice with several right answers on "
            f"{known.images}."
        ),
        tracks=tuple(
            TrackPlan(
                slug=track,
                title=title,
                answers="public",
                note=BOX_PUBLIC if track == "detect-then-answer" else "",
            )
            for track, title in TRACK_TITLES.items()
            if track in asked
        ),
        rules="paper",
        cluster="image",
        bootstrap=BootstrapPlan(
            draws=DRAWS,
            seed=BOOTSTRAP_SEED,
            level=LEVEL,
            weights_sha256=weights_digest(n_clusters, DRAWS, BOOTSTRAP_SEED),
        ),
        classes=tuple(classes),
        licence="The release names no licence; images under their data set's own terms.",
        citation=(
            "Lei, Wang, Tan: CrossHOI-Bench: A Unified Benchmark for HOI Evaluation across "
            "Vision-Language Models and HOI-Specific Methods. CVPR 2026."
        ),
        source="https://github.com/ChelsieLei/CrossHOI-Bench",
        notes=(
            f"Choices are ordered by a hash of (question, text), seed {seed}.",
            *(f"Odd items kept: {rule} ({n}x)." for rule, n in sorted(report.odd.items())),
        ),
    )


def _report_labels(labels: dict[str, str], report: ImportReport) -> None:
    hico = hico_names()
    own = sorted(label for label, name in labels.items() if name not in hico)
    if own:
        report.say(
            f"{len(own)} of {len(labels)} choice texts name no HICO class; "
            f"each is a class of its own: {', '.join(own[:3])}, …"
        )


def _report_people(
    people: dict[str, ImagePeople], truths: list[Truth], report: ImportReport
) -> None:
    if not people:
        report.say("no image annotations given: no scene slices, no misattribution")
        return
    scenes = Counter(truth.scene for truth in truths if truth.track == "all-people")
    said = ", ".join(f"{n} {scene or 'unknown'}" for scene, n in sorted(scenes.items(), key=str))
    report.say(f"scenes of all-people questions by image annotations: {said}")
    n_unknown = sum(t.others is None for t in truths if t.track == "target-box")
    if n_unknown:
        report.say(f"{n_unknown} target-box questions: nobody annotated at the target box")
