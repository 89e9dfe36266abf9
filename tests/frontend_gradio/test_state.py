"""A link reproduces the view, and nothing unlawful gets out of an address."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontend_gradio.site import Site, outside
from frontend_gradio.state import SLUG, View

SLUGS = st.from_regex(SLUG, fullmatch=True)


@given(
    benchmark=SLUGS, track=SLUGS, slice_=SLUGS, facet=st.sampled_from(["kind", "trained-on"]),
    value=SLUGS, measured_only=st.booleans(), all_metrics=st.booleans(),
)  # fmt: skip
def test_a_query_gives_back_its_view(
    benchmark: str,
    track: str,
    slice_: str,
    facet: str,
    value: str,
    measured_only: bool,
    all_metrics: bool,
) -> None:
    view = View(
        benchmark=benchmark,
        track=track,
        slice=slice_,
        facets=((facet, value),),
        measured_only=measured_only,
        all_metrics=all_metrics,
    )
    assert View.from_query(urlencode(view.query())) == view


@given(st.one_of(st.none(), st.integers(), st.text(), st.dictionaries(st.text(), st.text())))
def test_any_query_gives_a_view_of_lawful_slugs(query: object) -> None:
    view = View.from_query(query)
    assert all(SLUG.fullmatch(said) for said in view.query().values())


def test_markup_in_an_address_is_left_out() -> None:
    view = View.from_query("?benchmark=%3Cimg%20src=x%3E&track=target-box&facet-%3Cb%3E=x")
    assert view == View(track="target-box")


def test_endless_queries_are_not_read() -> None:
    assert View.from_query("benchmark=x&" * 1000) == View()
    assert View.from_query("&".join(f"a{n}=b" for n in range(100))) == View()


def test_defaults_stay_out_of_the_address() -> None:
    assert View().query() == {}
    assert View(measured_only=True).query() == {"rows": "measured"}


def test_another_benchmark_starts_afresh() -> None:
    asked = View.from_query("was=one&benchmark=two&version=1&track=t&slice=rare&facet-kind=x")
    assert asked == View(benchmark="two")
    same = View.from_query("was=one&benchmark=one&version=1&track=t")
    assert same == View(benchmark="one", version="1", track="t")


def test_a_switch_is_told_off_by_its_last_value() -> None:
    assert not View.from_query("rows=measured&rows=all").measured_only
    assert View.from_query("rows=measured").measured_only


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "//host", "mailto:a@b", "", None, "http://[", 3],
)
def test_only_web_addresses_become_links(url: object) -> None:
    assert outside(url) is None


def test_links_stay_on_the_origin_that_the_board_shares() -> None:
    shared = Site("http://127.0.0.1:1", "https://example.org", "/board")
    assert shared.portal("/submit/") == "/submit/"
    assert shared.page("system", {"system": "a b", "track": ""}) == "/board/system?system=a+b"
    alone = Site("http://127.0.0.1:1", "https://example.org")
    assert alone.portal("/submit/") == "https://example.org/submit/"
    assert alone.board_csv("b", "1", "t", "rare").endswith("/api/v1/boards/b/1/t.csv?slice=rare")
