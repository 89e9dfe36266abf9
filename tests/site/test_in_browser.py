"""The pages in a real browser, with a real worker behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Request, expect

from portal import services
from tests import factories
from tests.chromium import SERIOUS, chromium, needs_chromium
from tests.conftest import Process, Stores

SHOWN_WITHIN, SCORED_WITHIN = 20_000, 90_000  # milliseconds, on a busy machine

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    needs_chromium,
]


@dataclass(slots=True)
class Visit:
    """A page with everything it asked for and complained about."""

    page: Page
    address: str
    hosts: set[str] = field(default_factory=set)
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        self.page.goto(self.address + path)
        return self.page

    def sign_in(self, name: str) -> None:
        page = self.open("/account/sign-in/?next=/submit/")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill("secret")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Submit predictions")).to_be_visible()


Open = Callable[..., Visit]


@pytest.fixture
def visit(
    live_server: object,
    tmp_path: Path,
    stores: Stores,
    broker: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., Visit]]:
    """(width, scheme, scripts) -> a fresh browser at a site with one open benchmark."""
    # Playwright runs a loop in this thread; the fixtures around it use the database.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    expect.set_options(timeout=SHOWN_WITHIN)
    factories.version(tmp_path, stores)
    factories.user("zoe")
    with chromium() as browser:

        def start(width: int = 1280, scheme: str = "light", scripts: bool = True) -> Visit:
            context = browser.new_context(
                viewport={"width": width, "height": 800},
                color_scheme=scheme,  # type: ignore[arg-type]  # light or dark
                java_script_enabled=scripts,
            )
            visit = Visit(context.new_page(), str(live_server))

            def note(request: Request) -> None:
                visit.hosts.add(urlsplit(request.url).netloc)

            visit.page.on("request", note)
            visit.page.on("console", lambda said: visit.complaints.append(said.text))
            visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
            return visit

        yield start


def fill(page: Page, file: bytes, system: str = "Browser-7B") -> None:
    page.get_by_label("Target-box").check()
    page.get_by_label("Name", exact=True).fill(system)
    page.get_by_label("Kind").select_option("vlm-zero-shot")
    page.get_by_label("Predictions file", exact=True).set_input_files(
        {"name": "answers.json", "mimeType": "application/json", "buffer": file}
    )


def test_a_file_is_submitted_and_its_score_arrives_without_reload(
    visit: Open, start_worker: Callable[..., Process]
) -> None:
    start_worker()
    at = visit()
    at.sign_in("zoe")
    page = at.page
    fill(page, factories.predictions(track="target-box"))
    expect(page.get_by_text("answers.json, ")).to_be_visible()
    expect(page.locator("section[data-track=target-box]")).to_be_visible()
    expect(page.locator("section[data-track=all-people]")).to_be_hidden()
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/submissions/*/")
    page.evaluate("window.stays = true")
    expect(page.get_by_role("heading", name="Scores")).to_be_visible(timeout=SCORED_WITHIN)
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="Macro-F1"))
    expect(row.first.get_by_role("cell").first).to_have_text("100.00")
    expect(row.first.locator(".pl-interval")).to_contain_text("–", timeout=SCORED_WITHIN)
    assert page.evaluate("window.stays") is True
    expect(page.locator("[data-live-status]")).to_have_text("Scored: Macro-F1 100.00 percent.")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("The board shows the row within seconds")).to_be_visible()
    assert at.hosts == {urlsplit(at.address).netloc}
    assert at.complaints == []


def test_every_problem_of_a_rejected_file_is_read_on_a_phone(
    visit: Open, start_worker: Callable[..., Process]
) -> None:
    start_worker()
    at = visit(width=390)
    at.sign_in("zoe")
    fill(at.page, factories.predictions(lambda number: ["Z"], track="target-box"))
    at.page.get_by_role("button", name="Submit").click()
    table = at.page.get_by_role("table", name="Problems of the file")
    expect(table).to_be_visible(timeout=SCORED_WITHIN)
    expect(table.get_by_role("row")).to_have_count(1 + factories.N_IMAGES)
    expect(table.get_by_role("cell", name="/predictions/0/answer/0")).to_be_visible()
    assert overflow(at.page) <= 0
    assert at.complaints == []


def test_a_file_that_is_too_large_is_told_before_it_is_sent(
    visit: Open, settings: pytest.FixtureRequest
) -> None:
    settings.MAX_UPLOAD_BYTES = 1000  # type: ignore[attr-defined]  # pytest-django's settings
    at = visit()
    at.sign_in("zoe")
    fill(at.page, b"{" + b" " * 2000)
    expect(at.page.get_by_text("The file has 2 KiB; at most 1000 bytes are taken.")).to_be_visible()
    sent: list[str] = []
    at.page.on("request", lambda request: sent.append(request.method))
    at.page.get_by_role("button", name="Submit").click()
    assert "POST" not in sent


def test_a_refusal_is_told_on_the_page_and_what_was_typed_stays(visit: Open) -> None:
    at = visit()
    at.sign_in("zoe")
    fill(at.page, b"\x89PNG\r\n\x1a\n" + b"0" * 50)
    at.page.get_by_role("button", name="Submit").click()
    alert = at.page.get_by_role("alert")
    expect(alert).to_contain_text("The file is a picture")
    expect(alert).to_be_focused()
    expect(at.page.get_by_label("Name", exact=True)).to_have_value("Browser-7B")


def test_the_form_works_without_scripts(visit: Open) -> None:
    at = visit(scripts=False)
    at.sign_in("zoe")
    fill(at.page, factories.predictions(track="target-box"))
    at.page.get_by_role("button", name="Submit").click()
    expect(at.page.get_by_text("Next in line")).to_be_visible()


def test_who_waits_learns_without_reload_that_somebody_listens(visit: Open) -> None:
    at = visit()
    at.sign_in("zoe")
    fill(at.page, factories.predictions(track="target-box"))
    at.page.get_by_role("button", name="Submit").click()
    expect(at.page.get_by_text("No worker is listening at the moment")).to_be_visible()
    at.page.evaluate("window.stays = true")
    services.announce_presence(name="w:1", queues=("score",), n_slots=2)
    expect(at.page.get_by_text("2 are scored at once.")).to_be_visible()
    said = at.page.locator("[data-live-status]")
    expect(said).to_have_text("Waiting. Next in line. How long it takes has not been measured yet.")
    assert at.page.evaluate("window.stays") is True
    assert at.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_phone_and_axe_finds_nothing_serious(visit: Open, scheme: str) -> None:
    at = visit(width=390, scheme=scheme)
    paths = ["/account/sign-in/", "/account/sign-up/", "/benchmarks/", "/benchmarks/tiny-hoi/",
             "/submit/", "/status/", "/nothing/"]  # fmt: skip
    check(at, paths)
    at.sign_in("zoe")
    fill(at.page, factories.predictions(track="target-box"))
    at.page.get_by_role("button", name="Submit").click()
    at.page.wait_for_url("**/submissions/*/")
    check(at, [urlsplit(at.page.url).path, "/submissions/", "/account/", "/submit/"])


def check(at: Visit, paths: list[str]) -> None:
    for path in paths:
        page = at.open(path)
        assert overflow(page) <= 0, path
        found = Axe().run(page).response["violations"]
        serious = [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in SERIOUS]
        assert serious == [], path


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    width: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return width
