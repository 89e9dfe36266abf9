"""A person's visit in Chromium across all processes: board, system, submission, score."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from infra.samples.files import write_samples
from infra.seed import ACCOUNT
from tests.chromium import SERIOUS, chromium, needs_chromium
from tests.journeys.conftest import Journey

WITHIN = 90_000  # milliseconds, on a busy machine
SYSTEMS = 3

pytestmark = [pytest.mark.journey, pytest.mark.browser, needs_chromium]


@pytest.fixture(scope="module")
def samples(journey: Journey, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample benchmark, open, with a few rows on target-box."""
    folder = tmp_path_factory.mktemp("samples") / "made"
    manifest = write_samples(folder)
    journey.load(folder / manifest["bundle"])
    entries = [e for e in manifest["submissions"] if e["track"] == "target-box"]
    for entry in entries[:SYSTEMS]:
        journey.plumbline(
            "submit", folder / entry["file"], "--benchmark", "sample-hoi", "--track", "target-box",
            "--system", entry["system"], "--publish", "--wait",
        )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def test_a_visit_from_the_board_to_a_score(
    journey: Journey, samples: Path, browser: Browser
) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(WITHIN)
    expect.set_options(timeout=WITHIN)
    page = context.new_page()
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))

    page.goto(f"{journey.address}/board/?benchmark=sample-hoi&version=1&track=target-box")
    rows = page.locator("table tbody tr").filter(has=page.get_by_text("submitted", exact=True))
    expect(rows).to_have_count(SYSTEMS)
    header = page.get_by_role("columnheader", name="EM", exact=True)
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "descending")
    rows.first.get_by_role("link").first.click()
    page.wait_for_url("**/board/system?**")
    expect(page.get_by_role("heading", name="Paired differences to the others")).to_be_visible()

    page.goto(f"{journey.address}/account/sign-in/?next=/submit/")
    page.get_by_label("Username").fill(ACCOUNT)
    page.get_by_label("Password").fill(journey.password)
    page.get_by_role("button", name="Sign in").click()
    submit(page, samples)
    page.wait_for_url("**/submissions/*/")
    page.evaluate("window.stays = true")
    expect(page.get_by_role("heading", name="Scores")).to_be_visible()
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Macro-F1"))
    expect(row.first.locator(".pl-interval")).to_contain_text("–")
    assert page.evaluate("window.stays") is True, "the page was loaded again"
    assert hosts == {urlsplit(journey.address).netloc}
    context.close()


def submit(page: Page, samples: Path) -> None:
    """Hand in the last sample file of target-box under a new name."""
    manifest = json.loads((samples / "manifest.json").read_text())
    entry = [e for e in manifest["submissions"] if e["track"] == "target-box"][-1]
    page.get_by_label("Target box").first.check()
    page.get_by_label("Name of the new system").fill("From the browser")
    page.get_by_label("Predictions file", exact=True).set_input_files(samples / entry["file"])
    page.get_by_role("button", name="Submit").click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_phone_and_serve_everybody(
    journey: Journey, samples: Path, browser: Browser, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        color_scheme=scheme,  # type: ignore[arg-type]  # light or dark
    )
    context.set_default_timeout(WITHIN)
    page = context.new_page()
    for path in ("/board/?benchmark=sample-hoi&version=1&track=target-box", "/submit/"):
        page.goto(journey.address + path)
        page.get_by_role("main").first.wait_for()
        if path.startswith("/board"):
            page.locator("table tbody tr").first.wait_for()
            page.locator(".js-plotly-plot").first.wait_for()
        overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert overflow <= 0, path
        found = Axe().run(page).response["violations"]
        serious = [
            (violation["id"], node["html"])
            for violation in found
            if violation["impact"] in SERIOUS
            for node in violation["nodes"]
        ]
        assert not serious, path
    context.close()
