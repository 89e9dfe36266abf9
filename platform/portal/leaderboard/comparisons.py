"""From paired differences to the documents that are served, every number through `disclosure`.

Pure. A document holds the differences of one system to all others, so that a
row's page and a comparison each read one document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluator.scorecard import Difference
from portal.leaderboard.assembly import Json, board_exposures, words_of
from portal.leaderboard.disclosure import (
    MINUS,
    Exposure,
    Number,
    disclose,
    disclose_difference,
    nothing,
)
from portal.leaderboard.material import Material, MaterialRow
from portal.leaderboard.vocabulary import Vocabulary

Pair = tuple[str, str]  # slugs, first minus second

NO_OUTCOME = "published numbers cannot be compared: their answers are not here"
NOT_YET = "not computed yet"
NO_DRAWS = "a row without intervals has no paired difference"
NOT_KEPT = "on a board of this size differences are kept for neighbours"


def disclosed_differences(
    material: Material, differences: Mapping[Pair, Sequence[Difference]]
) -> dict[Pair, list[Json]]:
    """What may be shown of the differences between systems of a board."""
    words = words_of(material)
    exposures = board_exposures(material, words)
    rows = {row.system: row for row in material.rows}
    return {
        (first, second): [
            _difference_json(difference, (rows[first], rows[second]), words, exposures)
            for difference in between
        ]
        for (first, second), between in differences.items()
    }


def comparison_documents(
    material: Material, pairs: Mapping[Pair, Sequence[Json]]
) -> dict[str, Json]:
    """A document by system slug, from pairs that each stand once."""
    evaluations = {row.system: str(row.evaluation) for row in material.rows}
    documents: dict[str, Json] = {}
    for (first, second), forth in pairs.items():
        back = [reversed_difference(difference) for difference in forth]
        for system, other, between in ((first, second, forth), (second, first, back)):
            document = documents.setdefault(
                system, {"system": system, "evaluation": evaluations[system], "others": {}}
            )
            document["others"][other] = {
                "evaluation": evaluations[other],
                "differences": list(between),
            }
    return documents


def lasting_pairs(material: Material, documents: Iterable[Json]) -> dict[Pair, list[Json]]:
    """Pairs of stored documents whose evaluations both still stand: nothing of them changes."""
    current = {row.system: str(row.evaluation) for row in material.rows}
    return {
        (document["system"], other): entry["differences"]
        for document in documents
        if current.get(document["system"]) == document["evaluation"]
        for other, entry in document["others"].items()
        if document["system"] < other and current.get(other) == entry["evaluation"]
    }


def reversed_difference(difference: Json) -> Json:
    """The same difference seen from the other system."""
    value, low, high = difference["value"], difference["low"], difference["high"]
    better = difference["probability_better"]
    return {
        **difference,
        "value": _negative(value),
        "low": _negative(high),
        "high": _negative(low),
        "text": _opposite(difference["text"]),
        "interval_text": " – ".join(
            _opposite(bound) for bound in reversed(difference["interval_text"].split(" – "))
        ),
        "probability_better": None if better is None else round(1.0 - better, 4),
    }


def missing_differences(board: Json, rows: tuple[Json, Json]) -> list[Json]:
    """Why two rows of a board have no stored differences, said at each address they share."""
    if any(row["kind"] in ("reported", "human") for row in rows):
        reason = NO_OUTCOME
    else:
        states = {
            score["interval"] for row in rows for score in row["scores"].get("all", {}).values()
        }
        reason = NOT_YET if "pending" in states else NOT_KEPT if "ready" in states else NO_DRAWS
    shared = set(rows[0]["scores"].get("all", {})) & set(rows[1]["scores"].get("all", {}))
    shown = nothing(reason)
    return [
        {
            "slice": "all",
            "metric": metric["slug"],
            "value": None,
            "low": None,
            "high": None,
            "level": None,
            "text": shown.text,
            "interval_text": "",
            "probability_better": None,
            "unresolved": None,
            "reason": reason,
            "interval_reason": reason,
        }
        for metric in board["metrics"]
        if metric["slug"] in shared
    ]


def _difference_json(
    difference: Difference,
    rows: tuple[MaterialRow, MaterialRow],
    words: Vocabulary,
    exposures: Mapping[str, Exposure],
) -> Json:
    metric = words.metric(difference.metric)
    exposure = exposures[difference.slice]
    interval = difference.interval
    shown = disclose_difference(
        Number(
            value=difference.value,
            reason=difference.reason,
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            interval_reason=difference.interval_reason,
        ),
        exposure,
    )
    for row in rows:
        score = disclose(
            row.scores[difference.slice, difference.metric],
            exposure,
            averages_classes=metric.averages_classes,
        )
        if score.value is None:  # what is not shown of one is not told by a difference
            shown = nothing(score.reason or "no value")
    greater = difference.probability_better
    better = greater if metric.higher_is_better or greater is None else 1.0 - greater
    is_shown = shown.value is not None
    places = 2 if exposure.answers == "hidden" else 4
    return {
        "slice": difference.slice,
        "metric": difference.metric,
        "value": shown.value,
        "low": shown.low,
        "high": shown.high,
        "level": interval.level if interval and shown.low is not None else None,
        "text": shown.text,
        "interval_text": shown.interval_text,
        "probability_better": round(better, places) if is_shown and better is not None else None,
        "unresolved": difference.unresolved if is_shown else None,
        "reason": shown.reason,
        "interval_reason": shown.interval_reason,
    }


def _negative(value: float | None) -> float | None:
    return None if value is None else 0.0 - value


def _opposite(text: str) -> str:
    """The signed text of the negative of a number."""
    if text.startswith(MINUS):
        return "+" + text[1:]
    return MINUS + text[1:] if text.startswith("+") else text
