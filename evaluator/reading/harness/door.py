"""The one door for predictions of the choice families: ours, or a harness's log."""

from __future__ import annotations

from evaluator.reading.container import start_of_text
from evaluator.reading.harness.derived import refuse_derived, refuse_scores, refuse_table
from evaluator.reading.harness.lmms_eval import is_sample, samples_log
from evaluator.reading.harness.nested import is_nested, nested_log
from evaluator.reading.harness.rows import Log
from evaluator.reading.harness.tables import (
    is_record,
    is_tab_separated,
    read_tab_separated,
    table_log,
)
from evaluator.reading.strict import Parsed, parse


def open_predictions(data: bytes) -> Parsed | Log:
    """A harness's log where the content is one, else the parsed value.

    Raises:
        PredictionsInvalid: the file cannot be read, or is made from predictions:
            DERIVED, with its name and what to send instead.
    """
    start = start_of_text(data)
    refuse_scores(data, start)
    if is_tab_separated(data, start):
        records, places = read_tab_separated(data, start)
        refuse_table(records[0])
        return table_log(list(records), places)
    parsed = parse(data)
    value = parsed.value
    items = value if isinstance(value, list) else [value]
    if items and is_sample(items[0]):
        return samples_log(parsed, items)
    refuse_derived(value)
    if isinstance(value, list) and items and is_record(items[0]):
        refuse_table(items[0])
        return table_log(items, [parsed.where(f"/{number}") for number in range(len(items))])
    if is_nested(value):
        return nested_log(value)
    return parsed
