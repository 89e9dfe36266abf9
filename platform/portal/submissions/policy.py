"""Who may submit what, and how large: every rule that refuses before anything is stored.

Window, track, size, kind of file, and the words around it. Quotas belong here too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from typing import BinaryIO
from urllib.parse import urlsplit

from django.db.models import F, Q

from evaluator.errors import quote
from evaluator.families import FAMILIES
from portal.benchmarks.models import BenchmarkVersion, Track
from portal.errors import BenchmarkNotFound, ContainerRefused, PolicyRefused

MAX_NAME = 100
MAX_URL = 200
MAX_COMBINING = 3  # marks on one letter; real scripts stay below
KEY = re.compile(r"[\x21-\x7e]{1,200}\Z")
HOST = re.compile(r"(?=.{1,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}\Z")

# First bytes of what people upload by mistake, and what to do instead.
_FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"PK", "a zip archive or a spreadsheet", "`plumbline convert` turns xlsx into JSON"),
    (b"\x1f\x8b", "a gzip file", "Unpack it first"),
    (b"BZh", "a bzip2 file", "Unpack it first"),
    (b"\xfd7zXZ", "an xz file", "Unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstandard file", "Unpack it first"),
    (b"7z\xbc\xaf", "a 7-zip archive", "Unpack it first"),
    (b"\x80\x02", "a pickle", "Pickles are never read; write JSON"),
    (b"\x80\x03", "a pickle", "Pickles are never read; write JSON"),
    (b"\x80\x04", "a pickle", "Pickles are never read; write JSON"),
    (b"\x80\x05", "a pickle", "Pickles are never read; write JSON"),
    (b"\x93NUMPY", "a numpy array", "Write JSON"),
    (b"%PDF", "a PDF", "Write JSON"),
    (b"\x89PNG", "a picture", "Write JSON"),
    (b"\x89HDF", "an HDF5 file", "Write JSON"),
)


def open_track(benchmark: str, track: str) -> Track:
    """The track that `name` or `name@version` and a slug stand for, if it takes submissions.

    Raises:
        BenchmarkNotFound: no such benchmark, or not public.
        PolicyRefused: closed, not open yet, references only, or no such track.
    """
    # A definition is large, and no matter of policy.
    rows = Track.objects.select_related("version__benchmark").defer("version__definition")
    with suppress(Track.DoesNotExist):
        found = rows.get(_named(benchmark, "version__"), slug=track)
        if found.version.accepts_submissions:
            return found
    version = find_version(benchmark)
    if version.is_reference_only:
        raise PolicyRefused(
            f"{version.address} holds published results only; nothing can be scored on it.",
            code="policy.reference_only",
        )
    if not version.accepts_submissions:
        raise PolicyRefused(
            f"{version.address} is {version.get_state_display()}; "
            "submit to an open version (see the benchmark's page).",
            code="policy.closed",
        )
    known = ", ".join(candidate.slug for candidate in version.tracks.all())
    raise PolicyRefused(
        f"{version.address} has no track {quote(track)}; it has {known}.", code="policy.track"
    )


def find_version(benchmark: str) -> BenchmarkVersion:
    """The public version that `name@version` names, or the promoted one of `name`.

    Raises:
        BenchmarkNotFound: no such benchmark or version, or not public yet.
    """
    rows = BenchmarkVersion.objects.select_related("benchmark").defer("definition")
    found = rows.filter(_named(benchmark)).first()
    if found is None:
        raise BenchmarkNotFound(
            f"There is no benchmark {quote(benchmark)} here; the list of benchmarks names them all."
        )
    return found


def _named(benchmark: str, prefix: str = "") -> Q:
    """What is true of the public version that `name@version` or `name` stands for.

    Args:
        prefix: the way to it from the rows that are asked for.
    """
    name, _, version = benchmark.partition("@")
    public = (BenchmarkVersion.State.OPEN, BenchmarkVersion.State.CLOSED)
    of_name = {f"{prefix}benchmark__name": name, f"{prefix}state__in": public}
    if version:
        return Q(**of_name, **{f"{prefix}version": version})
    return Q(**of_name, **{f"{prefix}benchmark__promoted": F(f"{prefix}pk")})


def check_container(file: BinaryIO) -> None:
    """Refuse what is no text at all, by its first bytes; leaves the file at its start.

    Raises:
        ContainerRefused: nothing, an archive, a pickle, a picture.
    """
    head = file.read(8)
    file.seek(0)
    if not head:
        raise ContainerRefused("The file is empty.", code="input.EMPTY")
    for magic, what, remedy in _FOREIGN:
        if head.startswith(magic):
            raise ContainerRefused(
                f"The file is {what}; a predictions file is JSON or JSON Lines. {remedy}."
            )


def system_name(name: str) -> str:
    """The name as it will be shown.

    Raises:
        PolicyRefused: empty, too long, or with characters that hide or reorder others.
    """
    return _shown_text(name, "The system's name", MAX_NAME, "policy.system_name")


def facets(family: str, given: Mapping[str, str]) -> dict[str, str]:
    """The facets, each one that the family knows with a value that it knows.

    Raises:
        PolicyRefused: unknown facet or value.
    """
    known = {facet.slug: facet for facet in FAMILIES[family].facets}
    checked: dict[str, str] = {}
    for slug, value in given.items():
        if slug not in known:
            raise PolicyRefused(
                f"There is no facet {quote(slug)}; there are {', '.join(known)}.",
                code="policy.facets",
            )
        values = [allowed for allowed, _ in known[slug].values]
        if values and value not in values:
            raise PolicyRefused(
                f"Facet {slug} is one of {', '.join(values)}, not {quote(value)}.",
                code="policy.facets",
            )
        checked[slug] = _shown_text(value, f"Facet {slug}", MAX_NAME, "policy.facets")
    return checked


def required_facets(family: str, stated: Mapping[str, str]) -> None:
    """Nothing, if a system states every facet that its family wants of it.

    Raises:
        PolicyRefused: names the facet that is missing, and its values.
    """
    for facet in FAMILIES[family].facets:
        if facet.required and not stated.get(facet.slug):
            values = ", ".join(slug for slug, _ in facet.values) or "a short text"
            raise PolicyRefused(
                f"State the facet {facet.slug} of the system: {values}. {facet.help}",
                code="policy.facets",
            )


def link(url: str) -> str:
    """A link that may stand beside a row; empty stays empty.

    Raises:
        PolicyRefused: not https, with user names, or to a bare address.
    """
    if not url:
        return ""
    wanted = "A link begins with https:// and names a public host, without user name or blanks."
    refused = PolicyRefused(wanted, code="policy.url")
    if len(url) > MAX_URL or not url.isprintable() or any(c in url for c in ' \\<>"'):
        raise refused
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna").decode()
    except (ValueError, UnicodeError):
        raise refused from None
    if parts.scheme != "https" or parts.username is not None or not HOST.match(host):
        raise refused
    return url


def idempotency_key(key: str | None) -> str | None:
    """The key, or None without one.

    Raises:
        PolicyRefused: longer than 200 characters or not printable ASCII.
    """
    if key is None or key == "":
        return None
    if not KEY.match(key):
        raise PolicyRefused(
            "An idempotency key has 1 to 200 printable ASCII characters, without blanks.",
            code="policy.idempotency_key",
        )
    return key


def file_label(name: str) -> str:
    """What the sender called the file, harmless to show; never used as a path."""
    return "".join(c for c in name if c.isprintable())[:200]


def _shown_text(text: str, what: str, max_length: int, code: str) -> str:
    text = unicodedata.normalize("NFC", text).strip(" ")
    if not text or len(text) > max_length:
        raise PolicyRefused(f"{what} has 1 to {max_length} characters.", code=code)
    if not text.isprintable() or _piles_up_marks(text):
        raise PolicyRefused(
            f"{what} holds characters that cannot be shown safely: {quote(text)}.", code=code
        )
    return text


def _piles_up_marks(text: str) -> bool:
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > MAX_COMBINING:
            return True
    return False
