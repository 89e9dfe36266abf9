"""How the pages say quantities and strangers' names in words."""

from __future__ import annotations

import unicodedata
from collections.abc import Sized

from django import template

register = template.Library()

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
DASH = "–"


@register.filter
def plain(text: object) -> str:
    """Text by strangers without characters that reorder or hide what stands beside it.

    Control, bidi and other invisible format characters become U+FFFD; markup is
    the template engine's business, which escapes it.
    """
    return "".join(REPLACEMENT if _is_unseen(c) else c for c in str(text or ""))


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


@register.filter
def size(n_bytes: int) -> str:
    """Bytes as `512 bytes`, `3.4 MiB`, `256 MiB`."""
    if n_bytes < 1024:
        return f"{n_bytes} bytes"
    amount = float(n_bytes)
    for unit in ("KiB", "MiB", "GiB"):
        amount /= 1024
        if amount < 1024 or unit == "GiB":
            break
    return f"{amount:.1f}".removesuffix(".0") + f" {unit}"


@register.filter
def thousands(number: int | None) -> str:
    """A count with thin groups: `1,274`; a dash where there is none."""
    return DASH if number is None else f"{number:,}"


@register.filter
def wait(seconds: float | None) -> str:
    """A stretch of time as people say it: `under 1 s`, `12 s`, `3 min`, `2 h 5 min`."""
    if seconds is None:
        return "an unknown time"
    if seconds < 1:
        return "under 1 s"
    if seconds < 10 and seconds != int(seconds):
        return f"{seconds:.1f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


@register.filter
def percent(fraction: float) -> str:
    """A level such as 0.95 as `95 %`."""
    return f"{fraction * 100:g}\N{NO-BREAK SPACE}%"


@register.simple_tag
def problems_caption(n_problems: int, shown: Sized) -> str:
    """`3 problems` or `1,204 problems; the first 20 are shown`."""
    total = n_problems or len(shown)
    text = "1 problem" if total == 1 else f"{total:,} problems"
    return f"{text}; the first {len(shown)} are shown" if total > len(shown) else text
