"""Which site, and who is asking: options, environment, and the file of tokens.

The file holds one token per site and is readable by its owner alone.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from plumbline.faults import Fault

SERVER_VARIABLE = "PLUMBLINE_SERVER"
TOKEN_VARIABLE = "PLUMBLINE_TOKEN"


@dataclass(slots=True)
class Credentials:
    """The file's content: tokens by site, and the site of the latest sign-in."""

    tokens: dict[str, str] = field(default_factory=dict)
    latest: str = ""


def path() -> Path:
    """Where tokens are kept, by the XDG base directory rules."""
    home = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    if not home.is_absolute():
        home = Path.home() / ".config"
    return home / "plumbline" / "credentials.json"


def read() -> Credentials:
    """What is kept; empty where nothing is.

    Raises:
        Fault: the file is not ours, with what to do.
    """
    file = path()
    try:
        kept = json.loads(file.read_bytes())
        tokens = {str(site): str(token) for site, token in kept["tokens"].items()}
        return Credentials(tokens, str(kept["latest"]))
    except FileNotFoundError:
        return Credentials()
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Fault(
            f"{file} is not a file of tokens; delete it and log in again.", code="credentials"
        ) from None


def write(credentials: Credentials) -> None:
    """Keep them, in a file that only its owner can read, at once or not at all."""
    file = path()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.{os.getpid()}")
    content = {"tokens": credentials.tokens, "latest": credentials.latest}
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            json.dump(content, stream, indent=1)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def server(option: str | None) -> str:
    """The site to ask: the option, else PLUMBLINE_SERVER, else the latest sign-in.

    Raises:
        Fault: none of them names one.
    """
    address = option or os.environ.get(SERVER_VARIABLE) or read().latest
    if not address:
        raise Fault(
            f"No site is named. Give --server URL, set {SERVER_VARIABLE}, "
            "or log in once with `plumbline login --server URL`."
        )
    return address


def token(site: str) -> str | None:
    """The token for a site: PLUMBLINE_TOKEN, else the one kept at sign-in.

    Raises:
        Fault: PLUMBLINE_TOKEN holds what no token holds.
    """
    given = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not (given.isascii() and given.isprintable()):
        raise Fault(f"{TOKEN_VARIABLE} is no token: copy it whole, it begins with plb_.")
    return given or read().tokens.get(site)
