"""A small site with boards: two tracks, entrants, published and trivial rows, all scored here.

Its truth is marked with canaries: no answer of the site may ever hold one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
from django.core.management import call_command

from evaluator.bundle import (
    Benchmark,
    BootstrapPlan,
    Bundle,
    LabelClass,
    Reference,
    ReferenceDifference,
    TrackPlan,
    json_lines,
    write_bundle,
)
from evaluator.errors import PredictionsInvalid
from evaluator.families import FAMILIES
from evaluator.outcome import Outcome
from evaluator.scorecard import Scorecard
from evaluator.scoring import match_predictions, score_outcome
from evaluator.statistics.bootstrap import weights_digest
from portal import services
from portal.accounts.models import User
from portal.evaluations.models import Evaluation
from portal.exchange import queue
from portal.exchange.storage import open_store
from portal.services import ScoringBrief
from tests.conftest import Stores
from worker.boards import complete_intervals, rebuild_board

NAME, VERSION = "tiny-hoi", "1"
PUBLIC, HIDDEN = "all-people", "target-box"
CANARY = "GTCANARY"
LETTERS = "ABCD"
N_IMAGES, N_DRAWS = 130, 200
CLASSES = [f"{verb} {thing}" for verb in ("hold", "ride", "wash", "watch") for thing in
           ("cup", "horse", "car", "kite")]  # fmt: skip

Questions = list[dict[str, Any]]


def bundle() -> Bundle:
    """260 questions a track, two an image; each with one or two right choices."""
    chance = random.Random(7)
    questions: Questions = []
    truths: list[dict[str, Any]] = []
    for track in (PUBLIC, HIDDEN):
        for number in range(2 * N_IMAGES):
            asked = {
                "track": track,
                "id": f"q{number:03d}",
                "image": f"{number // 2:03d}.jpg",
                "choices": chance.sample(CLASSES, 4),
            }
            told = {
                "track": track,
                "id": asked["id"],
                "right": sorted(chance.sample(LETTERS, chance.choice((1, 1, 2)))),
                "others": [f"{CANARY}_{number}"],
                "scene": "one-person" if number < 60 else "different-hoi",
            }
            if track == HIDDEN:
                asked["person_box"] = [1.0, 2.0, 30.0, 40.0]
            questions.append(asked)
            truths.append(told)
    benchmark = Benchmark(
        name=NAME,
        title="Tiny HOI",
        family="hoi_choice",
        version=VERSION,
        tracks=(
            TrackPlan(slug=PUBLIC, title="All people", answers="public"),
            TrackPlan(slug=HIDDEN, title="Target box", answers="hidden", note="Hidden answers"),
        ),
        rules="paper",
        cluster="image",
        bootstrap=BootstrapPlan(
            draws=N_DRAWS, seed=5, weights_sha256=weights_digest(N_IMAGES, N_DRAWS, 5)
        ),
        classes=tuple(
            LabelClass(name=name, groups=("rare",) if "kite" in name else ("non-rare",))
            for name in CLASSES
        ),
        licence="CC0-1.0",
        notes=("Made for tests.",),
    )
    return Bundle(
        benchmark=benchmark,
        questions=json_lines(questions),
        truth=json_lines(truths),
        references=(
            reference("Printed-7B", "macro_f1", "61.2", low="58.0", high="64.1"),
            reference("Printed-7B", "micro_f1", "70"),
            reference("People", "macro_f1", "97.5", kind="human"),
        ),
        differences=(
            ReferenceDifference(
                PUBLIC, "all", "Printed-7B", "Other", "macro_f1", "1.2", "-0.3", "2.7", "Table 9"
            ),
        ),
    )


def reference(
    system: str, metric: str, value: str, *, low: str = "", high: str = "", kind: str = "reported"
) -> Reference:
    return Reference(
        track=PUBLIC,
        slice="all",
        system=system,
        metric=metric,
        value=value,
        low=low,
        high=high,
        kind=kind,  # type: ignore[arg-type]
        facets={"kind": "vlm-zero-shot"},
        source="Table 1",
    )


def predictions(track: str, skill: float, seed: int) -> bytes:
    """A lawful file that is right with probability `skill`, else picks one letter at random."""
    chance = random.Random(seed)
    made = bundle()
    right = {
        item["id"]: item["right"]
        for item in map(msgspec.json.decode, (made.truth or b"").splitlines())
        if item["track"] == track
    }
    items = [
        {
            "question_id": id_,
            "answer": letters if chance.random() < skill else [chance.choice(LETTERS)],
        }
        for id_, letters in right.items()
    ]
    return msgspec.json.encode(
        {"benchmark": f"{NAME}@{VERSION}", "track": track, "predictions": items}
    )


@dataclass(frozen=True, slots=True)
class Site:
    """What a test needs to know of the site; its stores are not those of the test."""

    stores: Stores

    version_id: UUID
    users: Mapping[str, User]
    submissions: Mapping[str, UUID]  # by system name


# Name, owner, skill, seed, whether it is published.
ENTRANTS: Sequence[tuple[str, str, float, int, bool]] = (
    ("=HYPERLINK(1)", "ann", 0.80, 1, True),
    ("Beta-7B", "ann", 0.60, 2, True),
    ("Beta-7B twin", "ben", 0.60, 2, True),
    ("Gamma", "ben", 0.30, 3, True),
    ("Silent", "ben", 0.0, 4, True),
    ("Private", "ann", 0.95, 5, False),
)


@contextmanager
def published_site(blocker: Any, broker_url: str, folder: Path) -> Iterator[Site]:
    """The site with its boards built, in the database for real; emptied afterwards."""
    stores = Stores(folder / "stores")
    before, queue.app.conf.broker_url = queue.app.conf.broker_url, broker_url
    with blocker.unblock():
        try:
            site = _publish(folder / "bundle", stores)
            with stores.acting_as("scoring"):
                build_boards(site)
            yield site
        finally:
            queue.app.conf.broker_url = before
            call_command("flush", verbosity=0, interactive=False)


def build_boards(site: Site) -> None:
    """What the worker does after the scores: intervals, then the boards."""
    for evaluation_id in Evaluation.objects.filter(intervals="PENDING").values_list(
        "id", flat=True
    ):
        complete_intervals(evaluation_id)
    for track in (PUBLIC, HIDDEN):
        finish_board(site, track)


def finish_board(site: Site, track: str) -> None:
    """All steps of a rebuild, as its letters would take them."""
    while not rebuild_board(site.version_id, track):
        pass


def _publish(folder: Path, stores: Stores) -> Site:
    """Load the bundle, hand in and score everything, give all scores intervals."""
    write_bundle(bundle(), folder)
    with stores.acting_as("maintain"):
        loaded = services.load_bundle(folder=folder, actor="test", open_now=True)
    users = {
        name: User.objects.create_user(name, password=f"{name}-secret", is_staff=name == "mia")
        for name in ("ann", "ben", "mia")
    }
    submissions = {}
    with stores.acting_as("web"):
        for name, owner, skill, seed, is_published in ENTRANTS:
            for track in (PUBLIC, HIDDEN):
                data = predictions(track, skill, seed)
                if name == "Silent":
                    data = silent(track)
                accepted = services.submit_predictions(
                    user=users[owner],
                    benchmark=NAME,
                    track=track,
                    system=name,
                    file=BytesIO(data),
                    file_name="predictions.json",
                    publish=is_published,
                    facets={"kind": "fine-tuned" if owner == "ben" else "vlm-zero-shot"},
                )
                if track == PUBLIC:
                    submissions[name] = accepted.id
    with stores.acting_as("scoring"):
        score_all()
    return Site(stores=stores, version_id=loaded.version_id, users=users, submissions=submissions)


def silent(track: str) -> bytes:
    """A file of nothing but abstentions: its precision has no value."""
    items = [{"question_id": f"q{number:03d}", "answer": []} for number in range(2 * N_IMAGES)]
    return msgspec.json.encode(
        {"benchmark": f"{NAME}@{VERSION}", "track": track, "predictions": items}
    )


def score_all() -> None:
    """Score what waits, in this process."""
    while (brief := services.begin_scoring(worker="test")) is not None:
        benchmark = msgspec.convert(brief.definition, type=Benchmark)
        try:
            outcomes = list(_outcomes(benchmark, brief))
        except PredictionsInvalid as invalid:
            services.record_rejection(
                evaluation_id=brief.evaluation_id, attempt=brief.attempt, invalid=invalid
            )
            continue
        digest = open_store("outcomes").put(outcomes[0].to_bytes()).digest
        is_one = len(outcomes) == 1
        services.record_scorecard(
            evaluation_id=brief.evaluation_id,
            attempt=brief.attempt,
            card=_mean([score_outcome(benchmark, brief.track, o, draws=0) for o in outcomes]),
            outcome_digest=digest if is_one else "",
            intervals_follow=is_one,
        )


def _outcomes(benchmark: Benchmark, brief: ScoringBrief) -> Iterator[Outcome]:
    made = Bundle(
        benchmark=benchmark,
        questions=open_store("questions").get(brief.questions_digest),
        truth=open_store("truth").get(brief.truth_digest),
    )
    if not brief.trivial:
        data = open_store("uploads").get(brief.predictions_digest)
        yield match_predictions(made, brief.track, data)
        return
    for trivial in FAMILIES[benchmark.family].trivial:
        if trivial.slug == brief.trivial:
            yield from islice(trivial.outcomes(made, brief.track), 3)


def _mean(cards: Sequence[Scorecard]) -> Scorecard:
    scores = []
    for column in zip(*(card.scores for card in cards), strict=True):
        values = [score.value for score in column if score.value is not None]
        value = float(np.mean(values)) if values else None
        scores.append(
            msgspec.structs.replace(
                column[0],
                value=value,
                reason=None if values else "nothing to count in this slice",
                interval_reason="mean of many files",
            )
        )
    return msgspec.structs.replace(cards[0], scores=tuple(scores))
