"""Pages over the made-up API: what they say, and what they say when there is nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from frontend_gradio.pages import about, board, compare, system
from frontend_gradio.pages.compare import sentence
from frontend_gradio.pages.drawn import Drawn, in_trouble
from frontend_gradio.pages.scores import chance
from frontend_gradio.site import Site
from frontend_gradio.source import RETRY_SECONDS, Source, Trouble
from frontend_gradio.state import View
from portal.codes import CODES
from tests.frontend_gradio.fixture_api import MARKUP_NAME, TEMPLATE_NAME, serving
from tests.plumbline.scripted_site import ScriptedSite, problem

SITE = Site("http://127.0.0.1:1", "https://example.org", "/board")
KNOWN_TAGS = {"a", "bdi", "button", "caption", "code", "dd", "div", "dl", "dt", "form", "h1", "h2"}
KNOWN_TAGS |= {"input", "label", "li", "nav", "option", "p", "pre", "section", "select", "span"}
KNOWN_TAGS |= {"strong", "table", "tbody", "td", "th", "thead", "tr", "ul"}


@pytest.fixture(scope="module")
def source() -> Iterator[Source]:
    with serving() as (address, _):
        yield Source(address)


class Tags(HTMLParser):
    """Which elements stand in markup, and whether all are closed in order."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag != "input":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def markup(drawn: Drawn) -> str:
    parts = [drawn.head, drawn.above_figure, drawn.foot]
    return "".join([*parts, drawn.table.get("captionHtml", ""), drawn.table.get("files", "")])


def test_every_page_is_whole_and_holds_our_elements_only(source: Source) -> None:
    named = {"system": "system-19", "first": "system-19", "second": "system-20"}
    drawn = [
        board.draw(source, SITE, View()),
        board.draw(source, SITE, View(benchmark="papers")),
        system.draw(source, SITE, View(system="system-19")),
        system.draw(source, SITE, View(system="reported-0")),
        compare.draw(source, SITE, View(first=named["first"], second=named["second"])),
    ]
    for page in drawn:
        tags = Tags(markup(page))
        assert tags.seen <= KNOWN_TAGS and tags.open == []


def test_a_strange_name_is_shown_as_its_letters(source: Source) -> None:
    drawn = system.draw(source, SITE, View(system="system-19"))
    assert MARKUP_NAME not in markup(drawn) and "&lt;img src=x" in drawn.head
    assert drawn.title.startswith(MARKUP_NAME)  # set as text by the script
    assert "${document" in system.draw(source, SITE, View(system="system-20")).head
    assert TEMPLATE_NAME in json.dumps(
        board.draw(source, SITE, View()).table, ensure_ascii=False
    ).replace("\\\\", "\\")


def test_a_hostile_home_page_is_no_link(source: Source) -> None:
    assert "javascript:" not in system.draw(source, SITE, View(system="system-0")).head
    assert "https://example.org/models/1" in system.draw(source, SITE, View(system="system-1")).head


def test_the_view_of_a_board_reproduces_itself(source: Source) -> None:
    asked = View(
        benchmark="sample-hoi", version="1", track="target-box", slice="rare", metric="micro_f1",
        measured_only=True, all_metrics=True, facets=(("kind", "fine-tuned"),),
    )  # fmt: skip
    assert board.draw(source, SITE, asked).query == asked.query()


def test_what_a_board_does_not_have_leaves_the_address(source: Source) -> None:
    asked = View(slice="no-such", metric="no-such", facets=(("kind", "no-such"), ("x", "y")))
    assert (
        board.draw(source, SITE, asked).query
        == View(benchmark="sample-hoi", version="1", track="all-people").query()
    )


def test_a_board_without_rows_invites(source: Source) -> None:
    drawn = board.draw(source, SITE, View(benchmark="empty"))
    assert "Be the first" in drawn.head and "/board/about#submit" in drawn.head
    assert drawn.table == {} and drawn.figure is None and Tags(markup(drawn)).open == []
    with pytest.raises(Trouble, match="two systems"):
        compare.draw(source, SITE, View(benchmark="empty"))


def test_a_board_whose_rows_are_under_way_says_so(source: Source) -> None:
    head = board.draw(source, SITE, View(benchmark="coming")).head
    assert "30 published, none scored yet" in head and "Be the first" not in head


def test_downloads_lead_to_the_api(source: Source) -> None:
    files = board.draw(source, SITE, View(slice="rare")).table["files"]
    assert 'href="/api/v1/boards/sample-hoi/1/all-people.csv?slice=rare"' in files
    assert 'href="/api/v1/boards/sample-hoi/1/all-people"' in files


def test_reported_differences_are_as_printed(source: Source) -> None:
    foot = board.draw(source, SITE, View()).foot
    assert "5.18" in foot and "3.55 – 6.68" in foot and "Table 12" in foot and "resolved" in foot


def test_a_system_page_says_where_it_stands(source: Source) -> None:
    drawn = system.draw(source, SITE, View(system="system-2"))
    assert "Rank 3 of 22, may be 1–5" in drawn.head
    assert "Not ranked" in system.draw(source, SITE, View(system="reported-0")).head


def test_differences_that_cannot_be_told_say_why(source: Source) -> None:
    foot = system.draw(source, SITE, View(system="reported-0")).foot
    assert "None to show: no paired difference" in foot


@pytest.mark.parametrize(
    ("value", "text", "interval", "unresolved", "higher_is_better", "said"),
    [
        (0.021, "+2.1", "+0.4 – +3.9", False, True,
         "A is ahead of B by 2.1 points [+0.4 – +3.9]: resolved."),
        (-0.021, "−2.1", "−3.9 – −0.4", False, True,
         "A is behind B by 2.1 points [−3.9 – −0.4, first minus second]: resolved."),
        (-0.021, "−2.1", "−3.9 – +0.4", True, False,
         "A is ahead of B by 2.1 points [−3.9 – +0.4, first minus second]: "
         "unresolved, the interval spans zero."),
        (0.0, "0.0", "−1.0 – +1.0", True, True,
         "A and B are level [−1.0 – +1.0]: unresolved, the interval spans zero."),
        (0.01, "+1.0", "", None, True,
         "A is ahead of B by 1.0 points: no interval, so nobody can say whether it is real."),
    ],
)  # fmt: skip
def test_a_difference_in_plain_words(
    value: float,
    text: str,
    interval: str,
    unresolved: bool | None,
    higher_is_better: bool,
    said: str,
) -> None:
    found = {"value": value, "text": text, "interval_text": interval, "unresolved": unresolved}
    assert sentence(found, "A", "B", higher_is_better) == said


def test_no_difference_in_plain_words() -> None:
    assert sentence({"value": None, "reason": "withheld"}, "A", "B", True) == (
        "A and B cannot be compared here: withheld."
    )


def test_a_comparison_without_names_takes_the_first_two(source: Source) -> None:
    drawn = compare.draw(source, SITE, View())
    assert drawn.query["first"] == "system-0" and drawn.query["second"] == "system-1"


@pytest.mark.parametrize(
    ("probability", "said"),
    [(None, ""), (1.0, "> 99 %"), (0.0, "< 1 %"), (0.9949, "99 %"), (0.5, "50 %")],
)
def test_no_chance_is_certain(probability: float | None, said: str) -> None:
    assert chance(probability) == said


@pytest.mark.parametrize(
    "view",
    [View(benchmark="no-such"), View(version="9"), View(system="no-such", first="no-such")],
)
def test_what_does_not_exist_is_said_and_not_asked_again(source: Source, view: View) -> None:
    draw = compare.draw if view.first else board.draw
    with pytest.raises(Trouble) as caught:
        draw(source, SITE, view)
    assert caught.value.retry_seconds == 0
    drawn = in_trouble(caught.value, "/board/")
    assert "All boards" in drawn.head and drawn.failed


def test_an_api_that_is_down_is_said_with_the_time_of_the_next_try() -> None:
    with pytest.raises(Trouble) as caught:
        board.draw(Source("http://127.0.0.1:9"), SITE, View())
    drawn = in_trouble(caught.value, "/board/")
    assert drawn.retry_seconds == RETRY_SECONDS
    assert "does not answer" in drawn.head and f"Asking again in {RETRY_SECONDS} s." in drawn.head
    assert "127.0.0.1" not in drawn.head


def test_a_service_that_is_away_is_named() -> None:
    away = CODES["infra.database"]
    api = ScriptedSite()
    api.answers("GET /benchmarks", problem(503, away.code, away.meaning, title=away.title))
    with pytest.raises(Trouble) as caught:
        board.draw(Source(api.url), SITE, View())
    api.close()
    drawn = in_trouble(caught.value, "/board/")
    assert away.title in drawn.head and "What was accepted before is safe" in drawn.head
    assert drawn.retry_seconds == RETRY_SECONDS


def test_the_about_page_is_whole() -> None:
    drawn = about.draw(SITE)
    assert Tags(drawn).open == []
    assert "plumbline login --server https://example.org" in drawn
