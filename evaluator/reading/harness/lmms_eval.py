"""lmms-eval's `samples_*.jsonl`, of 2025 and 0.7, and lm-evaluation-harness's kin.

`resps` is left out where it equals `filtered_resps`; both may be strings or
lists. `doc_hash` is the same constant in every row and is never looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.reading.harness.rows import Log, Record, Row, name_of, reply_in, text_in
from evaluator.reading.strict import Parsed

REPLIES = ("resps", "filtered_resps")  # what was said first, what a filter left of it second


def is_sample(item: object) -> bool:
    """Whether a value is a row of a samples file."""
    return isinstance(item, dict) and "doc_id" in item and any(key in item for key in REPLIES)


def samples_log(parsed: Parsed, items: list[object]) -> Log:
    """The rows of a samples file."""
    rows, metrics = [], dict[str, None]()
    for number, item in enumerate(items):
        record = item if isinstance(item, dict) else {}
        metrics |= dict.fromkeys(_metrics(record))
        reply, n_replies = reply_in(next((record[k] for k in REPLIES if k in record), None))
        where = parsed.where(f"/{number}") if len(items) > 1 else "line 1"
        rows.append(Row(where, tuple(_ids(record)), _prompt(record), "", {}, reply, n_replies))
    named = f" ({', '.join(list(metrics)[:3])})" if metrics else ""
    return Log(f"lmms-eval samples{named}", tuple(rows))


def _metrics(record: Record) -> Iterator[str]:
    for key, value in record.items():
        if isinstance(value, dict) and "question_id" in value:
            yield key


def _ids(record: Record) -> Iterator[str]:
    """Question ids: of the metrics' dicts, of the row itself, of the document."""
    for key in _metrics(record):
        if key != "doc":
            yield from name_of(record[key]["question_id"])
    yield from name_of(record.get("question_id"))
    document = record.get("doc")
    if isinstance(document, dict):
        for key in ("question_id", "id"):
            yield from name_of(document.get(key))


def _prompt(record: Record) -> str:
    """`input`, or the first text among the arguments of older versions."""
    if "input" in record:
        return text_in(record["input"])
    arguments = record.get("arguments")
    while isinstance(arguments, list) and arguments:
        arguments = arguments[0]
    return text_in(arguments)
