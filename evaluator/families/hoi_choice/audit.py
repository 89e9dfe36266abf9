"""What can be said of a multiple-choice benchmark before anybody answers."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from evaluator.audit import AuditTable, Cell, Fact, TrackAudit, class_tables, training_facts
from evaluator.bundle import Bundle
from evaluator.families.hoi_choice.checks import position_shares
from evaluator.families.hoi_choice.metrics import METRICS, weigh
from evaluator.families.hoi_choice.schema import (
    LETTERS,
    Layout,
    TruthLayout,
    lay_out,
    lay_out_truth,
)
from evaluator.families.hoi_choice.slices import SLICES
from evaluator.families.hoi_choice.trivial import TRIVIAL
from evaluator.wording import leak_facts

CHANCE = ("instance_f1", "macro_f1", "precision")  # of all letters; recall is 1


def audit_track(bundle: Bundle, track: str) -> TrackAudit:
    """Sizes, positions, numbers of options, chance and distance from training; needs truth."""
    layout = lay_out(bundle, track)
    truth = lay_out_truth(bundle, track, layout)
    entries = bundle.benchmark.classes
    n_right = layout.per_question(truth.right)
    counts = np.bincount(layout.label[truth.right], minlength=len(entries))
    per_image = np.bincount(layout.cluster)
    per_image = per_image[per_image > 0]
    return TrackAudit(
        facts=(
            Fact("n_questions", "Questions", layout.n_questions),
            Fact("n_images", "Images", per_image.size),
            Fact(
                "max_questions_per_image", "Questions of one image, at most", int(per_image.max())
            ),
            Fact("n_right", "Right choices", int(truth.right.sum())),
            Fact("right_per_question", "Right choices per question", float(n_right.mean())),
            Fact("n_without_right", "Questions without a right choice", int((n_right == 0).sum())),
            *leak_facts(_worded(layout, truth)),
            *training_facts(entries, counts),
        ),
        tables=(
            _positions(bundle, track),
            _options(layout),
            _chance(bundle, track),
            *class_tables(entries, counts),
        ),
    )


def _worded(layout: Layout, truth: TruthLayout) -> list[tuple[tuple[str, ...], list[bool]]]:
    """The choices of each question, and whether each is right."""
    spans = pairwise(layout.offsets.tolist())
    return [
        (question.choices, truth.right[start:stop].tolist())
        for question, (start, stop) in zip(layout.questions, spans, strict=True)
    ]


def _positions(bundle: Bundle, track: str) -> AuditTable:
    found, expected, _ = position_shares(bundle, track)
    total = max(found.sum(), 1.0)
    rows = tuple(
        (letter, int(n), round(float(even), 1), float(n / total))
        for letter, n, even in zip(LETTERS, found, expected, strict=True)
        if even
    )
    columns = ("letter", "right", "if even", "share of right choices")
    return AuditTable("positions", "Positions of right choices", columns, rows)


def _options(layout: Layout) -> AuditTable:
    numbers = Counter(np.diff(layout.offsets).tolist())
    rows = tuple((n, numbers[n], numbers[n] / layout.n_questions) for n in sorted(numbers))
    return AuditTable(
        "options", "Numbers of choices", ("choices", "questions", "share of questions"), rows
    )


def _chance(bundle: Bundle, track: str) -> AuditTable:
    """What picking every letter earns in each slice, and how much there is to resample."""
    every = next(row for row in TRIVIAL if row.slug == "all-letters")
    outcome = next(iter(every.outcomes(bundle, track)))
    weighed = weigh(outcome, np.ones((1, outcome.n_clusters), dtype=np.int16))
    named = [next(metric for metric in METRICS if metric.slug == slug) for slug in CHANCE]
    by_question = named[0]
    rows: list[tuple[Cell, ...]] = []
    for slice_ in SLICES:
        if slice_.slug not in outcome.facts["slices"] or slice_.metrics is not None:
            continue
        n, n_images = by_question.count(outcome, slice_.slug)
        values = [float(metric.compute(weighed, slice_.slug)[0]) for metric in named]
        rows.append((slice_.slug, n, n_images, *(None if np.isnan(v) else v for v in values)))
    return AuditTable(
        "chance",
        "All letters, by slice",
        ("slice", "questions", "images", *CHANCE),
        tuple(rows),
    )
