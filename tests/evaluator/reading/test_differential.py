"""The fast reader and the plain one say the same of every file."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.errors import PredictionsInvalid
from evaluator.reading import structure
from evaluator.reading.strict import parse
from tests.evaluator.reading import plain
from tests.evaluator.reading.mutations import TOKENS, mutate, seeds

# Small, so that mutations of small files reach them.
LIMITS = {"max_depth": 6, "max_weight": 60, "max_string_bytes": 60}
CHUNKS = (1, 2, 3, 7, 64, 1 << 18)
MAX_PROBLEMS = 20

Reader = Callable[[bytes], plain.Reading]


def fast(data: bytes) -> plain.Reading:
    try:
        parsed = parse(data, **LIMITS)
    except PredictionsInvalid as invalid:
        places = [(problem.code, problem.where) for problem in invalid.problems]
        assert invalid.n_problems >= len(places)
        return plain.Reading(problems=places)
    return plain.Reading(parsed.value, parsed.lines)


def slow(data: bytes) -> plain.Reading:
    reading = plain.read(data, **LIMITS)
    if reading.problems:
        return plain.Reading(problems=reading.problems[:MAX_PROBLEMS])
    return reading


def disagree(data: bytes, first: Reader, second: Reader) -> bool:
    """Do two readers differ in value, type of a value, lines, codes or places?"""
    return repr(first(data)) != repr(second(data))


def cases(seed: int) -> Iterator[bytes]:
    """Endless mutations; the chunk size of the fast reader changes on the way."""
    rng = random.Random(seed)
    pool = seeds()
    yield from pool
    while True:
        yield mutate(rng, rng.choice(pool), pool)


@pytest.fixture(params=CHUNKS)
def chunk_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Read in chunks so small that every rule meets their edges."""
    monkeypatch.setattr(structure, "CHUNK", request.param)
    return int(request.param)


def search(chunk_bytes: int, first: Reader, *, n_cases: int, seconds: float) -> bytes | None:
    """The first file on which `first` and the plain reader disagree."""
    stop = time.monotonic() + seconds
    for number, data in enumerate(cases(chunk_bytes)):
        if disagree(data, first, slow):
            return data
        if number >= n_cases or time.monotonic() > stop:
            return None
    return None


def test_mutated_files_are_read_alike(chunk_bytes: int) -> None:
    assert search(chunk_bytes, fast, n_cases=400, seconds=5) is None


@pytest.mark.slow
def test_mutated_files_are_read_alike_for_a_minute(chunk_bytes: int) -> None:
    assert search(chunk_bytes + 1000, fast, n_cases=10**9, seconds=60 / len(CHUNKS)) is None


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=12).map(b"".join))
def test_strings_of_tokens_are_read_alike(data: bytes) -> None:
    assert repr(fast(data)) == repr(slow(data))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(-(2**53), 2**53)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(json_values, st.sampled_from([None, 1]), st.booleans())
def test_what_the_library_writes_is_read_alike(
    value: object, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps([value], indent=indent, ensure_ascii=ascii_only)
    data = text.encode(errors="surrogatepass")
    assert repr(fast(data)) == repr(slow(data))


def _blind_to(code: str) -> Reader:
    """A reader with a planted fault: it never reports that code."""

    def reader(data: bytes) -> plain.Reading:
        reading = slow(data)
        kept = [problem for problem in reading.problems if problem[0] != code]
        return plain.Reading(reading.value, reading.lines, kept)

    return reader


@pytest.mark.parametrize(
    "code",
    ["SYNTAX", "NUMBER", "STRING", "DUPLICATE_KEY", "DEPTH", "COUNT", "ENCODING", "TOP_LEVEL"],
)
def test_the_search_finds_a_planted_fault(code: str) -> None:
    assert search(1, _blind_to(code), n_cases=3000, seconds=20) is not None


def test_the_search_finds_a_key_that_slips_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting keys is what tells a repeated one: without the count the fuzz must notice."""
    monkeypatch.setattr("evaluator.reading.strict._count_keys", lambda value: 0)
    monkeypatch.setattr("evaluator.reading.strict.COLON", ord("\x01"))
    assert search(7, fast, n_cases=3000, seconds=20) is not None
