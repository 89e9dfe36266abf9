"""How the pages show the sentences of the list of codes."""

from __future__ import annotations

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

QUOTED = re.compile(r"`([^`]+)`")


@register.filter
def code_text(text: str) -> SafeString:
    """A sentence of ours, whose `words in backquotes` are code."""
    return mark_safe(QUOTED.sub(r"<code>\1</code>", escape(text)))
