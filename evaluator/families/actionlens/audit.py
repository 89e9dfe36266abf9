"""What can be said of a video benchmark before anybody answers."""

from __future__ import annotations

from collections import Counter

import numpy as np

from evaluator.audit import AuditTable, Cell, Fact, TrackAudit
from evaluator.bundle import Bundle
from evaluator.choices import LETTERS
from evaluator.families.actionlens.checks import position_shares
from evaluator.families.actionlens.diagnostics import DIAGNOSTICS
from evaluator.families.actionlens.metrics import accuracy, slice_sums, weigh
from evaluator.families.actionlens.schema import Layout, TruthLayout, lay_out, lay_out_truth
from evaluator.families.actionlens.slices import SLICES
from evaluator.families.actionlens.trivial import TRIVIAL
from evaluator.family import FloatArray
from evaluator.statistics.stability import concentration
from evaluator.wording import leak_facts


def audit_track(bundle: Bundle, track: str) -> TrackAudit:
    """Sizes, concentration, positions, options, chance and what the wording gives away."""
    layout = lay_out(bundle, track)
    truth = lay_out_truth(bundle, track, layout)
    spread = concentration(_by_video(layout))
    return TrackAudit(
        facts=(
            Fact("n_questions", "Questions", layout.n_questions),
            Fact("n_review", "Questions of the review subset", int(layout.review.sum())),
            Fact("n_videos", "Videos", spread.n_clusters),
            Fact("n_videos_everywhere", "Videos in every diagnostic", spread.n_in_every_slice),
            Fact("min_questions_per_video", "Questions of one video, at least", spread.least),
            Fact("median_questions_per_video", "The median", spread.median),
            Fact("max_questions_per_video", "At most", spread.most),
            Fact("largest_share", "Share of the ten largest videos", spread.largest_share),
            *_leaks(layout, truth),
            *leak_facts(
                [
                    (q.options, [place == key for place in range(len(q.options))])
                    for q, key in zip(layout.questions, truth.key.tolist(), strict=True)
                ]
            ),
        ),
        tables=(_positions(bundle, track), _options(layout), _chance(bundle, track)),
    )


def _by_video(layout: Layout) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Questions of each video and diagnostic that the track asks, (C, S)."""
    codes = [d.code for d in DIAGNOSTICS if (layout.diagnostic == d.code).any()]
    counts = np.zeros((len(layout.clusters), len(codes)), dtype=np.int64)
    for column, code in enumerate(codes):
        asked = layout.cluster[layout.diagnostic == code]
        counts[:, column] = np.bincount(asked, minlength=len(layout.clusters))
    return counts


def _leaks(layout: Layout, truth: TruthLayout) -> tuple[Fact, ...]:
    """What two habits that never look at the clip would earn; chance where the words are mute."""
    times = Counter(option for question in layout.questions for option in question.options)
    longest = [[float(len(o)) for o in q.options] for q in layout.questions]
    frequent = [[float(times[o]) for o in q.options] for q in layout.questions]
    return (
        Fact("chance", "Chance", float((1 / layout.n_options).mean())),
        Fact("longest_option", "Always the longest option", _earned(longest, truth)),
        Fact("frequent_option", "Always the most frequent option", _earned(frequent, truth)),
    )


def _earned(looks: list[list[float]], truth: TruthLayout) -> float:
    """Accuracy of taking the option that looks largest; ties are shared."""
    earned = 0.0
    for values, key in zip(looks, truth.key.tolist(), strict=True):
        top = max(values)
        earned += (values[key] == top) / values.count(top)
    return earned / len(looks)


def _positions(bundle: Bundle, track: str) -> AuditTable:
    rows: list[tuple[Cell, ...]] = []
    for code in (None, *(d.code for d in DIAGNOSTICS)):
        found, expected, _ = position_shares(bundle, track, code)
        total = found.sum()
        rows += [
            (code or "all", letter, int(n), round(float(even), 1), float(n / total))
            for letter, n, even in zip(LETTERS, found, expected, strict=True)
            if even
        ]
    columns = ("diagnostic", "letter", "right", "if even", "share of keys")
    return AuditTable("positions", "Positions of keys", columns, tuple(rows))


def _options(layout: Layout) -> AuditTable:
    rows: list[tuple[Cell, ...]] = []
    for diagnostic in DIAGNOSTICS:
        sizes = layout.n_options[layout.diagnostic == diagnostic.code].tolist()
        rows += [
            (diagnostic.code, n, times, times / len(sizes))
            for n, times in sorted(Counter(sizes).items())
        ]
    columns = ("diagnostic", "options", "questions", "share of questions")
    return AuditTable("options", "Numbers of options", columns, tuple(rows))


def _chance(bundle: Bundle, track: str) -> AuditTable:
    """What even guessing earns in each slice, and how much there is to resample."""
    row = next(row for row in TRIVIAL if row.slug == "chance")
    outcome = next(iter(row.outcomes(bundle, track)))
    weighed = weigh(outcome, np.ones((1, outcome.n_clusters), dtype=np.int16))
    rows = []
    for slice_ in SLICES:
        if slice_.slug in outcome.facts["slices"]:
            questions: FloatArray = slice_sums(outcome, slice_.slug)[:, 0]
            value = float(accuracy(weighed, slice_.slug)[0])
            rows.append((slice_.slug, int(questions.sum()), int((questions > 0).sum()), value))
    return AuditTable(
        "chance", "Chance, by slice", ("slice", "questions", "videos", "accuracy"), tuple(rows)
    )
