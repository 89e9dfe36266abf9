"""Slugs of systems: lower case, hyphens, unique within a benchmark."""

from __future__ import annotations

import re
import unicodedata

from portal.benchmarks.models import Benchmark
from portal.submissions.models import System

MAX_SLUG = 90  # leaves room for a number


def slug_of(name: str) -> str:
    """`Qwen2.5-VL (7B)` gives `qwen2-5-vl-7b`; a name without Latin letters gives `system`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_SLUG].strip("-") or "system"


def free_slug(benchmark: Benchmark, name: str) -> str:
    """The slug of the name, with a number where another system has it already."""
    wanted = slug_of(name)
    taken = set(
        System.objects.filter(benchmark=benchmark, slug__startswith=wanted).values_list(
            "slug", flat=True
        )
    )
    slug, number = wanted, 2
    while slug in taken:
        slug, number = f"{wanted}-{number}", number + 1
    return slug
