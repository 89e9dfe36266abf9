"""Nothing that a page loads or a lock names lies on somebody else's host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("platform/portal/site", "platform/portal/templates", "frontend_gradio", "infra")
KINDS = {".html", ".js", ".css", ".svg", ".py", ".txt"}
ADDRESS = re.compile(r"(?:https?:)?//([a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+)")
# Names, not places: an XML namespace, this machine, and what RFC 2606 sets aside.
HARMLESS = re.compile(
    r"www\.w3\.org|127\.0\.0\.1|0\.0\.0\.0|169\.254\.169\.254|(?:.*\.)?example\.(?:org|com|net)"
)
# A link that a reader may follow loads nothing by itself.
LINK = re.compile(r"<a\s[^>]*>")


def outside_hosts(text: str) -> Iterator[str]:
    """Hosts that the text names outside plain links."""
    for found in ADDRESS.finditer(LINK.sub("", text)):
        if not HARMLESS.fullmatch(found[1]):
            yield found[1]


@pytest.mark.parametrize("folder", PAGES)
def test_pages_load_from_this_site_alone(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {host}"
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in KINDS - {".txt"} and "benchmarks" not in path.parts[len(ROOT.parts) :][:2]
        for host in outside_hosts(path.read_text())
    ]
    assert found == []


def test_locks_name_no_host_and_hash_everything() -> None:
    for lock in sorted((ROOT / "requirements").glob("*.txt")):
        text = lock.read_text()
        assert not list(outside_hosts(text)), lock.name
        entries = re.findall(r"^[a-z0-9][^\n]*==(?:[^\n]*\\\n)+[^\n]*", text, flags=re.MULTILINE)
        assert entries and all("--hash=sha256:" in entry for entry in entries), lock.name
        assert len(entries) == len(re.findall("==", re.sub(r"[;#][^\n]*", "", text))), lock.name


@pytest.mark.parametrize(
    "line",
    [
        '<script src="https://cdn.example.io/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.host.com/css">',
        "@import url(https://fonts.host.com/css);",
        'fetch("http://telemetry.host.com")',
    ],
)
def test_a_planted_host_is_found(line: str) -> None:
    assert list(outside_hosts(line))


def test_a_link_for_readers_is_no_host() -> None:
    assert not list(outside_hosts('<a href="https://host.com/paper">paper</a>'))
