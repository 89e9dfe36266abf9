"""How mail leaves the house: one address in the environment, taken apart for Django."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import getaddresses
from urllib.parse import unquote, urlsplit

from portal.environment import EnvironmentIncomplete

WANTED = (
    "smtp://host:25, smtp+starttls://user:password@host:587, smtps://user:password@host:465, "
    "console: or none:"
)
_BACKENDS = "django.core.mail.backends"
_PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}


@dataclass(frozen=True, slots=True)
class Mail:
    """What Django wants to know; `backend` alone where mail goes nowhere or to the terminal."""

    backend: str
    host: str = ""
    port: int = 0
    user: str = ""
    password: str = ""
    has_starttls: bool = False
    has_tls: bool = False


def mail_at(url: str) -> Mail:
    """The way that PLUMBLINE_EMAIL_URL names; another form stops the start."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        raise EnvironmentIncomplete(f"PLUMBLINE_EMAIL_URL cannot be read: {WANTED}") from None
    if parts.scheme in ("console", "none"):
        kind = "console" if parts.scheme == "console" else "dummy"
        return Mail(f"{_BACKENDS}.{kind}.EmailBackend")
    if parts.scheme not in _PORTS or not host:
        # Not the value: it may hold a password.
        raise EnvironmentIncomplete(f"PLUMBLINE_EMAIL_URL wants {WANTED}")
    return Mail(
        f"{_BACKENDS}.smtp.EmailBackend",
        host=host,
        port=port or _PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        has_starttls=parts.scheme == "smtp+starttls",
        has_tls=parts.scheme == "smtps",
    )


def people(text: str) -> list[tuple[str, str]]:
    """Names and addresses of `Ada <ada@example.org>, grace@example.org`; others stop the start."""
    found = getaddresses([text]) if text else []
    for _, address in found:
        if address.count("@") != 1 or address.startswith("@") or address.endswith("@"):
            raise EnvironmentIncomplete(
                f"PLUMBLINE_ADMINS holds {address!r}: it wants addresses, separated by commas"
            )
    return found
