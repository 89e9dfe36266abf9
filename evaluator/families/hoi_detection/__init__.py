"""HOI detection: triplets of human, verb and object with boxes."""

from evaluator.families.hoi_detection.definition import FAMILY

__all__ = ["FAMILY"]
