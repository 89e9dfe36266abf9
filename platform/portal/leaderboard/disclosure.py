"""The one place where policy and rounding turn a score into what is shown.

Page, API, CSV, badge and receipt print these strings and no others. Where a
track's answers are hidden, every output is rounded to one step and what rests
on few questions is withheld (STATISTICS, section 8); elsewhere numbers stand
to two decimals of a percent. Knows no models and no HTTP.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Answers = Literal["public", "hidden", "partly"]

MIN_COUNTED = 100  # fewer questions behind a hidden number would tell single answers
HIDDEN_STEP = 0.001  # a tenth of a percentage point
SHOWN_STEP = 0.0001  # two decimals of a percent

MINUS = "−"
NOTHING = "—"
SMALL = f"withheld: fewer than {MIN_COUNTED} questions"
NOT_PRINTED = "the publication gives none"
COMPLEMENT = (
    f"withheld: with the slices shown before it, it would single out fewer than "
    f"{MIN_COUNTED} questions"
)


@dataclass(frozen=True, slots=True)
class Number:
    """A score or difference as stored, at full precision.

    Attributes:
        value: fraction, or None with `reason`.
        n: what was counted; `n_clusters`: clusters that hold something to count.
        printed, printed_low, printed_high: texts of a published number, percent.
    """

    value: float | None
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    interval_reason: str | None = None
    n: int | None = None
    n_clusters: int | None = None
    printed: str = ""
    printed_low: str = ""
    printed_high: str = ""


@dataclass(frozen=True, slots=True)
class Exposure:
    """How far the numbers of one slice may be shown.

    Attributes:
        n_questions: size of the slice, None where it is not known (published rows).
        withheld: why nothing of the slice is shown; None where it is.
        is_full: the slice holds every question of the track.
    """

    answers: Answers
    n_questions: int | None = None
    withheld: str | None = None
    is_full: bool = False

    @property
    def shows_size(self) -> bool:
        """Whether the slice's size may be told: it may depend on what a system got right."""
        return self.withheld is None and (self.is_full or self.answers != "hidden")

    @property
    def step(self) -> float:
        """What values and bounds are rounded to: no output pins a count down further."""
        if self.answers != "hidden":
            return SHOWN_STEP
        return max(HIDDEN_STEP, 1.0 / self.n_questions) if self.n_questions else HIDDEN_STEP


@dataclass(frozen=True, slots=True)
class Shown:
    """A number as it may leave the house.

    Attributes:
        value, low, high: fractions, rounded as the texts are.
        text: percent, or signed percentage points of a difference.
        interval_text: `56.1 – 60.2`; empty where there is no interval.
        n: None where it would tell how many answers were right.
    """

    value: float | None
    low: float | None
    high: float | None
    text: str
    interval_text: str
    n: int | None
    reason: str | None
    interval_reason: str | None


def withheld_slices(answers: Answers, sizes: Mapping[str, int]) -> dict[str, str]:
    """Slices of which nothing is shown, each with its reason.

    A slice is shown if it holds 100 questions and if no shown slice, less any
    choice of the others, leaves between 1 and 99. Only sizes are known, so
    slices are taken to nest in the worst way; where they nest or are disjoint,
    no sum or difference of shown slices speaks of fewer than 100 questions.

    Args:
        sizes: questions by slice in display order; earlier slices go first.
    """
    if answers != "hidden":
        return {}
    withheld: dict[str, str] = {}
    shown: list[int] = []
    for slug, size in sizes.items():
        if size < MIN_COUNTED:
            withheld[slug] = SMALL
        elif _singles_out([*shown, size]):
            withheld[slug] = COMPLEMENT
        else:
            shown.append(size)
    return withheld


def disclose(number: Number, exposure: Exposure, *, averages_classes: bool = False) -> Shown:
    """What may be shown of a score.

    Args:
        averages_classes: `n` counts classes, not questions or labels.
    """
    if number.printed and number.value is not None:
        return _as_printed(number)
    if exposure.withheld is not None:
        return nothing(exposure.withheld)
    if number.value is None:
        return nothing(number.reason or "no value")
    n = number.n
    if exposure.answers == "hidden":
        if n is not None and n < MIN_COUNTED and not averages_classes:
            return nothing(SMALL)
        # A count of wrong picks or of found people is itself an exact score.
        n = n if exposure.shows_size and n == exposure.n_questions else None
    return _rounded(number, number.value, exposure, n, sign="")


def disclose_difference(number: Number, exposure: Exposure) -> Shown:
    """What may be shown of a paired difference, in signed percentage points."""
    if exposure.withheld is not None:
        return nothing(exposure.withheld)
    if number.value is None:
        return nothing(number.reason or "no value")
    return _rounded(number, number.value, exposure, None, sign="+")


def nothing(reason: str) -> Shown:
    """An empty place with its reason; it sorts last."""
    return Shown(
        value=None,
        low=None,
        high=None,
        text=NOTHING,
        interval_text="",
        n=None,
        reason=reason,
        interval_reason=reason,
    )


def round_to(value: float, step: float) -> float:
    """The multiple of `step` next to `value`, free of dust beyond the eighth decimal."""
    return round(round(value / step) * step, 8)


def percent(fraction: float, decimals: int = 2, sign: str = "") -> str:
    """Percent text of a fraction, with a true minus; `sign` stands before positive numbers."""
    text = f"{abs(fraction) * 100:.{decimals}f}"
    if float(text) == 0.0:
        return text
    return (MINUS if fraction < 0 else sign) + text


def _rounded(number: Number, value: float, exposure: Exposure, n: int | None, sign: str) -> Shown:
    is_hidden = exposure.answers == "hidden"
    bounds = None
    if number.low is not None and number.high is not None:
        bounds = (_grained(number.low, exposure), _grained(number.high, exposure))
    shown = _grained(value, exposure)
    return Shown(
        value=shown,
        low=bounds[0] if bounds else None,
        high=bounds[1] if bounds else None,
        text=percent(shown, 1 if is_hidden else 2, sign),
        interval_text=" – ".join(percent(bound, 1, sign) for bound in bounds) if bounds else "",
        n=n,
        reason=None,
        interval_reason=None if bounds else number.interval_reason,
    )


def _grained(value: float, exposure: Exposure) -> float:
    # A step such as 1/137 is rounded once more, to the tenth of a point that is printed.
    grain = HIDDEN_STEP if exposure.answers == "hidden" else SHOWN_STEP
    return round_to(round_to(value, exposure.step), grain)


def _as_printed(number: Number) -> Shown:
    """A published number: its own digits, an interval only where one was printed."""
    has_interval = bool(number.printed_low and number.printed_high)
    return Shown(
        value=number.value,
        low=number.low if has_interval else None,
        high=number.high if has_interval else None,
        text=number.printed.replace("-", MINUS),
        interval_text=(
            f"{number.printed_low} – {number.printed_high}".replace("-", MINUS)
            if has_interval
            else ""
        ),
        n=number.n,
        reason=None,
        interval_reason=None if has_interval else NOT_PRINTED,
    )


def _singles_out(sizes: Sequence[int]) -> bool:
    """Whether one size less a sum of others can lie between 1 and 99."""
    for position, size in enumerate(sizes):
        # Bit s of `sums` says that some choice of the other slices sums to s.
        sums = 1
        for other in [*sizes[:position], *sizes[position + 1 :]]:
            sums |= sums << other
        window = (sums >> max(size - MIN_COUNTED + 1, 0)) & ((1 << (MIN_COUNTED - 1)) - 1)
        if window:
            return True
    return False
