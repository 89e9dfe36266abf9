"""What is shown: rounding, steps, small slices and the rule of the complement."""

from __future__ import annotations

import itertools
import re

from hypothesis import assume, example, given
from hypothesis import strategies as st

from portal.leaderboard.disclosure import (
    COMPLEMENT,
    MIN_COUNTED,
    MINUS,
    SMALL,
    Exposure,
    Number,
    disclose,
    disclose_difference,
    percent,
    withheld_slices,
)

FRACTIONS = st.floats(0, 1)


@st.composite
def numbers(draw: st.DrawFn) -> Number:
    low, value, high = sorted(draw(st.tuples(FRACTIONS, FRACTIONS, FRACTIONS)))
    return Number(value=value, low=low, high=high, n=draw(st.integers(MIN_COUNTED, 10_000)))


@given(numbers(), st.sampled_from(["public", "partly", "hidden"]), st.integers(100, 10_000))
def test_text_is_the_value_in_percent_and_the_interval_holds_it(
    number: Number, answers: str, n_questions: int
) -> None:
    shown = disclose(number, Exposure(answers, n_questions))
    assert shown.value is not None and shown.low is not None and shown.high is not None
    assert shown.low <= shown.value <= shown.high
    decimals = 1 if answers == "hidden" else 2
    assert shown.text == f"{shown.value * 100:.{decimals}f}"
    assert re.fullmatch(r"\d+\.\d – \d+\.\d", shown.interval_text)


@given(numbers(), st.sampled_from(["public", "partly"]))
def test_public_answers_are_shown_to_two_decimals(number: Number, answers: str) -> None:
    shown = disclose(number, Exposure(answers, 7))
    assert shown.value is not None and number.value is not None
    assert abs(shown.value - number.value) <= 0.00005 + 1e-12
    assert shown.n == number.n


@given(st.integers(100, 2_000), st.data())
@example(137, None)
def test_a_hidden_output_fits_as_many_counts_as_its_step_spans(
    n_questions: int, data: st.DataObject | None
) -> None:
    """Value and bounds take no more different values than the step leaves in [0, 1]."""
    exposure = Exposure("hidden", n_questions)
    seen = {
        disclose(Number(value=k / n_questions, n=n_questions), exposure).value
        for k in range(n_questions + 1)
    }
    assert len(seen) <= round(1 / exposure.step) + 1
    assert exposure.step >= max(0.001, 1 / n_questions)
    if data is not None:
        bound = data.draw(FRACTIONS)
        shown = disclose(Number(value=bound, low=bound, high=bound, n=n_questions), exposure)
        assert shown.low == shown.high == shown.value


def test_a_hidden_interval_is_as_coarse_as_its_value() -> None:
    exposure = Exposure("hidden", 200)
    sharp = Number(value=0.50123, low=0.48761, high=0.51239, n=200)
    shown = disclose(sharp, exposure)
    assert (shown.value, shown.low, shown.high) == (0.5, 0.49, 0.51)
    assert (shown.text, shown.interval_text) == ("50.0", "49.0 – 51.0")


def test_a_hidden_count_that_tells_right_answers_is_kept_back() -> None:
    exposure = Exposure("hidden", 400, is_full=True)
    assert disclose(Number(value=0.5, n=400), exposure).n == 400
    part = Exposure("hidden", 400)  # its size may be the number of people found
    assert disclose(Number(value=0.5, n=400), part).n is None
    assert disclose(Number(value=0.5, n=213), exposure).n is None  # wrong picks, people found
    assert disclose(Number(value=0.5, n=40), exposure).reason == SMALL
    classes = disclose(Number(value=0.5, n=40), exposure, averages_classes=True)
    assert classes.value == 0.5


def test_nothing_is_a_reason_and_never_a_zero() -> None:
    shown = disclose(Number(value=None, reason="nothing to count"), Exposure("public", 10))
    assert (shown.value, shown.low, shown.text, shown.reason) == (
        None,
        None,
        "—",
        "nothing to count",
    )


def test_a_published_number_keeps_its_digits() -> None:
    number = Number(
        value=0.438, low=0.417, high=0.459, printed="43.8", printed_low="41.7", printed_high="45.9"
    )
    for answers in ("public", "hidden"):
        shown = disclose(number, Exposure(answers, None, withheld=SMALL))
        assert (shown.text, shown.interval_text) == ("43.8", "41.7 – 45.9")
    bare = disclose(Number(value=0.7, printed="70"), Exposure("public"))
    assert (bare.text, bare.low, bare.interval_text) == ("70", None, "")
    assert bare.interval_reason


def test_a_difference_has_a_sign_and_the_same_step() -> None:
    number = Number(value=-0.01234, low=-0.02, high=0.00501)
    public = disclose_difference(number, Exposure("public", 1000))
    assert public.text == f"{MINUS}1.23"
    assert public.interval_text == f"{MINUS}2.0 – +0.5"
    hidden = disclose_difference(number, Exposure("hidden", 200))
    assert (hidden.value, hidden.low, hidden.high) == (-0.01, -0.02, 0.005)
    assert disclose_difference(number, Exposure("hidden", 20, SMALL)).value is None


@given(st.floats(-1, 1))
def test_percent_never_writes_minus_zero(fraction: float) -> None:
    text = percent(fraction, 1, "+")
    assert "-" not in text
    assert text.lstrip(f"+{MINUS}") != "0.0" or text == "0.0"


def test_public_answers_withhold_no_slice() -> None:
    assert withheld_slices("public", {"all": 50, "rare": 2}) == {}
    assert withheld_slices("partly", {"all": 50, "rare": 2}) == {}


def test_a_small_slice_and_a_small_complement_are_withheld() -> None:
    withheld = withheld_slices("hidden", {"all": 1000, "most": 950, "half": 500, "few": 99})
    assert withheld == {"most": COMPLEMENT, "few": SMALL}


def test_the_rest_of_several_slices_counts_as_a_complement() -> None:
    sizes = {"all": 1000, "one-person": 480, "several-people": 480}
    assert withheld_slices("hidden", sizes) == {"several-people": COMPLEMENT}
    assert withheld_slices("hidden", {"all": 960, "one-person": 480, "several-people": 480}) == {}


@st.composite
def slice_trees(draw: st.DrawFn) -> dict[str, frozenset[int]]:
    """Slices that nest or are disjoint, as sets of items, in any order of display."""
    n_items = draw(st.integers(0, 900))
    slices = {"all": frozenset(range(n_items))}
    frontier = ["all"]
    while frontier and len(slices) < 7:
        parent = frontier.pop(0)
        items = sorted(slices[parent])
        start = 0
        for child in range(draw(st.integers(0, 3))):
            size = draw(st.integers(0, max(0, len(items) - start)))
            if size and len(slices) < 7:
                slug = f"{parent}-{child}"
                slices[slug] = frozenset(items[start : start + size])
                frontier.append(slug)
            start += size
    order = draw(st.permutations([slug for slug in slices if slug != "all"]))
    return {slug: slices[slug] for slug in ("all", *order)}


@given(slice_trees())
def test_no_difference_of_shown_slices_speaks_of_fewer_than_100_items(
    slices: dict[str, frozenset[int]],
) -> None:
    sizes = {slug: len(items) for slug, items in slices.items()}
    assume(sizes["all"] > 0)
    withheld = withheld_slices("hidden", sizes)
    shown = [slices[slug] for slug in slices if slug not in withheld]
    for whole in shown:
        inner = [part for part in shown if part is not whole and part <= whole]
        for n_parts in range(len(inner) + 1):
            for parts in itertools.combinations(inner, n_parts):
                if sum(map(len, parts)) == len(frozenset().union(*parts)):
                    left = len(whole) - sum(map(len, parts))
                    assert left == 0 or left >= MIN_COUNTED
