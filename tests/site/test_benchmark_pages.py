"""What the page of a benchmark tells, and what it never does."""

from __future__ import annotations

from django.test import Client

from tests.published_site import CANARY, NAME, Site


def test_the_page_states_the_protocol(stranger: Client, site: Site) -> None:
    page = stranger.get(f"/benchmarks/{NAME}/").content.decode()
    for fact in (
        "Tiny HOI",
        "CC0-1.0",
        "200 resamplings of whole images",
        "seed 5",
        "rules “paper”",
        "Target box: the answers are hidden",
        "Hidden answers.",
        "plumbline questions tiny-hoi@1",
        "Made for tests.",
        "Macro-F1",
    ):
        assert fact in page, fact
    assert CANARY not in page


def test_each_version_keeps_its_address(stranger: Client, site: Site) -> None:
    assert stranger.get(f"/benchmarks/{NAME}/1/").status_code == 200
    assert stranger.get(f"/benchmarks/{NAME}/2/").status_code == 404
    assert stranger.get("/benchmarks/none-such/").status_code == 404


def test_the_list_names_every_public_benchmark(stranger: Client, site: Site) -> None:
    page = stranger.get("/benchmarks/").content.decode()
    assert f'href="/benchmarks/{NAME}/"' in page
    assert "520 questions, open" in page
