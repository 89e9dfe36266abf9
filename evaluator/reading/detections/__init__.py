"""Detections files: from bytes to columns, without a million Python objects at once.

The file is cut into pieces of whole items. Each is read fast, and again
exactly where the fast way has a doubt. Knows public facts only: images and classes.
"""

from evaluator.reading.detections.forms import ClassIds, Columns, Vocabulary
from evaluator.reading.detections.reader import Detections, read_detections

__all__ = ["ClassIds", "Columns", "Detections", "Vocabulary", "read_detections"]
