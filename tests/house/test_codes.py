"""The list of codes is closed both ways: what is raised is listed, what is listed is raised."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from portal.codes import CODES, OWNERS
from portal.codes.page import page
from portal.evaluations import failures

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    "evaluator",
    "platform/portal",
    "platform/plumbline",
    "worker",
    "frontend_gradio",
    "infra",
)
LIST = ROOT / "platform/portal/codes"
OF_FAILURES = ROOT / "platform/portal/evaluations/failures.py"
CORPUS = ROOT / "../shared/data/corpus/manifest.json"

DOTTED = re.compile(rf"(?:{'|'.join(OWNERS)})\.[A-Za-z_]+\Z")
WORD = re.compile(r"[A-Z][A-Z_]{2,}\Z")
# Who takes a code, and at which place; any of them may also be given it as `code=`.
TAKES_CODE = {
    "Fault": (),
    "PolicyRefused": (),
    "Unavailable": (0,),
    "_Fault": (0,),
    "answer_problem": (2,),
    "code_of": (0,),
    "fault": (1,),
    "problem_response": (0,),
    "refusal_of": (0,),
}
TAKES_WORD = {"Broken": (1,), "Problem": (0,), "add": (0,), "refuse": (0,)}

# What the corpus names and no family of today refuses: answers are sets.
NOT_RAISED = {"input.DUPLICATE_VALUE"}


def raised_in(source: str, place: str = "planted") -> set[str]:
    """The codes that a module gives to whatever refuses or fails, as they stand there."""
    return set(_raised(ast.parse(source, place)))


def _raised(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and _is(DOTTED, node) and not _is_module(node.value):
            yield node.value
        elif isinstance(node, ast.Call):
            yield from _given(node)
        elif isinstance(node, ast.ClassDef):
            yield from _fixed(node)


def _given(call: ast.Call) -> Iterator[str]:
    callee = call.func
    name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
    named = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
    for takes, is_word in ((TAKES_CODE, False), (TAKES_WORD, True)):
        if name not in takes:
            continue
        placed = [call.args[at] for at in takes[name] if at < len(call.args)]
        for value in (*placed, *named):
            if is_word and _is(WORD, value):
                yield f"input.{value.value}"  # type: ignore[attr-defined]  # a constant
            elif not is_word and isinstance(value, ast.Constant) and "." in str(value.value):
                yield str(value.value)


def _fixed(kind: ast.ClassDef) -> Iterator[str]:
    """The code that a class of errors fixes for all of its kind."""
    for statement in kind.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            names = {getattr(target, "id", "") for target in statement.targets}
            value = str(statement.value.value)
            if "code" in names and "." in value:
                yield value


def _is(form: re.Pattern[str], node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and form.match(node.value) is not None
    )


def _is_module(text: object) -> bool:
    """`infra.seed` looks like a code and names a module."""
    place = ROOT / str(text).replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").exists()


def sources() -> Iterable[Path]:
    for part in SOURCES:
        for file in sorted((ROOT / part).rglob("*.py")):
            if LIST not in file.parents and file != OF_FAILURES:
                yield file


@pytest.fixture(scope="module")
def raised() -> dict[str, str]:
    """Every code that the source raises, with a file that does."""
    constants = {
        name: value
        for name, value in vars(failures).items()
        if isinstance(value, str) and value in CODES
    }
    found: dict[str, str] = {}
    for file in sources():
        source = file.read_text()
        place = str(file.relative_to(ROOT))
        found |= dict.fromkeys(raised_in(source, place), place)
        used = {name for name in constants if re.search(rf"\b{name}\b", source)}
        found |= {constants[name]: place for name in used}
    return found


def test_what_is_raised_is_on_the_list(raised: dict[str, str]) -> None:
    assert {code: file for code, file in raised.items() if code not in CODES} == {}


def test_what_is_on_the_list_is_raised(raised: dict[str, str]) -> None:
    assert set(CODES) - set(raised) == NOT_RAISED


@pytest.mark.parametrize(
    ("planted", "code"),
    [
        ('raise PolicyRefused("No.", code="policy.planted")', "policy.planted"),
        ('refused = PolicyRefused(wanted, code="quota.spent")', "quota.spent"),
        ('class Late(PortalError):\n    code = "auth.late"', "auth.late"),
        ('await answer_problem(scope, send, "board.http_404", "No.")', "board.http_404"),
        ('return problem_response("request.malformed", "No.")', "request.malformed"),
        ('raise Unavailable("infra.planted")', "infra.planted"),
        ('LOST = "scorer.planted"', "scorer.planted"),
        ('self.problems.add("PLANTED", at, found, wanted)', "input.PLANTED"),
        ('Problem(code="PLANTED", where="")', "input.PLANTED"),
        ('return Broken(offset, "PLANTED", found, wanted)', "input.PLANTED"),
    ],
)
def test_a_code_that_is_not_listed_is_found(planted: str, code: str) -> None:
    assert code in raised_in(f"async def f():\n    {planted}" if "await" in planted else planted)
    assert code not in CODES


def test_words_that_are_no_codes_are_left_alone() -> None:
    harmless = 'normalize("NFKC", text)\nadd("lower")\nlogging.getLogger("portal.tracing")'
    assert raised_in(harmless) == set()


def test_every_code_has_an_owner_and_words_for_people() -> None:
    assert list(OWNERS) == ["input", "policy", "model", "infra", "scorer"]
    for code, entry in CODES.items():
        assert DOTTED.match(code), code
        assert entry.title and entry.meaning.endswith(".") and entry.remedy.endswith("."), code
        assert "/work" not in entry.meaning + entry.remedy
        assert (entry.status is None or entry.status >= 500) or entry.fault == "yours", code
        assert entry.status != 503 or entry.retry_after, code


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not at ../shared")
def test_the_words_of_the_corpus_are_codes_of_input() -> None:
    words = json.loads(CORPUS.read_text())["codes"]
    assert {f"input.{word}" for word in words} <= set(CODES)


def test_codes_of_failures_are_on_the_list() -> None:
    assert set(failures.FAILURES) <= set(CODES)
    assert {CODES[code].fault for code in failures.FAILURES} == {"ours"}


def test_the_page_of_codes_is_up_to_date() -> None:
    kept = (ROOT / "docs/codes.md").read_text()
    assert kept == page(), "write it again: python -m portal.codes"


def test_the_documentation_names_no_code_that_is_not_listed() -> None:
    for file in (ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").rglob("*.md")):
        quoted = re.findall(r"`([a-z]+\.[A-Za-z_]+)`", file.read_text())
        codes = {code for code in quoted if DOTTED.match(code) and not _is_module(code)}
        assert codes <= set(CODES), file
