"""Where Chromium is, and how the tests start it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = os.environ.get("PLUMBLINE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), "")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SERIOUS = {"serious", "critical"}  # impacts of axe that fail a test

needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="no Chromium: apt-get install chromium")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser with no profile of anybody's."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
