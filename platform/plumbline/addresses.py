"""Addresses of sites and of what they offer."""

from __future__ import annotations

import ipaddress
from urllib.parse import quote, urlsplit

from plumbline.errors import AddressInvalid


def site_address(address: str) -> str:
    """The address of a site in its one form: no query, no closing slash.

    Raises:
        AddressInvalid: not http or https, or no host.
    """
    try:
        parts = urlsplit(address.strip())
        named = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        named = named and "@" not in parts.netloc  # a password has no place in an address
    except ValueError:
        named = False
    if not named:
        raise AddressInvalid(
            f"{address!r} is not the address of a site, such as https://host:8000."
        )
    return parts._replace(query="", fragment="", path=parts.path.rstrip("/")).geturl()


def is_loopback(address: str) -> bool:
    """Whether the site runs on this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def path_of(*parts: str) -> str:
    """A path below the API, each part quoted."""
    return "".join(f"/{quote(part, safe='')}" for part in parts)
