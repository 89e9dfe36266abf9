"""Scorecards and differences as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from evaluator.bundle import Benchmark
from evaluator.itemwise import Agreement, KindOfError
from evaluator.scorecard import Difference, Score, Scorecard
from evaluator.scoring import family_of
from plumbline.tables import NOTHING, percent, points, span, table

UNRESOLVED = "unresolved"

Item = TypeVar("Item", Score, Difference)


def scorecard_text(
    card: Scorecard, benchmark: Benchmark, errors: Sequence[KindOfError] = ()
) -> str:
    """All metrics on the widest slice, then one metric on every slice, then wrong answers."""
    level = (f"{100 * card.level:.0f} % interval",) if card.draws else ()
    head, align = ("percent", *level, "counted", ""), f"lr{'l' * len(level)}rl"
    widest, primary = _two_cuts(card.scores, benchmark)
    parts = [f"{card.benchmark}, {card.track}, rules {card.rules}, evaluator {card.evaluator}"]
    if widest:
        rows = [(score.metric, *_cells(score, card)) for score in widest]
        parts.append(table((widest[0].slice, *head), rows, align))
    if len(primary) > 1:
        rows = [(score.slice, *_cells(score, card)) for score in primary]
        parts.append(table((_metrics_of(primary), *head), rows, align))
    parts += [_errors_text(errors)] if errors else []
    parts += [f"note: {note}" for note in card.notes]
    draws = f"{card.draws} draws, seed {card.seed}; " if card.draws else ""
    parts.append(f"{draws}--json has every slice and metric")
    return "\n\n".join(parts)


def differences_text(
    differences: Sequence[Difference], first: Scorecard, second: Scorecard, benchmark: Benchmark
) -> str:
    """Paired differences beside the two values, cut as a scorecard is."""
    widest, primary = _two_cuts(differences, benchmark)
    level = f"{100 * benchmark.bootstrap.level:.0f} % interval"
    head = ("A", "B", "A - B", level, "P(A better)", "")
    parts = [f"{first.benchmark}, {first.track}, rules {first.rules}"]
    if widest:
        rows = [(d.metric, *_difference_cells(d, first, second)) for d in widest]
        parts.append(table((widest[0].slice, *head), rows, "lrrrlrl"))
    if len(primary) > 1:
        rows = [(d.slice, *_difference_cells(d, first, second)) for d in primary]
        parts.append(table((_metrics_of(primary), *head), rows, "lrrrlrl"))
    return "\n\n".join(parts)


def agreement_text(agreement: Agreement) -> str:
    """How often both files have the same answer."""
    lost, won = agreement.n_flipped
    return (
        f"same answer to {percent(agreement.share)} % of {agreement.n} questions; "
        f"right in A only {lost}, right in B only {won}"
    )


def _errors_text(errors: Sequence[KindOfError]) -> str:
    rows = [
        (row.slice, row.kind, f"{row.n:g}", percent(row.share), percent(row.chance), row.title)
        for row in errors
    ]
    return table(("wrong answers to", "kind", "n", "percent", "chance", ""), rows, "llrrrl")


def _two_cuts(found: Sequence[Item], benchmark: Benchmark) -> tuple[list[Item], list[Item]]:
    """The widest slice, and of each slice the primary metric.

    Where a slice lacks it, the first of several metrics stands in; a slice with
    a single metric of its own is a curve's point and is left out.
    """
    primary = family_of(benchmark).primary_metric
    by_slice: dict[str, list[Item]] = {}
    for item in found:
        by_slice.setdefault(item.slice, []).append(item)
    leading = []
    for items in by_slice.values():
        named = [item for item in items if item.metric == primary]
        leading += named or (items[:1] if len(items) > 1 else [])
    return by_slice[found[0].slice] if found else [], leading


def _metrics_of(items: Sequence[Item]) -> str:
    """The names of the metrics that a column mixes, usually one."""
    return " / ".join(dict.fromkeys(item.metric for item in items))


def _cells(score: Score, card: Scorecard) -> tuple[str, ...]:
    counted = NOTHING if score.n is None else str(score.n)
    if not card.draws:
        return percent(score.value), counted, score.reason or ""
    interval = score.interval
    bounds = span(interval.low, interval.high) if interval else NOTHING
    return percent(score.value), bounds, counted, score.reason or score.interval_reason or ""


def _difference_cells(
    difference: Difference, first: Scorecard, second: Scorecard
) -> tuple[str, str, str, str, str, str]:
    address = difference.slice, difference.metric
    interval = difference.interval
    bounds = span(interval.low, interval.high, signed=True) if interval else NOTHING
    better = difference.probability_better
    return (
        percent(first.score(*address).value),
        percent(second.score(*address).value),
        points(difference.value),
        bounds,
        NOTHING if better is None else f"{better:.3f}",
        difference.reason
        or difference.interval_reason
        or (UNRESOLVED if difference.unresolved else ""),
    )
