"""Five diagnostics of who does what in video, single-answer multiple choice."""

from evaluator.families.actionlens.definition import FAMILY

__all__ = ["FAMILY"]
