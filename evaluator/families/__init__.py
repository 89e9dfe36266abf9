"""The list of families: one line each."""

from __future__ import annotations

from evaluator.families import hoi_choice
from evaluator.family import Family

FAMILIES: dict[str, Family] = {family.slug: family for family in (hoi_choice.FAMILY,)}
