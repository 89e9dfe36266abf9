"""Files made from predictions: scores, ratings, results. They are named, and refused."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evaluator.errors import PredictionsInvalid, Problem

WANTED = "a predictions file, or a harness's log of replies"
SEND_SAMPLES = (
    "Send the samples_*.jsonl that lmms-eval writes beside it with --log_samples"
    " (of several tasks: joined end to end)."
)
SEND_TABLE = "Send the table with the column prediction that the run wrote before it was judged."
SEND_PREDICTIONS = "Send the predictions that were judged."

# Columns and keys that only a judge writes.
JUDGED = ("hit", "log", "score", "rating", "match_success", "extracted", "extracted_answer")
_SCORE_TABLE = re.compile(
    rb"""["']?(?:split|model|dataset|index|category)?["']?,["']?(?:overall|acc)""", re.I
)
_ASPECTS = ("overall", "short", "medium", "long", "coarse", "fine")


def refuse_table(columns: Iterable[str]) -> None:
    """Refuse a table that a judge has been over, or that holds no replies.

    Raises:
        PredictionsInvalid: it is one.
    """
    named = [name for name in columns if name.casefold() in JUDGED]
    if named:
        _refuse(
            f"a VLMEvalKit result file: columns {', '.join(named)} hold a judge's verdicts",
            SEND_TABLE,
        )
    if "prediction" not in columns:
        shown = ", ".join(list(columns)[:8])
        _refuse(f"a table without the column prediction: it has {shown}", SEND_TABLE)


def refuse_scores(data: bytes, start: int) -> None:
    """Refuse a comma-separated table of scores, before anybody takes it for broken JSON."""
    if _SCORE_TABLE.match(data, start):
        _refuse("a table of scores between commas, as VLMEvalKit's *_acc.csv", SEND_TABLE)


def refuse_derived(value: object) -> None:
    """Refuse JSON that reports on predictions rather than holding them.

    Raises:
        PredictionsInvalid: it is such a file; the message says which.
    """
    if isinstance(value, list):
        first = value[0] if value else None
        if (
            isinstance(first, dict)
            and {"index", "question", "prediction"} & first.keys()
            and any(key.casefold() in JUDGED for key in first)
        ):
            refuse_table(first)
        return
    if not isinstance(value, dict) or "predictions" in value:
        return
    if "results" in value and {"configs", "config", "n-samples", "versions"} & value.keys():
        _refuse(f"an lmms-eval results file: scores, no replies{_run(value)}", SEND_SAMPLES)
    if value and all(key.casefold() in _ASPECTS for key in value):
        _refuse("a VLMEvalKit rating file: scores by group, no replies", SEND_TABLE)
    entry = _first_entry(value)
    if entry is None or "question" not in entry or "prediction" in entry:
        return
    judged = [key for key in entry if key in JUDGED or key.endswith("-prediction")]
    if judged:
        _refuse(f"a judged file: {', '.join(judged)} beside each question", SEND_PREDICTIONS)
    _refuse("questions and their answers without predictions", SEND_PREDICTIONS)


def _run(value: dict[str, object]) -> str:
    """What a results file says of how far the run went."""
    samples = value.get("n-samples")
    counts = [
        (task, n["effective"], n["original"])
        for task, n in (samples.items() if isinstance(samples, dict) else ())
        if isinstance(n, dict) and {"effective", "original"} <= n.keys()
    ]
    short = [f"{task} {done} of {total}" for task, done, total in counts if done != total]
    return f"; the run was partial ({', '.join(short[:3])})" if short else ""


def _first_entry(value: dict[str, object]) -> dict[str, object] | None:
    """The first question of a file by video and dimension; None if it is no such file."""
    for dimensions in value.values():
        for entries in dimensions.values() if isinstance(dimensions, dict) else ():
            if isinstance(entries, list) and entries and isinstance(entries[0], dict):
                return dict(entries[0])
    return None


def _refuse(found: str, hint: str) -> None:
    raise PredictionsInvalid([Problem("DERIVED", "file", found, WANTED, hint)])
