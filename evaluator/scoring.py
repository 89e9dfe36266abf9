"""Whole jobs of the evaluator: validate, match, score, compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import evaluator
from evaluator.bundle import Benchmark, Bundle
from evaluator.errors import BundleInvalid
from evaluator.families import FAMILIES
from evaluator.family import Family, FloatArray, Metric, Slice
from evaluator.likeness import Fingerprint
from evaluator.outcome import Outcome
from evaluator.scorecard import Difference, Score, Scorecard
from evaluator.statistics.bootstrap import checked_weights, draw_weights, values_under
from evaluator.statistics.comparison import difference_of
from evaluator.statistics.intervals import interval_of

NO_VALUE = "nothing to count in this slice"


def family_of(benchmark: Benchmark) -> Family:
    """The family of a version.

    Raises:
        BundleInvalid: this evaluator knows no such family.
    """
    try:
        return FAMILIES[benchmark.family]
    except KeyError:
        known = ", ".join(sorted(FAMILIES))
        raise BundleInvalid(f"family {benchmark.family!r} is not one of {known}") from None


def validate_predictions(bundle: Bundle, track: str, data: bytes, rules: str | None = None) -> Any:
    """The predictions in `data`, in the family's own form; needs no truth.

    Raises:
        PredictionsInvalid: all problems of the file.
    """
    family = family_of(bundle.benchmark)
    return family.read_predictions(bundle, track, data, rules or bundle.benchmark.rules)


def match_predictions(bundle: Bundle, track: str, data: bytes, rules: str | None = None) -> Outcome:
    """Validate and match: the outcome of a predictions file.

    Raises:
        PredictionsInvalid: all problems of the file.
        BundleInvalid: the bundle has no truth.
    """
    rules = rules or bundle.benchmark.rules
    predictions = _read_to_match(bundle, track, data, rules)
    return family_of(bundle.benchmark).match(bundle, track, predictions, rules)


def match_and_fingerprint(
    bundle: Bundle, track: str, data: bytes, rules: str | None = None
) -> tuple[Outcome, Fingerprint]:
    """As `match_predictions`, and the answers in short, to be held against others.

    Raises:
        PredictionsInvalid: all problems of the file.
        BundleInvalid: the bundle has no truth.
    """
    rules = rules or bundle.benchmark.rules
    family = family_of(bundle.benchmark)
    predictions = _read_to_match(bundle, track, data, rules)
    outcome = family.match(bundle, track, predictions, rules)
    return outcome, family.fingerprint(bundle, track, predictions, rules)


def score_outcome(
    benchmark: Benchmark,
    track: str,
    outcome: Outcome,
    *,
    draws: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Scorecard:
    """Values, and intervals from `draws` resamples, at all addresses of an outcome.

    Args:
        draws: None for the version's plan, 0 for values only; another number
            is a look, not a result: its weights are not the version's.
        progress: told (draws done, draws in all).

    Raises:
        DrawsChanged: the version's weights came out differently here.
    """
    return score_with_draws(benchmark, track, outcome, draws=draws, progress=progress)[0]


def score_with_draws(
    benchmark: Benchmark,
    track: str,
    outcome: Outcome,
    *,
    draws: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Scorecard, FloatArray | None]:
    """As `score_outcome`, and the resampled values: a column per score, (B, A); None without."""
    family = family_of(benchmark)
    addresses = family.addresses(outcome, track)
    plan = benchmark.bootstrap
    n_draws = plan.draws if draws is None else draws
    resampled: FloatArray | None = None
    if n_draws:
        if draws is None or draws == plan.draws:
            weights = checked_weights(outcome.n_clusters, plan)
        else:
            weights = draw_weights(outcome.n_clusters, n_draws, plan.seed)
        resampled = values_under(family, outcome, addresses, weights, progress)
    values = point_values(family, outcome, addresses)
    card = Scorecard(
        benchmark=benchmark.address,
        track=track,
        rules=outcome.rules,
        evaluator=evaluator.__version__,
        draws=n_draws,
        seed=plan.seed,
        level=plan.level,
        scores=tuple(
            _score(
                slice_,
                metric,
                float(values[column]),
                None if resampled is None else resampled[:, column],
                plan.level,
                *metric.count(outcome, slice_.slug),
                _why_none(outcome, slice_.slug, metric.slug),
            )
            for column, (slice_, metric) in enumerate(addresses)
        ),
        notes=tuple(outcome.facts.get("notes", ())),
    )
    return card, resampled


def score_predictions(
    bundle: Bundle,
    track: str,
    data: bytes,
    *,
    rules: str | None = None,
    draws: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Scorecard:
    """From the bytes of a predictions file to its scorecard."""
    outcome = match_predictions(bundle, track, data, rules)
    return score_outcome(bundle.benchmark, track, outcome, draws=draws, progress=progress)


def compare_outcomes(
    benchmark: Benchmark,
    tracks: tuple[str, str],
    outcomes: tuple[Outcome, Outcome],
    *,
    draws: int | None = None,
) -> list[Difference]:
    """Paired differences, first minus second, at the addresses both define.

    Two tracks of one version may be compared: their clusters are the same.
    """
    family = family_of(benchmark)
    second_addresses = {
        (slice_.slug, metric.slug) for slice_, metric in family.addresses(outcomes[1], tracks[1])
    }
    addresses = [
        (slice_, metric)
        for slice_, metric in family.addresses(outcomes[0], tracks[0])
        if (slice_.slug, metric.slug) in second_addresses
    ]
    plan = benchmark.bootstrap
    if draws is None or draws == plan.draws:
        weights = checked_weights(outcomes[0].n_clusters, plan)
    else:
        weights = draw_weights(outcomes[0].n_clusters, draws, plan.seed)
    values = [point_values(family, outcome, addresses) for outcome in outcomes]
    resampled = [values_under(family, outcome, addresses, weights) for outcome in outcomes]
    return [
        difference_of(
            slice_.slug,
            metric,
            (_or_none(values[0][column]), _or_none(values[1][column])),
            (resampled[0][:, column], resampled[1][:, column]),
            level=plan.level,
            n_clusters=min(metric.count(outcome, slice_.slug)[1] for outcome in outcomes),
        )
        for column, (slice_, metric) in enumerate(addresses)
    ]


def point_values(
    family: Family, outcome: Outcome, addresses: Sequence[tuple[Slice, Metric]]
) -> FloatArray:
    """Values of all addresses under weights of one, (A,); NaN where nothing counts."""
    ones = np.ones((1, outcome.n_clusters), dtype=np.int16)
    values: FloatArray = values_under(family, outcome, addresses, ones)[0]
    return values


def _read_to_match(bundle: Bundle, track: str, data: bytes, rules: str) -> Any:
    if bundle.truth is None:
        raise BundleInvalid("the bundle has no truth.jsonl: a copy for entrants can only validate")
    return family_of(bundle.benchmark).read_predictions(bundle, track, data, rules)


def _score(
    slice_: Slice,
    metric: Metric,
    value: float,
    draws: FloatArray | None,
    level: float,
    n: int,
    n_clusters: int,
    why_none: str,
) -> Score:
    address = {"slice": slice_.slug, "metric": metric.slug, "n": n, "n_clusters": n_clusters}
    if np.isnan(value):
        return Score(**address, value=None, reason=why_none)  # type: ignore[arg-type]
    if draws is None:
        return Score(**address, value=value, interval_reason="no draws asked for")  # type: ignore[arg-type]
    interval, why, n_dropped = interval_of(
        value,
        draws,
        rule=metric.interval,
        level=level,
        n_clusters=n_clusters,
        scale=metric.scale,
    )
    return Score(
        **address,  # type: ignore[arg-type]
        value=value,
        interval=interval,
        interval_reason=why,
        n_dropped_draws=n_dropped,
    )


def _why_none(outcome: Outcome, slice_: str, metric: str) -> str:
    """Why a family cannot give a value at an address, in its own words if it has any."""
    reasons: dict[str, str] = outcome.facts.get("reasons", {})
    return reasons.get(slice_) or reasons.get(metric) or NO_VALUE


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
