"""The child: validates and scores within limits, with open files for keys and nothing else.

It is started with an empty environment, reads one request and writes JSON lines.
It knows no database, no store and no address. What goes wrong is told by kind and
place; messages stay here, since they could quote truth.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from evaluator.bundle import Benchmark, Bundle
from evaluator.errors import BundleInvalid, DrawsChanged, PredictionsInvalid
from evaluator.family import Trivial
from evaluator.likeness import Fingerprint, fingerprint_bytes
from evaluator.outcome import Outcome
from evaluator.scorecard import Scorecard
from evaluator.scoring import (
    NO_VALUE,
    family_of,
    point_values,
    score_outcome,
    validate_predictions,
)

Json = dict[str, Any]  # a line of the protocol
Progress = Callable[[int, int], None]

MAX_OUTCOME_BYTES = 1024 * 1024 * 1024
N_STEPS = 3  # read and checked, matched, counted
FILES_BETWEEN_REPORTS = 50


def main() -> None:
    """Answer the request on standard input; end when the parent ends."""
    # What a library prints must not reach the protocol.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(line: Json) -> None:
        answers.write(json.dumps(line) + "\n")
        answers.flush()

    request: Json = json.loads(sys.stdin.readline())
    _limit(request["memory_bytes"], request["cpu_seconds"])
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        say(_answer(request, lambda done, total: say({"progress": [done, total]})))
    except MemoryError:
        say({"fault": "memory"})
    except (BundleInvalid, DrawsChanged) as error:
        say({"fault": "version", **_place(error)})
    except Exception as error:  # noqa: BLE001  # the rim: told by kind and place
        say({"fault": "internal", **_place(error)})


def _answer(request: Json, progress: Progress) -> Json:
    files: Mapping[str, int] = request["files"]
    bundle = Bundle(
        benchmark=msgspec.convert(request["definition"], type=Benchmark),
        questions=_read(files["questions"]),
        truth=_read(files["truth"]),
    )
    track: str = request["track"]
    answers: Fingerprint | None = None
    if request["trivial"]:
        card, outcome = _score_trivial(bundle, track, request["trivial"], progress)
    else:
        try:
            card, outcome, answers = _score(bundle, track, _read(files["predictions"]), progress)
        except PredictionsInvalid as invalid:
            problems = msgspec.to_builtins(invalid.problems)
            return {"problems": problems, "n_problems": invalid.n_problems}
    if outcome is not None:
        _write(files["outcome"], outcome.to_bytes())
    if answers is not None:
        _write(files["answers"], fingerprint_bytes(answers))
    return {
        "card": msgspec.to_builtins(card),
        "has_outcome": outcome is not None,
        "has_answers": answers is not None,
    }


def _score(
    bundle: Bundle, track: str, data: bytes, progress: Progress
) -> tuple[Scorecard, Outcome, Fingerprint]:
    family, rules = family_of(bundle.benchmark), bundle.benchmark.rules
    progress(0, N_STEPS)
    predictions = validate_predictions(bundle, track, data)
    progress(1, N_STEPS)
    outcome = family.match(bundle, track, predictions, rules)
    progress(2, N_STEPS)
    card = score_outcome(bundle.benchmark, track, outcome, draws=0)
    answers = family.fingerprint(bundle, track, predictions, rules)
    progress(3, N_STEPS)
    return card, outcome, answers


def _score_trivial(
    bundle: Bundle, track: str, slug: str, progress: Progress
) -> tuple[Scorecard, Outcome | None]:
    """The scorecard of a row without a model; without outcome where it is a mean of files."""
    family = family_of(bundle.benchmark)
    trivial: Trivial = next(row for row in family.trivial if row.slug == slug)
    outcomes = trivial.outcomes(bundle, track)
    first = next(outcomes)
    card = score_outcome(bundle.benchmark, track, first, draws=0)
    second = next(outcomes, None)
    if second is None:
        return card, first
    addresses = family.addresses(first, track)
    total, n_defined, n_files = np.zeros(len(addresses)), np.zeros(len(addresses)), 0
    for outcome in _reported(chain([first, second], outcomes), progress):
        values = point_values(family, outcome, addresses)
        total += np.nan_to_num(values)
        n_defined += ~np.isnan(values)
        n_files += 1
    why = f"the mean of {n_files:,} files of chance"
    scores = [
        msgspec.structs.replace(
            score,
            value=float(total[column] / n_defined[column]) if n_defined[column] else None,
            reason=None if n_defined[column] else NO_VALUE,
            interval_reason=why if n_defined[column] else None,
        )
        for column, score in enumerate(card.scores)
    ]
    return msgspec.structs.replace(card, scores=tuple(scores)), None


def _reported(outcomes: Iterator[Outcome], progress: Progress) -> Iterator[Outcome]:
    for number, outcome in enumerate(outcomes, start=1):
        if number % FILES_BETWEEN_REPORTS == 0:
            progress(number, 0)  # how many there will be, only the row knows
        yield outcome


def _read(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def _write(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def _limit(memory_bytes: int, cpu_seconds: int) -> None:
    for kind, limit in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, MAX_OUTCOME_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        resource.setrlimit(kind, (limit, hard))


def _end_with_parent() -> None:
    # The parent holds the other end of standard input and writes nothing more.
    sys.stdin.read()
    os._exit(0)


def _place(error: BaseException) -> Json:
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    return {
        "kind": type(error).__name__,
        "at": [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames],
    }


if __name__ == "__main__":
    main()
