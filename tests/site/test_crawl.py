"""Every page answers, in the look of the site, with nothing that the content policy forbids."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.published_site import NAME, Site

SEEDS = ("/submit/", "/submissions/", "/account/", "/benchmarks/", "/account/sign-in/",
         "/account/sign-up/", f"/submit/?benchmark={NAME}&track=target-box")  # fmt: skip
ELSEWHERE = ("/board/", "/api/", "/static/", "/admin/")  # other processes, other tests
POLICY = "default-src 'self'"


class Page(HTMLParser):
    """What a test asks of a page's markup."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.links: list[str] = []
        self.faults: list[str] = []
        self.title = ""
        self.n_h1 = 0
        self.ids: list[str] = []
        self._in_title = False
        self.feed(response.content.decode())
        self.faults += [f"id {id_} twice" for id_ in set(self.ids) if self.ids.count(id_) > 1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self._in_title = tag == "title" or self._in_title
        self.n_h1 += tag == "h1"
        if tag == "script" and not found.get("src"):
            self.faults.append("inline script")
        if tag == "style" or "style" in found:
            self.faults.append(f"inline style on {tag}")
        self.faults += [f"{name} on {tag}" for name in found if name.startswith("on")]
        for name in ("href", "src", "action"):
            if value := found.get(name):
                self.links.append(value)
        if id_ := found.get("id"):
            self.ids.append(id_)

    def handle_endtag(self, tag: str) -> None:
        self._in_title = self._in_title and tag != "title"

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data


def crawl(browser: Client, seeds: tuple[str, ...]) -> dict[str, Page]:
    """Every page of this process that a person can reach by links, by address."""
    pages: dict[str, Page] = {}
    waiting = list(seeds)
    while waiting:
        address = waiting.pop()
        if address in pages:
            continue
        response = browser.get(address, follow=True)
        assert response.status_code == 200, address
        assert response["Content-Security-Policy"].startswith(POLICY), address
        assert response["X-Content-Type-Options"] == "nosniff", address
        pages[address] = Page(response)
        for link in pages[address].links:
            target = urljoin(address, link).split("#")[0]
            is_ours = not urlsplit(target).netloc and not target.startswith(ELSEWHERE)
            if is_ours and "sign-out" not in target and not target.endswith(ACTIONS):
                waiting.append(target)
    return pages


ACTIONS = ("/publish/", "/withdraw/", "/revoke/")  # only posted to


@pytest.mark.parametrize("who", ["ann", "stranger"])
def test_every_page_answers_in_the_look_and_within_the_policy(
    who: str, request: pytest.FixtureRequest, site: Site
) -> None:
    pages = crawl(request.getfixturevalue(who), SEEDS)
    assert len(pages) > (12 if who == "ann" else 7)
    for address, page in pages.items():
        assert page.faults == [], address
        assert page.title.endswith(" · Plumbline"), address
        assert page.n_h1 == 1, address
        hosts = {urlsplit(link).netloc for link in page.links if "static" in link}
        assert hosts == {""}, address
