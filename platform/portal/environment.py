"""The environment, read with care: a missing or malformed variable stops the start, by name.

Used by `portal.settings`, the top of `portal.exchange` and a command that is handed a secret,
and by nobody else.
"""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


class EnvironmentIncomplete(SystemExit):
    """The process cannot start; the message names the variable and says what it wants."""


def text(name: str, default: str | None = None) -> str:
    """The value of a variable; without default it must be set and not empty."""
    value = os.environ.get(name, "")
    if value:
        return value
    if default is None:
        raise EnvironmentIncomplete(f"{name} is not set: the portal cannot start without it")
    return default


def number(name: str, default: int, *, least: int = 0) -> int:
    value = os.environ.get(name, "")
    if not value:
        return default
    if not value.isdecimal() or int(value) < least:
        wanted = f"a whole number of at least {least}" if least else "a whole number"
        raise EnvironmentIncomplete(f"{name} is {value!r}: it wants {wanted}")
    return int(value)


def flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, "")
    if not value:
        return default
    if value.lower() not in {"0", "1", "true", "false", "yes", "no"}:
        raise EnvironmentIncomplete(f"{name} is {value!r}: it wants 1 or 0")
    return value.lower() in {"1", "true", "yes"}


def words(name: str, default: str = "") -> list[str]:
    """A list separated by commas."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def postgresql(url: str, *, session_options: str = "") -> dict[str, Any]:
    """Django's form of a `postgresql://user:password@host:port/name?host=/socket` URL.

    Args:
        session_options: `-c name=value …`, set on every connection.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"}:
        raise EnvironmentIncomplete(
            f"DATABASE_URL begins with {parts.scheme!r}: it wants postgresql://"
        )
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    host = options.pop("host", None) or unquote(parts.hostname or "")
    options.setdefault("connect_timeout", "3")
    options["options"] = f"{options.get('options', '')} {session_options}".strip()
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.removeprefix("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or options.pop("port", "")),
        "OPTIONS": options,
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }
