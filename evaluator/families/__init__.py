"""The list of families: one line each."""

from __future__ import annotations

from evaluator.families import actionlens, hoi_choice, hoi_detection
from evaluator.family import Family

FAMILIES: dict[str, Family] = {
    family.slug: family for family in (hoi_choice.FAMILY, hoi_detection.FAMILY, actionlens.FAMILY)
}
