"""Quantities and names in words."""

from __future__ import annotations

import pytest

from portal.site.templatetags import site_text


@pytest.mark.parametrize(
    ("n_bytes", "words"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (3_565_158, "3.4 MiB"),
     (256 * 2**20, "256 MiB"), (5 * 2**40, "5120 GiB")],
)  # fmt: skip
def test_sizes_are_told_in_binary_units(n_bytes: int, words: str) -> None:
    assert site_text.size(n_bytes) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "under 1 s"), (1.84, "1.8 s"), (4, "4 s"), (75, "75 s"), (180, "3 min"),
     (3600, "1 h"), (7500, "2 h 5 min"), (None, "an unknown time")],
)  # fmt: skip
def test_waits_are_told_as_people_say_them(seconds: float | None, words: str) -> None:
    assert site_text.wait(seconds) == words


def test_characters_that_hide_or_reorder_are_made_visible() -> None:
    hostile = "Good\u202eelbmulP\u200b\x00\x1b[31m\u2066"
    shown = site_text.plain(hostile)
    assert shown == "Good\ufffdelbmulP\ufffd\ufffd\ufffd[31m\ufffd"


def test_names_of_all_scripts_stay_as_they_are() -> None:
    for name in ("InternVL3-38B, 8 frames", "动作视角", "مدل", "Müller & Söhne"):
        assert site_text.plain(name) == name


def test_a_long_list_of_problems_says_that_it_was_cut() -> None:
    assert site_text.problems_caption(1, ["a"]) == "1 problem"
    assert site_text.problems_caption(1204, ["a"] * 20) == "1,204 problems; the first 20 are shown"
