"""The board in a real browser: keyboard, addresses, small screens, strange names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.chromium import SERIOUS, chromium, needs_chromium
from tests.frontend_gradio.conftest import Board, board_process, free_port
from tests.frontend_gradio.fixture_api import MARKUP_NAME, TEMPLATE_NAME, serving

expect.set_options(timeout=30_000)  # other tests may keep the machine busy
LOOK = "/static/site/look.css"  # the portal's; not there when the board stands alone

pytestmark = [
    pytest.mark.browser,
    needs_chromium,
]


@dataclass(slots=True)
class Visit:
    """A page with everything it asked for and complained about."""

    page: Page
    address: str
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str = "/") -> Page:
        self.page.goto(self.address + path)
        return self.page

    def query(self) -> dict[str, str]:
        return {key: said[-1] for key, said in parse_qs(urlsplit(self.page.url).query).items()}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


Start = Callable[..., Visit]


@pytest.fixture
def visit(browser: Browser, board: Board) -> Iterator[Start]:
    """(width, scheme) -> a fresh browser at the board."""
    contexts = []

    def start(width: int = 1280, scheme: str = "light", address: str = board.url) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,  # type: ignore[arg-type]  # light or dark
        )
        contexts.append(context)
        visit = Visit(context.new_page(), address)
        visit.page.route(f"**{LOOK}", lambda route: route.fulfill(body="", content_type="text/css"))
        visit.page.on("request", lambda request: visit.asked.append(request.url))
        visit.page.on("console", lambda said: visit.complaints.append(f"{said.type} {said.text}"))
        visit.page.on("pageerror", lambda error: visit.complaints.append(f"error {error}"))
        return visit

    yield start
    for context in contexts:
        context.close()


def names(page: Page) -> list[str]:
    return page.locator("#board tbody th a").all_inner_texts()


def cells(page: Page, column: int) -> list[str]:
    found = page.locator(f"#board tbody tr > :nth-child({column})").all_inner_texts()
    return [text.split("\n")[0].split(" ")[0] for text in found]


def test_a_reader_sorts_with_the_keyboard_and_follows_a_row(visit: Start) -> None:
    here = visit()
    page = here.open()
    expect(page.get_by_role("status").filter(has_text="30 systems")).to_be_visible()
    heads = page.locator("#board thead th")
    expect(heads.nth(2)).to_have_attribute("aria-sort", "descending")

    page.locator("#sort-micro_f1").focus()
    page.keyboard.press("Enter")
    expect(heads.nth(4)).to_have_attribute("aria-sort", "descending")
    expect(heads.nth(2)).to_have_attribute("aria-sort", "none")
    values = [float(text) for text in cells(page, 5)]
    assert values == sorted(values, reverse=True)
    expect(page.locator("#sort-micro_f1")).to_be_focused()
    assert here.query()["sort"] == "micro_f1"

    page.keyboard.press("Space")
    expect(heads.nth(4)).to_have_attribute("aria-sort", "ascending")
    assert here.query()["dir"] == "asc"

    name = names(page)[-1]
    page.locator("#board tbody th a").last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.get_by_role("heading", name="Paired differences to the others")).to_be_visible()
    assert [said for said in here.complaints if said.startswith("error")] == []


def test_holes_come_last_in_both_directions(visit: Start) -> None:
    page = visit().open("/?sort=misattribution")
    expect(page.locator("[data-column=misattribution]")).to_have_attribute("aria-sort", "ascending")
    up = cells(page, 7)
    page.locator("#sort-misattribution").click()
    down = cells(page, 7)
    n_holes = up.count("—")
    assert n_holes and up[-n_holes:] == down[-n_holes:] == ["—"] * n_holes
    assert up[0] == down[-n_holes - 1]


def test_a_link_reproduces_the_view(visit: Start) -> None:
    here = visit()
    page = here.open()
    page.get_by_role("tab", name="Setting 2: target box").click()
    expect(page.get_by_role("tab", name="Setting 2: target box")).to_have_attribute(
        "aria-selected", "true"
    )
    page.get_by_label("Slice").select_option("rare")
    expect(page.locator("#board caption")).to_contain_text("Rare classes, 138 questions")
    page.get_by_label("Kind").select_option("hoi-specific")
    expect(page.get_by_role("status").filter(has_text="12 systems")).to_be_visible()
    page.get_by_role("switch", name="Reported and trivial rows").uncheck()
    expect(page.get_by_role("status").filter(has_text=re.compile(r"^7 systems$"))).to_be_visible()
    page.locator("#sort-exact_match").click()
    page.get_by_label("Find a system").fill("vl")
    shown, address = names(page), page.url
    assert 0 < len(shown) < 7

    again = visit(address=address)
    page = again.open("")
    expect(page.locator("#board tbody tr")).to_have_count(len(shown))
    assert names(page) == shown
    assert again.query() == here.query() | {"q": "vl"}
    expect(page.get_by_label("Find a system")).to_have_value("vl")


def test_tabs_follow_the_arrow_keys(visit: Start) -> None:
    page = visit().open()
    page.get_by_role("tab", name="Setting 1").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Setting 2")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Setting 2")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tab", name="Setting 2")).to_be_focused()
    expect(page.get_by_role("tabpanel")).to_have_attribute("aria-labelledby", "tab-target-box")


def test_strange_names_are_letters(visit: Start) -> None:
    here = visit()
    page = here.open()
    expect(page.get_by_role("link", name=MARKUP_NAME)).to_be_visible()
    expect(page.get_by_role("link", name=TEMPLATE_NAME)).to_be_visible()
    expect(page.locator("#figure .main-svg").first).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
    for system in ("system-19", "system-20"):
        here.open(f"/system?system={system}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        here.open(f"/compare?first={system}&second=system-0")
        expect(page.get_by_text("points [").first).to_be_visible()
    assert page.title() != "owned"
    assert page.locator("img[src=x]").count() == 0


def test_unresolved_neighbours_have_a_mark_with_words(visit: Start) -> None:
    page = visit().open()
    mark = page.locator("#board tbody tr").first.locator(".b-unresolved")
    expect(mark).to_contain_text("not resolved from the next rank, InternVL3-8B")
    expect(mark).to_have_class(re.compile("b-below"))


def test_two_systems_are_compared_in_a_sentence(visit: Start) -> None:
    here = visit()
    page = here.open("/compare?first=system-0&second=system-9")
    said = page.locator(".b-sentence")
    expect(said).to_contain_text(
        re.compile(r"InternVL3-38B is ahead of MiniCPM-V-4 by .* resolved")
    )
    page.get_by_label("Second system").select_option("system-1")
    expect(said).to_contain_text("unresolved")
    assert here.query()["second"] == "system-1"


def test_a_thousand_rows_come_in_pages(visit: Start) -> None:
    here = visit()
    page = here.open("/?benchmark=large")
    expect(page.get_by_role("status").filter(has_text="1,008 systems, 1–200 shown")).to_be_visible()
    expect(page.locator("#board tbody tr")).to_have_count(200)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Page 2 of 6")).to_be_visible()
    assert here.query()["p"] == "2"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", ["/", "/system?system=system-18", "/compare", "/about"])
def test_pages_fit_are_accessible_and_stay_at_home(
    visit: Start, board: Board, path: str, width: int, scheme: str
) -> None:
    here = visit(width, scheme)
    page = here.open(path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    if path != "/about":
        expect(page.locator("#figure .main-svg").first).to_be_visible()
        expect(page.get_by_role("img", name="Dot plot with error bars")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    faults = [
        f"{fault['id']}: {fault['help']} {[node['target'] for node in fault['nodes']]}"
        for fault in Axe().run(page).response["violations"]
        if fault["impact"] in SERIOUS
    ]
    assert faults == []
    home = urlsplit(board.url).netloc
    assert {urlsplit(url).netloc for url in here.asked if not url.startswith("data:")} == {home}
    assert [said for said in here.complaints if said.startswith("error")] == []
    expect(page.get_by_text("Gradio")).to_have_count(0)


def test_colours_can_be_chosen_and_are_remembered(visit: Start) -> None:
    page = visit(scheme="light").open()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate(ground) != light
    page.reload()
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(ground) != light


def test_a_dead_api_is_said_and_asked_again(visit: Start) -> None:
    port = free_port()
    with board_process(f"http://127.0.0.1:{port}") as url:
        page = visit(address=url).open("/?track=target-box")
        expect(page.get_by_role("alert")).to_contain_text("cannot be reached just now")
        expect(page.get_by_role("alert")).to_contain_text(re.compile(r"Asking again in \d s\."))
        with serving(port):
            tab = page.get_by_role("tab", name="Setting 2: target box")
            expect(tab).to_have_attribute("aria-selected", "true", timeout=20_000)
