"""From material and ranks to the JSON of a board, every number through `disclosure`.

Pure: what comes in decides what goes out. Knows no models and no HTTP.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from portal.leaderboard.disclosure import (
    Answers,
    Exposure,
    Number,
    Shown,
    disclose,
    round_to,
    withheld_slices,
)
from portal.leaderboard.material import (
    IntervalState,
    Material,
    MaterialRow,
    Place,
    Standing,
    Standings,
)
from portal.leaderboard.vocabulary import Address, MetricWords, Vocabulary, vocabulary_of

Json = dict[str, Any]  # JSON has no narrower type

FULL_SLICE = "all"
NO_STANDING = Standing(places={})


def words_of(material: Material) -> Vocabulary:
    """The words that the rows of a board need."""
    return vocabulary_of(
        material.benchmark.family,
        material.track,
        [address for row in material.rows for address in row.scores],
        [row.facets for row in material.rows],
    )


def exposures_of(
    answers: Answers, words: Vocabulary, rows: Sequence[Mapping[Address, Number]]
) -> dict[str, Exposure]:
    """How far each slice may be shown, by the sizes that measured rows state.

    Where rows disagree (a slice of the questions that a system got to), the
    least size counts.
    """
    sizes: dict[str, int] = {}
    for slice_ in words.slices:
        stated = [
            size for scores in rows if (size := _size(words, scores, slice_.slug)) is not None
        ]
        if stated:
            sizes[slice_.slug] = min(stated)
    withheld = withheld_slices(answers, sizes)
    return {
        slice_.slug: Exposure(
            answers,
            sizes.get(slice_.slug),
            withheld.get(slice_.slug),
            is_full=slice_.slug == FULL_SLICE,
        )
        for slice_ in words.slices
    }


def assemble_board(material: Material, standings: Standings) -> Json:
    """The board document; without standings, a board whose ranks are still to come."""
    words = words_of(material)
    exposures = board_exposures(material, words)
    present = {address for row in material.rows for address in row.scores}
    best = best_of(material, words)
    shown_slices = [
        s for s in words.slices if any((s.slug, m.slug) in present for m in words.metrics)
    ]
    shown_metrics = [
        m for m in words.metrics if any((s.slug, m.slug) in present for s in words.slices)
    ]
    plan = material.benchmark.bootstrap
    return {
        "benchmark": {
            "name": material.benchmark.name,
            "title": material.benchmark.title,
            "family": words.family,
            "family_title": words.family_title,
        },
        "version": material.benchmark.version,
        "state": material.state,
        "track": {
            "slug": material.track,
            "title": material.track_title,
            "answers": material.answers,
            "note": material.note,
            "description": words.track_description,
        },
        "tracks": [
            {"slug": line.slug, "title": line.title, "n_rows": line.n_rows}
            for line in material.tracks
        ],
        "slices": [
            {
                "slug": slice_.slug,
                "title": slice_.title,
                "description": slice_.description,
                "n": _common_size(material, words, exposures[slice_.slug], slice_.slug),
                "metrics": [m.slug for m in shown_metrics if (slice_.slug, m.slug) in present],
            }
            for slice_ in shown_slices
        ],
        "metrics": [_metric_json(metric) for metric in shown_metrics],
        "primary_metric": words.primary_metric,
        "facets": [
            {
                "slug": facet.slug,
                "title": facet.title,
                "values": [{"slug": slug, "title": title} for slug, title in facet.values],
            }
            for facet in words.facets
        ],
        "rows": [
            row_json(row, words, exposures, standings, best)
            for row in in_order(material.rows, words)
        ],
        "summary": {
            "n_rows": len(material.rows),
            "minimum_detectable": {
                metric: round_to(standing.minimum_detectable, 1e-4)
                for (slice_, metric), standing in standings.items()
                if slice_ == FULL_SLICE and standing.minimum_detectable is not None
            },
            "draws": plan.draws,
            "level": plan.level,
            "seed": plan.seed,
        },
        "reported_differences": [
            dict(difference)
            for difference in material.reported_differences
            if difference.get("track") == material.track
        ],
        "notes": list(material.benchmark.notes),
        "generated_at": material.generated_at.isoformat(),
        "last_scored_at": material.last_scored_at and material.last_scored_at.isoformat(),
    }


def board_exposures(material: Material, words: Vocabulary) -> dict[str, Exposure]:
    """How far each slice of this board may be shown."""
    computed = [row.scores for row in material.rows if row.provenance != "reported"]
    return exposures_of(material.answers, words, computed)


def in_order(rows: Sequence[MaterialRow], words: Vocabulary) -> list[MaterialRow]:
    """Rows by the primary metric of the full slice, best first; without a value last."""
    address = (FULL_SLICE, words.primary_metric)
    sign = -1.0 if not words.metrics or words.metric(words.primary_metric).higher_is_better else 1.0

    def key(row: MaterialRow) -> tuple[bool, float, str]:
        number = row.scores.get(address)
        value = number.value if number else None
        return (value is None, sign * (value or 0.0), row.name.casefold())

    return sorted(rows, key=key)


def row_json(
    row: MaterialRow,
    words: Vocabulary,
    exposures: Mapping[str, Exposure],
    standings: Standings,
    best: Mapping[Address, Mapping[str, frozenset[str]]],
) -> Json:
    """One row of the board."""
    scores: dict[str, Json] = {}
    for (slice_, metric), number in row.scores.items():
        address = (slice_, metric)
        shown = disclose(
            number,
            exposures[slice_],
            averages_classes=words.metric(metric).averages_classes,
        )
        marks = best.get(address, {}) if shown.value is not None else {}
        place = standings.get(address, NO_STANDING).places.get(row.system)
        scores.setdefault(slice_, {})[metric] = {
            **shown_json(shown, row.intervals),
            **_place_json(place if shown.value is not None else None, standings.get(address)),
            "best": row.system in marks.get("", frozenset()),
            "best_in_group": sorted(g for g, who in marks.items() if g and row.system in who),
        }
    return {
        "system": row.system,
        "name": row.name,
        "kind": row.kind,
        "provenance": row.provenance,
        "provenance_text": row.provenance_text,
        "team": row.team,
        "facets": dict(row.facets),
        "url": row.url,
        "submitted_at": row.submitted_at and row.submitted_at.isoformat(),
        "submission": str(row.submission) if row.submission else None,
        "scores": scores,
    }


def shown_json(shown: Shown, intervals: IntervalState) -> Json:
    """A disclosed number; its interval is ready, still to come, or will not be."""
    state = "ready" if shown.low is not None else "none"
    if shown.value is not None and state == "none" and intervals == "pending":
        state = "pending"
    return {
        "value": shown.value,
        "low": shown.low,
        "high": shown.high,
        "text": shown.text,
        "interval_text": shown.interval_text,
        "n": shown.n,
        "reason": shown.reason,
        "interval_reason": shown.interval_reason if state == "none" else None,
        "interval": state,
    }


def best_of(material: Material, words: Vocabulary) -> dict[Address, dict[str, frozenset[str]]]:
    """Who is best at each address: under "" of all, under `facet:value` of its group.

    Among measured rows; where a board has none, among the published ones. A
    group of one has no best.
    """
    rows = [row for row in material.rows if row.is_measured] or [
        row for row in material.rows if row.kind == "reported"
    ]
    best: dict[Address, dict[str, frozenset[str]]] = {}
    for address in {address for row in rows for address in row.scores}:
        sign = 1.0 if words.metric(address[1]).higher_is_better else -1.0
        values = {
            row.system: (sign * number.value, row.facets)
            for row in rows
            if (number := row.scores.get(address)) is not None and number.value is not None
        }
        if not values:
            continue
        groups = {"": set(values)}
        for system, (_, facets) in values.items():
            for facet, value in facets.items():
                groups.setdefault(f"{facet}:{value}", set()).add(system)
        best[address] = {}
        for group, systems in groups.items():
            if len(systems) > 1 or not group:
                top = max(values[system][0] for system in systems)
                best[address][group] = frozenset(s for s in systems if values[s][0] == top)
    return best


def _metric_json(metric: MetricWords) -> Json:
    return {
        "slug": metric.slug,
        "title": metric.title,
        "short": metric.short,
        "description": metric.description,
        "higher_is_better": metric.higher_is_better,
        "headline": metric.headline,
    }


def _place_json(place: Place | None, standing: Standing | None) -> Json:
    if place is None or standing is None:
        return {
            "rank": None,
            "rank_low": None,
            "rank_high": None,
            "rank_text": "",
            "rank_interval_text": "",
            "unresolved_from_next": False,
        }
    shared = sum(other.rank == place.rank for other in standing.places.values()) > 1
    interval = ""
    if place.low is not None and place.high is not None:
        interval = f"{place.low}–{place.high}" if place.low != place.high else f"{place.low}"
    return {
        "rank": place.rank,
        "rank_low": place.low,
        "rank_high": place.high,
        "rank_text": f"{place.rank}=" if shared else f"{place.rank}",
        "rank_interval_text": interval,
        "unresolved_from_next": place.unresolved_from_next,
    }


def _size(words: Vocabulary, scores: Mapping[Address, Number], slice_: str) -> int | None:
    """Questions of a slice: what its first mean or ratio counts, headline metrics first."""
    for metric in sorted(words.metrics, key=lambda m: not m.headline):
        number = scores.get((slice_, metric.slug))
        if number is not None and number.n is not None and not metric.averages_classes:
            return number.n
    return None


def _common_size(
    material: Material, words: Vocabulary, exposure: Exposure, slice_: str
) -> int | None:
    """The size of a slice, None where it may not be told or differs between systems."""
    if not exposure.shows_size:
        return None
    stated = {
        size for row in material.rows if (size := _size(words, row.scores, slice_)) is not None
    }
    return stated.pop() if len(stated) == 1 else None
