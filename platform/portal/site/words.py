"""The words of a family that pages print: titles and descriptions, in display order.

A version that holds published results only may belong to a family that is not
scored here; it then has none.
"""

from __future__ import annotations

from evaluator.families import FAMILIES
from evaluator.family import Facet, Metric


def primary_metric(family: str) -> str:
    """The metric that ranks; empty for a family that is not scored here."""
    known = FAMILIES.get(family)
    return known.primary_metric if known else ""


def metrics_of(family: str) -> tuple[Metric, ...]:
    known = FAMILIES.get(family)
    return known.metrics if known else ()


def facets_of(family: str) -> tuple[Facet, ...]:
    known = FAMILIES.get(family)
    return known.facets if known else ()


def track_description(family: str, track: str) -> str:
    """How a track asks, in a sentence."""
    known = FAMILIES.get(family)
    tracks = known.tracks if known else ()
    return next((entry.description for entry in tracks if entry.slug == track), "")


def slice_description(family: str, slice_: str) -> str:
    """Which answers count in a slice, in a sentence."""
    known = FAMILIES.get(family)
    slices = known.slices if known else ()
    return next((entry.description for entry in slices if entry.slug == slice_), "")
