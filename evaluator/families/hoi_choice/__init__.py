"""Multi-answer multiple choice for human-object interaction."""

from evaluator.families.hoi_choice.definition import FAMILY

__all__ = ["FAMILY"]
