"""Predictions by video and dimension, as TempCompass publishes them."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.reading.harness.rows import Log, Row, reply_in, text_in
from evaluator.reading.places import token


def is_nested(value: object) -> bool:
    """Whether a value holds lists of questions with predictions under names of videos."""
    if not isinstance(value, dict) or "predictions" in value:
        return False
    first = next(_entries(value), None)
    return first is not None and {"question", "prediction"} <= first[3].keys()


def nested_log(value: dict[str, object]) -> Log:
    """The rows; a question is known as `<video>-<dimension>-<number>`, or by its prompt."""
    rows = []
    for place, id_, media, entry in _entries(value):
        reply, n_replies = reply_in(entry.get("prediction"))
        prompt = text_in(entry.get("question"))
        rows.append(Row(place, (id_,), prompt, media, {}, reply, n_replies))
    return Log("predictions by video and dimension", tuple(rows))


def _entries(value: dict[str, object]) -> Iterator[tuple[str, str, str, dict[str, object]]]:
    for media, dimensions in value.items():
        for dimension, entries in dimensions.items() if isinstance(dimensions, dict) else ():
            for number, entry in enumerate(entries if isinstance(entries, list) else ()):
                if isinstance(entry, dict):
                    place = f"/{token(media)}/{token(dimension)}/{number}"
                    yield place, f"{media}-{dimension}-{number}", media, entry
