"""Every hoi_choice value, slowly: plain Python from the formulas, importing nothing of ours.

Written from the protocol (STATISTICS, section 3; the published paper's equations 1-4;
the released scorer's behaviour), one question at a time. A resample is the list of its
images, with repeats: each repeat brings its questions along once more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
GROUPS = (
    "time-sensitive",
    "rare",
    "non-rare",
    "head",
    "tail",
    *(f"bin-{number:02d}" for number in range(1, 21)),
)
SCENES: Mapping[str, tuple[str, ...]] = {
    "one-person": ("one-person",),
    "several-people": ("same-hoi", "different-hoi"),
    "same-hoi": ("same-hoi",),
    "different-hoi": ("different-hoi",),
}

Address = tuple[str, str]
Json = dict[str, Any]


def class_of(choice: str) -> str:
    """Lower case, space and underscore alike, a/an dropped, `no_interaction with` shortened."""
    words = [word for word in re.split(r"[ _]+", choice.lower().strip()) if word != "a/an"]
    text = " ".join(words)
    return re.sub(r"^no interaction with\b", "no interaction", text).strip()


@dataclass
class Asked:
    """One question, its truth and what a system said to it."""

    image: str
    choices: list[str]
    right: set[int]
    also_wrong: set[int]
    others: set[str] | None
    scene: str | None
    named: list[int] = field(default_factory=list)  # in file order, repeats kept
    n_unknown: int = 0
    is_found: bool = True

    @property
    def picked(self) -> set[int]:
        return set(self.named)

    def classes(self, numbers: Iterable[int]) -> list[str]:
        return [class_of(self.choices[number]) for number in numbers]


# What was answered ------------------------------------------------------------------------


def overlap(first: Sequence[float], second: Sequence[float]) -> Fraction:
    """Intersection over union, exactly."""
    a, b = [Fraction(x) for x in first], [Fraction(x) for x in second]
    width = max(Fraction(0), min(a[2], b[2]) - max(a[0], b[0]))
    height = max(Fraction(0), min(a[3], b[3]) - max(a[1], b[1]))
    area = [max(Fraction(0), c[2] - c[0]) * max(Fraction(0), c[3] - c[1]) for c in (a, b)]
    union = sum(area) - width * height
    return width * height / union if union else Fraction(0)


def choice_number(label: str, choices: Sequence[str]) -> int | None:
    """Which choice a letter or a text names."""
    if len(label) == 1 and label in LETTERS[: len(choices)]:
        return LETTERS.index(label)
    if label in choices:
        return list(choices).index(label)
    same = [n for n, choice in enumerate(choices) if class_of(choice) == class_of(label)]
    return same[0] if len(same) == 1 else None


def top_five(detections: Sequence[Json]) -> list[str]:
    """The five best classes: each with its best score, file order on ties."""
    best: dict[str, tuple[float, int]] = {}
    for place, detection in enumerate(detections):
        name, score = class_of(detection["hoi"]), detection["score"]
        if name not in best or score > best[name][0]:
            best[name] = (score, place)
    return sorted(best, key=lambda name: (-best[name][0], best[name][1]))[:5]


def hear(asked: Asked, item: Json, track: str, target: Sequence[float] | None, rules: str) -> None:
    """Enter what an item of a predictions file says into a question."""
    labels: list[str] = item.get("answer", [])
    if track == "detect-then-answer":
        asked.is_found = False
    if "people" in item and target is not None:
        fits = [(overlap(person["box"], target), person) for person in item["people"]]
        if rules == "released":
            fits = [fit for fit in fits if fit[0] > Fraction(1, 2)][:1]
        else:
            largest = max((fit[0] for fit in fits), default=Fraction(0))
            fits = [fit for fit in fits if fit[0] == largest and largest >= Fraction(1, 2)][:1]
        asked.is_found = bool(fits)
        labels = [label for fit in fits for label in fit[1]["answer"]]
    if "interactions" in item:
        usable = item["interactions"]
        if track == "detect-then-answer" and target is not None:
            usable = [d for d in usable if overlap(d["box"], target) >= Fraction(1, 2)]
            asked.is_found = bool(usable)
        best = top_five(usable)
        asked.named = [n for n, choice in enumerate(asked.choices) if class_of(choice) in best]
        return
    for label in labels:
        number = choice_number(label, asked.choices)
        if number is None:
            asked.n_unknown += 1
        else:
            asked.named.append(number)


def ask(
    questions: Sequence[Json], truth: Sequence[Json], items: Sequence[Json], track: str, rules: str
) -> list[Asked]:
    """All questions of a track with truth and answers; a missing item is an empty answer."""
    told = {line["id"]: line for line in truth if line["track"] == track}
    said = {item["question_id"]: item for item in items}
    every = []
    for question in questions:
        if question["track"] != track:
            continue
        line = told[question["id"]]
        asked = Asked(
            image=question["image"],
            choices=list(question["choices"]),
            right={LETTERS.index(letter) for letter in line["right"]},
            also_wrong={LETTERS.index(letter) for letter in line.get("also_wrong", ())},
            others=None if line.get("others") is None else set(line["others"]),
            scene=line.get("scene"),
        )
        hear(asked, said.get(question["id"], {}), track, line.get("person_box"), rules)
        every.append(asked)
    return every


# How it is counted ------------------------------------------------------------------------


@dataclass
class Counts:
    """How an answer is counted label by label and as a whole."""

    hits: dict[int, int]
    picks: dict[int, int]
    f1: float
    is_exact: bool


def count_paper(asked: Asked) -> Counts:
    """Answers are sets."""
    picked, right = asked.picked, asked.right
    both = picked & right
    f1 = 2 * len(both) / (len(picked) + len(right)) if picked or right else 1.0
    return Counts(dict.fromkeys(both, 1), dict.fromkeys(picked, 1), f1, picked == right)


def count_released(asked: Asked) -> Counts:
    """Answers are lists, walked once; a right label is used up by its first mention."""
    if not asked.named and not asked.n_unknown:
        return Counts({}, {}, 0.0 if asked.right else 1.0, False)
    hits: dict[int, int] = defaultdict(int)
    picks: dict[int, int] = defaultdict(int)
    unused = set(asked.right)
    wrong = set(range(len(asked.choices))) - asked.right | asked.also_wrong
    for number in asked.named:
        if number in unused:
            hits[number] += 1
            picks[number] += 1
            unused.remove(number)
        elif number in wrong:
            picks[number] += 1
    n_hit, n_pick = sum(hits.values()), sum(picks.values())
    precision = n_hit / n_pick if n_pick else 0.0
    recall = n_hit / len(asked.right) if asked.right else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    is_exact = (
        bool(asked.named) and len(asked.named) == len(asked.right) and asked.picked == asked.right
    )
    return Counts(dict(hits), dict(picks), f1, is_exact)


Drawn = tuple[int, Asked]  # which of the images drawn a question comes with

COUNT: Mapping[str, Callable[[Asked], Counts]] = {"paper": count_paper, "released": count_released}


def is_listed(choice: str, listed: set[str]) -> bool:
    """Whether the released scorer's class list holds a choice's spelling.

    It turns blanks into underscores one by one: `cut_ with a/an knife` is not `cut_with knife`.
    """
    verb, _, thing = choice.rpartition(" a/an ")
    if "no_interaction" in verb:
        verb = "no_interaction"
    return (f"{verb} {thing}" if verb else thing).replace("_", " ") in listed


def mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def quotient(above: int, below: int) -> float | None:
    return above / below if below else None


def values_of(
    drawn: Sequence[Drawn], members: set[str] | None, listed: set[str], rules: str
) -> dict[str, float | None]:
    """All metrics over questions drawn; `members` restricts labels to a group of classes.

    Label-level metrics look at the labels of the group in every question; question-level
    metrics look at whole answers to the questions that have a right choice in the group.
    """
    n_hit = n_pick = n_right = n_wrong = n_of_others = 0
    class_hits: dict[str, int] = defaultdict(int)
    class_picks: dict[str, int] = defaultdict(int)
    class_right: dict[str, int] = defaultdict(int)
    whole: list[tuple[Asked, Counts]] = []
    images: set[int] = set()
    for image, asked in drawn:
        counts = COUNT[rules](asked)
        names = asked.classes(range(len(asked.choices)))
        inside = {n for n, name in enumerate(names) if members is None or name in members}
        if members is None or asked.right & inside:
            whole.append((asked, counts))
            images.add(image)
        for n in inside:
            hits, picks, right = counts.hits.get(n, 0), counts.picks.get(n, 0), n in asked.right
            n_hit, n_pick, n_right = n_hit + hits, n_pick + picks, n_right + right
            if asked.others is not None:
                n_wrong += picks - hits
                n_of_others += (picks - hits) if names[n] in asked.others else 0
            if rules == "paper" or is_listed(asked.choices[n], listed):
                class_hits[names[n]] += hits
                class_picks[names[n]] += picks
                class_right[names[n]] += right
    averaged = [
        name
        for name in class_right
        if class_right[name] or (rules == "released" and class_picks[name])
    ]
    class_f1 = [2 * class_hits[c] / (class_picks[c] + class_right[c]) for c in averaged]
    micro = quotient(2 * n_hit, n_pick + n_right)
    n_exact = sum(counts.is_exact for _, counts in whole)
    n_answered = sum(bool(asked.picked) for asked, _ in whole)
    return {
        "macro_f1": mean(class_f1),
        "instance_f1": mean([counts.f1 for _, counts in whole]),
        "micro_f1": None if rules == "released" and not n_hit else micro,
        # The released scorer divides by its files, which are images.
        "exact_match": quotient(n_exact, len(images) if rules == "released" else len(whole)),
        "precision": quotient(n_hit, n_pick),
        "recall": quotient(n_hit, n_right),
        "precision_per_question": mean(
            [sum(c.hits.values()) / sum(c.picks.values()) for _, c in whole if c.picks]
        ),
        "recall_per_question": mean(
            [len(a.picked & a.right) / len(a.right) for a, _ in whole if a.right]
        ),
        "abstention_rate": quotient(len(whole) - n_answered, len(whole)),
        "misattribution": quotient(n_of_others, n_wrong),
        "detection_rate": quotient(sum(asked.is_found for asked, _ in whole), len(whole)),
    }


def slices_of(every: Sequence[Asked], classes: Sequence[Json], track: str) -> list[str]:
    """Slices that a track of a benchmark has."""
    slices = ["all"]
    if any(asked.scene for asked in every):
        slices += SCENES
    if track == "detect-then-answer":
        slices.append("detected")
    return slices + [g for g in GROUPS if any(g in entry.get("groups", ()) for entry in classes)]


def evaluate(
    every: Sequence[Asked],
    classes: Sequence[Json],
    track: str,
    rules: str,
    images: Sequence[str] | None = None,
) -> dict[Address, float | None]:
    """Values at all addresses, over all questions or over a resample of images."""
    of_image: dict[str, list[Asked]] = defaultdict(list)
    for asked in every:
        of_image[asked.image].append(asked)
    drawn = [
        (number, asked)
        for number, image in enumerate(of_image if images is None else images)
        for asked in of_image.get(image, [])
    ]
    listed = {entry["name"] for entry in classes if entry.get("listed", True)}
    values: dict[Address, float | None] = {}
    for slice_ in slices_of(every, classes, track):
        chosen, members = drawn, None
        if slice_ in SCENES:
            chosen = [(n, asked) for n, asked in drawn if asked.scene in SCENES[slice_]]
        elif slice_ == "detected":
            chosen = [(n, asked) for n, asked in drawn if asked.is_found]
        elif slice_ != "all":
            members = {e["name"] for e in classes if slice_ in e.get("groups", ())}
        found = values_of(chosen, members, listed, rules)
        if slice_.startswith("bin-"):
            found = {"recall": found["recall"]}
        if track == "all-people":
            found.pop("misattribution", None)
        if track != "detect-then-answer":
            found.pop("detection_rate", None)
        values |= {(slice_, metric): value for metric, value in found.items()}
    return values
