"""Things that tests need: users, a small benchmark, files of answers."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import connection

from evaluator.bundle import (
    Benchmark,
    BootstrapPlan,
    Bundle,
    LabelClass,
    Reference,
    TrackPlan,
    json_lines,
    write_bundle,
)
from evaluator.scorecard import Score, Scorecard
from evaluator.statistics.bootstrap import weights_digest
from portal import services
from portal.accounts.models import User
from portal.benchmarks.models import BenchmarkVersion
from portal.evaluations import transitions
from portal.services import Accepted, ScoringBrief
from portal.submissions.models import Submission

if TYPE_CHECKING:
    from tests.conftest import Stores

CLASSES = (
    "ride bicycle",
    "hold bicycle",
    "walk bicycle",
    "repair bicycle",
    "feed horse",
    "ride horse",
)
N_IMAGES = 12
TRACKS = ("all-people", "target-box")
DRAWS = 200

_numbers = itertools.count(1)

Picker = Callable[[int], list[str]]


def user(username: str = "", **fields: Any) -> User:
    """A person with the password `secret`."""
    name = username or f"person-{next(_numbers)}"
    return User.objects.create_user(name, password="secret", **fields)


def choices(number: int) -> list[str]:
    """Four choices of question `number`, another order in each."""
    turned = [CLASSES[(number + step) % len(CLASSES)] for step in range(4)]
    return turned


def right(number: int) -> list[str]:
    """The right letters of question `number`: one or two, at every position alike."""
    first = number % 4
    return sorted({"ABCD"[first], "ABCD"[(first + (number // 4) % 3) % 4]})


def bundle(
    name: str = "tiny-hoi",
    version: str = "1",
    n_images: int = N_IMAGES,
    references: tuple[Reference, ...] = (),
    answers: str = "public",
) -> Bundle:
    """A sound bundle of two tracks, one question per image and track."""
    questions, truth = [], []
    for track in TRACKS:
        for number in range(n_images):
            head = {"track": track, "id": f"q{number:04d}"}
            box = {"person_box": [1, 1, 50, 90]} if track == "target-box" else {}
            questions.append(
                {**head, "image": f"{number:04d}.jpg", "choices": choices(number), **box}
            )
            truth.append({**head, "right": right(number), "scene": "one-person"})
    plan = Benchmark(
        name=name,
        title="Tiny HOI",
        family="hoi_choice",
        version=version,
        tracks=tuple(
            TrackPlan(slug=track, title=track.capitalize(), answers=answers)  # type: ignore[arg-type]
            for track in TRACKS
        ),
        rules="paper",
        cluster="image",
        bootstrap=BootstrapPlan(
            draws=DRAWS, seed=1, weights_sha256=weights_digest(n_images, DRAWS, 1)
        ),
        classes=tuple(
            LabelClass(name=label, id=number, train_instances=10 * number + 1)
            for number, label in enumerate(CLASSES, start=1)
        ),
        description="Twelve questions about bicycles and horses.",
    )
    return Bundle(
        benchmark=plan,
        questions=json_lines(questions),
        truth=json_lines(truth),
        references=references,
    )


def reference(system: str = "HOLa", value: str = "51.30", **fields: str) -> Reference:
    """A published number on the first track."""
    row: dict[str, Any] = {
        "track": TRACKS[0],
        "slice": "all",
        "metric": "macro_f1",
        "low": "",
        "high": "",
        "kind": "reported",
        "facets": {"kind": "hoi-specific"},
        "source": "Table 2",
        **fields,
    }
    return Reference(system=system, value=value, **row)


def folder(path: Path, content: Bundle | None = None) -> Path:
    """The bundle written into a new folder below `path`."""
    place = path / f"bundle-{next(_numbers)}"
    write_bundle(content or bundle(), place)
    return place


def version(
    path: Path,
    stores: Stores,
    content: Bundle | None = None,
    *,
    is_open: bool = True,
    with_trivial: bool = False,
) -> BenchmarkVersion:
    """The bundle loaded as a maintainer does, and opened.

    Args:
        with_trivial: leave the rows without a model in the queue; a thousand
            files of chance take seconds.
    """
    with stores.acting_as("maintain"):
        loaded = services.load_bundle(
            folder=folder(path, content), actor="maintainer", open_now=is_open
        )
    if not with_trivial:
        trivial = Submission.objects.filter(source=Submission.Source.TRIVIAL)
        for submission_id in trivial.values_list("id", flat=True):
            transitions.withdraw_unfinished(submission_id, actor="the test")
    return BenchmarkVersion.objects.get(id=loaded.version_id)


def predictions(
    pick: Picker = right,
    *,
    address: str = "tiny-hoi@1",
    track: str = TRACKS[0],
    n_images: int = N_IMAGES,
) -> bytes:
    """A predictions file whose answers are what `pick` says of each question."""
    items = [
        {"question_id": f"q{number:04d}", "answer": pick(number)} for number in range(n_images)
    ]
    return json.dumps({"benchmark": address, "track": track, "predictions": items}).encode()


def submit(
    person: User,
    data: bytes | None = None,
    *,
    benchmark: str = "tiny-hoi",
    track: str = TRACKS[0],
    system: str = "Tester 7B",
    key: str | None = None,
    facets: Mapping[str, str] | None = None,
    publish: bool = False,
) -> Accepted:
    """The services' answer to an upload."""
    return services.submit_predictions(
        user=person,
        benchmark=benchmark,
        track=track,
        system=system,
        file=io.BytesIO(predictions(track=track) if data is None else data),
        file_name="predictions.json",
        idempotency_key=key,
        facets=facets,
        publish=publish,
    )


def claim() -> ScoringBrief:
    """The next evaluation that waits, claimed."""
    brief = services.begin_scoring(worker="w:1")
    assert brief is not None
    return brief


def score(brief: ScoringBrief) -> None:
    """A made-up score for what was claimed; nothing is computed."""
    card = Scorecard(
        benchmark="tiny-hoi@1",
        track=brief.track,
        evaluator="1",
        rules="paper",
        draws=0,
        seed=1,
        level=0.95,
        scores=(Score(slice="all", metric="macro_f1", value=0.5, n=1, n_clusters=1),),
    )
    assert services.record_scorecard(
        evaluation_id=brief.evaluation_id,
        attempt=brief.attempt,
        card=card,
        outcome_digest="",
        intervals_follow=False,
    )


MIDNIGHT = "date_trunc('day', now(), 'UTC')"  # the last one, by the database's clock


def moved(submission_id: UUID, to: str) -> None:
    """Let a submission have been sent at another moment, an SQL expression."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # the table changes below
        cursor.execute("ALTER TABLE submissions_submission DISABLE TRIGGER submission_stays")
        cursor.execute(
            f"UPDATE submissions_submission SET created_at = {to} WHERE id = %s", [submission_id]
        )
        cursor.execute("ALTER TABLE submissions_submission ENABLE TRIGGER submission_stays")
