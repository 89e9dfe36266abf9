"""The child: its answers, its limits, and what it is not told."""

from __future__ import annotations

import os
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
import pytest

from evaluator.likeness import read_fingerprint
from evaluator.outcome import Outcome
from evaluator.scorecard import Scorecard
from portal.services import failures
from tests import factories
from worker import sandbox
from worker.sandbox import Limits, NotOursAnyMore, ScoringFailed, run_child

LIMITS = Limits(memory_bytes=1536 * 1024 * 1024, cpu_seconds=60, wall_seconds=60)
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run() -> Iterator[Run]:
    """(predictions, limits, …) -> the child's answer."""
    opened: list[BinaryIO] = []

    def file(content: bytes) -> BinaryIO:
        opened.append(cast(BinaryIO, tempfile.TemporaryFile()))  # noqa: SIM115
        opened[-1].write(content)
        opened[-1].flush()
        return opened[-1]

    def run(
        predictions: bytes = b"",
        *,
        limits: Limits = LIMITS,
        trivial: str = "",
        is_ours: Callable[[], bool] = lambda: True,
        steps: list[tuple[int, int]] | None = None,
    ) -> dict[str, Any]:
        content = factories.bundle()
        files = {
            "questions": file(content.questions),
            "truth": file(content.truth or b""),
            "predictions": file(predictions),
            "outcome": file(b""),
            "answers": file(b""),
        }
        answer = run_child(
            {
                "definition": msgspec.to_builtins(content.benchmark),
                "track": "all-people",
                "trivial": trivial,
            },
            files,
            limits=limits,
            on_progress=lambda *step: steps.append(step) if steps is not None else None,
            is_ours=is_ours,
        )
        written = {}
        for name in ("outcome", "answers"):
            files[name].seek(0)
            written[name] = files[name].read()
        return {**answer, **written}

    yield run
    for each in opened:
        each.close()


@pytest.fixture
def imposter(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """(body) -> the child runs this code instead of scoring, within the same limits."""

    def replace(body: str) -> None:
        code = textwrap.dedent(body)
        boot = (
            "import sys; sys.path.insert(0, sys.argv[1]); import worker.child as child\n"
            f"def answer(request, progress):\n{textwrap.indent(code, '    ')}\n"
            "child._answer = answer; child.main()"
        )
        monkeypatch.setattr(sandbox, "BOOT", boot)

    return replace


def test_perfect_answers_score_one(run: Run) -> None:
    steps: list[tuple[int, int]] = []
    answer = run(factories.predictions(), steps=steps)
    card = msgspec.convert(answer["card"], type=Scorecard)
    assert card.score("all", "exact_match").value == 1.0
    assert Outcome.from_bytes(answer["outcome"]).n_clusters == factories.N_IMAGES
    assert answer["has_answers"]
    assert read_fingerprint(answer["answers"]).all()
    assert steps[-1] == (3, 3)


def test_faults_of_the_file_come_back_as_problems(run: Run) -> None:
    answer = run(b'{"predictions": [')
    assert answer["n_problems"] >= 1
    assert {"code", "where", "found", "wanted", "hint"} == set(answer["problems"][0])
    assert answer["outcome"] == answer["answers"] == b""


def test_row_of_chance_is_a_mean_without_outcome(run: Run) -> None:
    answer = run(trivial="random")
    card = msgspec.convert(answer["card"], type=Scorecard)
    score = card.score("all", "recall")
    assert score.value is not None and 0.45 < score.value < 0.55
    assert "files of chance" in (score.interval_reason or "")
    assert not answer["has_outcome"] and not answer["has_answers"]


def test_memory_is_limited(run: Run, imposter: Callable[[str], None]) -> None:
    imposter("return {'card': bytearray(3 << 30)}")
    with pytest.raises(ScoringFailed) as failed:
        run()
    assert failed.value.code == failures.SCORER_MEMORY


def test_cpu_time_is_limited(run: Run, imposter: Callable[[str], None]) -> None:
    imposter("while True: pass")
    with pytest.raises(ScoringFailed) as failed:
        run(limits=Limits(LIMITS.memory_bytes, cpu_seconds=2, wall_seconds=60))
    assert failed.value.code == failures.SCORER_TIME


def test_wall_clock_is_limited(run: Run, imposter: Callable[[str], None]) -> None:
    imposter("import time; time.sleep(60)")
    began = time.monotonic()
    with pytest.raises(ScoringFailed) as failed:
        run(limits=Limits(LIMITS.memory_bytes, cpu_seconds=60, wall_seconds=1))
    assert failed.value.code == failures.SCORER_TIME
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "body", ["import os; os.abort()", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"]
)
def test_crash_is_told_from_the_outside(
    run: Run, imposter: Callable[[str], None], body: str
) -> None:
    imposter(body)
    with pytest.raises(ScoringFailed) as failed:
        run()
    assert failed.value.code == failures.SCORER_CRASHED


def test_fault_is_told_without_its_message(run: Run, imposter: Callable[[str], None]) -> None:
    imposter("raise KeyError('GTCANARY_1')")
    with pytest.raises(ScoringFailed, match="KeyError") as failed:
        run()
    assert failed.value.code == failures.INTERNAL
    assert "GTCANARY" not in str(failed.value)


def test_child_knows_no_environment_and_no_other_file(
    run: Run, imposter: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    imposter(
        """
        import os, sys
        known = sorted(name for name in os.environ if name in ("DATABASE_URL", "HOME", "PATH"))
        loaded = [name for name in ("django", "portal", "celery", "boto3") if name in sys.modules]
        return {"card": {"known": known, "loaded": loaded}, "has_outcome": False}
        """
    )
    assert run()["card"] == {"known": [], "loaded": []}


def test_lost_claim_ends_the_child(run: Run, imposter: Callable[[str], None]) -> None:
    imposter("import time; time.sleep(60)")
    with pytest.raises(NotOursAnyMore):
        run(is_ours=lambda: False)


def test_child_ends_with_its_parent(
    run: Run, imposter: Callable[[str], None], tmp_path: Path
) -> None:
    """A parent that is killed closes standard input without a word."""
    noted = tmp_path / "pid"
    imposter(f"import os, time; open({str(noted)!r}, 'w').write(str(os.getpid())); time.sleep(60)")
    parent = os.fork()
    if parent == 0:
        run()
        os._exit(0)
    while not (noted.exists() and noted.read_text()):
        time.sleep(0.02)
    os.kill(parent, 9)
    os.waitpid(parent, 0)
    child = Path(f"/proc/{noted.read_text()}/status")
    for _ in range(200):
        if not child.exists() or "State:\tZ" in child.read_text():
            return
        time.sleep(0.02)
    pytest.fail("the child outlived its parent")
