"""Logs of evaluation harnesses: rows of replies, recognised by content and joined to questions.

A log is never trusted beyond its replies: what a harness extracted or scored is not read.
"""

from evaluator.reading.harness.door import open_predictions
from evaluator.reading.harness.join import join, notes_on, why_incomplete
from evaluator.reading.harness.rows import Log, Row

__all__ = ["Log", "Row", "join", "notes_on", "open_predictions", "why_incomplete"]
