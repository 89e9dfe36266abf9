"""The same answers, or hardly others, from another team are flagged; honest people are not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from django.db.models import F
from django.db.models.functions import Now

import evaluator
from evaluator.likeness import Fingerprint, fingerprint_bytes
from evaluator.scoring import match_and_fingerprint
from portal import services
from portal.accounts.models import User
from portal.benchmarks.models import BenchmarkVersion
from portal.evaluations import transitions
from portal.evaluations.models import Evaluation, Event
from portal.exchange import jobs, queue
from portal.exchange.storage import open_store
from portal.services.likeness import unheard_comparisons
from portal.submissions.models import Submission, System
from tests import factories
from tests.conftest import Stores
from worker import likeness, scoring

pytestmark = pytest.mark.django_db(transaction=True)

N = 200
CONTENT = factories.bundle(n_images=N)


@pytest.fixture(autouse=True)
def version(tmp_path: Path, stores: Stores) -> Iterator[BenchmarkVersion]:
    version = factories.version(tmp_path, stores, CONTENT)
    with stores.acting_as("scoring"):
        yield version


def answers(seed: int, n_changed: int = 0) -> list[list[str]]:
    """What a system answers that is right more often than not; some changed by hand."""
    generator = np.random.default_rng(seed)
    said = [
        factories.right(number) if generator.random() < 0.7 else ["ABCD"[generator.integers(4)]]
        for number in range(N)
    ]
    for number in range(n_changed):
        said[number] = ["A"] if said[number] != ["A"] else ["B"]
    return said


def predictions(said: list[list[str]]) -> bytes:
    return factories.predictions(lambda number: said[number], n_images=N)


def fingerprint(data: bytes) -> Fingerprint:
    return match_and_fingerprint(CONTENT, factories.TRACKS[0], data)[1]


def scored(stores: Stores, data: bytes, person: User | None = None) -> Submission:
    """An upload that was scored, its answers in short kept as the child gives them."""
    with stores.acting_as("web"):
        accepted = factories.submit(person or factories.user(), data)
    finish(accepted.id, fingerprint(data))
    return Submission.objects.get(id=accepted.id)


def finish(submission_id: UUID, told: Fingerprint) -> None:
    evaluation = Evaluation.objects.get(submission_id=submission_id)
    Evaluation.objects.filter(id=evaluation.id).update(due_at=Now())
    claim = transitions.claim(
        evaluation_id=evaluation.id,
        worker="w",
        evaluator_version=evaluator.__version__,
        lease_seconds=30,
    )
    assert claim is not None
    assert transitions.finish_scored(
        claim,
        scores=[],
        outcome_digest="0" * 64,
        intervals=Evaluation.Intervals.NONE,
        answers_digest=open_store("outcomes").put(fingerprint_bytes(told)).digest,
    )


def compare(submission: Submission) -> int | None:
    return likeness.compare_answers(submission.evaluations.get().id)


def flagged() -> set[frozenset[UUID]]:
    told = Event.objects.filter(kind="submission.alike")
    pairs = [frozenset((event.submission_id, UUID(event.data["other"]))) for event in told]
    assert len(pairs) == len(set(pairs))
    return set(pairs)  # type: ignore[arg-type]  # each has a submission


def test_ten_accounts_with_one_file_are_one_flagged_group(stores: Stores) -> None:
    data = predictions(answers(1))
    sent = [scored(stores, data) for _ in range(10)]
    for submission in sent:
        compare(submission)
    assert flagged() == {frozenset((a.id, b.id)) for a, b in combinations(sent, 2)}
    event = Event.objects.filter(kind="submission.alike").latest("id")
    assert (event.data["share"], event.data["n"], event.data["n_different"]) == (0.0, N, 0)


def test_one_answer_of_two_hundred_is_flagged_and_two_are_not(stores: Stores) -> None:
    first, near = (scored(stores, predictions(answers(1, n))) for n in (0, 1))
    assert compare(near) == 1
    assert flagged() == {frozenset((first.id, near.id))}
    other = scored(stores, predictions(answers(2)))
    far = scored(stores, predictions(answers(2, 2)))
    assert compare(far) == compare(other) == 0


def test_reordered_reworded_and_reformatted_by_real_workers(stores: Stores) -> None:
    """From the bytes of files to a flag, through the child that scores them."""
    said = answers(1)
    plain = predictions(said)
    items = json.loads(plain)["predictions"]
    for number, item in enumerate(items):
        choices = factories.choices(number)
        item["answer"] = [choices["ABCD".index(letter)] for letter in item["answer"]]
    lines = "\n".join(json.dumps(item, indent=None) for item in reversed(items)).encode()
    honest = predictions(answers(2))
    sent = []
    for data in (plain, lines, honest):
        with stores.acting_as("web"):
            accepted = factories.submit(factories.user(), data)
        evaluation = Evaluation.objects.get(submission_id=accepted.id)
        scoring.score(str(evaluation.id))
        evaluation.refresh_from_db()
        assert evaluation.status == "SCORED" and evaluation.answers_digest
        sent.append(evaluation)
    assert sent[0].answers_digest == sent[1].answers_digest != sent[2].answers_digest
    for evaluation in sent:
        likeness.compare(str(evaluation.id))
        likeness.compare(str(evaluation.id))
    likeness.compare("no id at all")
    assert flagged() == {frozenset((sent[0].submission_id, sent[1].submission_id))}


def test_repeated_letters_in_any_order_flag_a_pair_once(stores: Stores) -> None:
    data = predictions(answers(1))
    first, second = scored(stores, data), scored(stores, data)
    assert compare(first) == 1
    assert compare(second) == 0
    assert compare(first) is None
    # Scored again by another evaluator: compared again, and told already.
    Evaluation.objects.update(compared_at=None)
    assert compare(second) == compare(first) == 0
    assert len(flagged()) == 1


def test_a_team_is_not_held_against_itself(stores: Stores) -> None:
    person = factories.user()
    scored(stores, predictions(answers(1)), person)
    again = scored(stores, predictions(answers(1, 1)), person)
    assert compare(again) == 0
    assert flagged() == set()


def test_trivial_answers_and_habits_flag_nobody(stores: Stores) -> None:
    silent: list[list[str]] = [[] for _ in range(N)]
    every = [list("ABCD") for _ in range(N)]
    always = [["A"] for _ in range(N)]
    for said in (silent, every, always):
        for _ in range(2):
            compare(scored(stores, predictions(said)))
    assert flagged() == set()


def test_canaries_and_trivial_rows_are_never_compared(
    version: BenchmarkVersion, stores: Stores
) -> None:
    data = predictions(answers(1))
    mine = scored(stores, data)
    track = version.tracks.get(slug=factories.TRACKS[0])
    for kind, source in (("canary", "CANARY"), ("trivial", "TRIVIAL")):
        system = System.objects.create(benchmark=version.benchmark, name=kind, slug=kind, kind=kind)
        row = Submission.objects.create(
            system=system, track=track, source=source, file_digest=mine.file_digest
        )
        Evaluation.objects.create(submission=row, version=version, evaluator_version="1")
        finish(row.id, fingerprint(data))
        assert compare(row) is None
    assert compare(mine) == 0
    assert flagged() == set()


def test_other_tracks_and_versions_are_other_questions(tmp_path: Path, stores: Stores) -> None:
    data = predictions(answers(1))
    scored(stores, data)
    with stores.acting_as("web"):
        said = answers(1)
        elsewhere = factories.submit(
            factories.user(),
            factories.predictions(
                lambda number: said[number], track=factories.TRACKS[1], n_images=N
            ),
            track=factories.TRACKS[1],
        )
    finish(elsewhere.id, fingerprint(data))
    assert compare(Submission.objects.get(id=elsewhere.id)) == 0


def test_withdrawn_and_private_ones_count(stores: Stores) -> None:
    person, data = factories.user(), predictions(answers(1))
    first = scored(stores, data, person)
    services.withdraw_submission(user=person, submission_id=first.id)
    assert compare(scored(stores, data)) == 1


def test_many_alike_are_tied_to_the_earliest(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.services.likeness.MAX_PAIRS", 2)
    data = predictions(answers(1))
    sent = [scored(stores, data) for _ in range(5)]
    for submission in sent[2:]:
        assert compare(submission) == 2
    assert flagged() == {frozenset((late.id, early.id)) for late in sent[2:] for early in sent[:2]}


def test_lost_letter_is_rung_for_again(stores: Stores, broker: str) -> None:
    submission = scored(stores, predictions(answers(1)))
    assert services.ring_for_comparisons() == 0  # its own letter may still come
    Evaluation.objects.update(finished_at=F("finished_at") - timedelta(minutes=1))
    assert services.ring_for_comparisons() == 1
    assert queue.n_waiting_letters(jobs.QUEUE_OF[jobs.COMPARE]) == 1
    compare(submission)
    assert services.ring_for_comparisons() == 0


def test_answers_that_are_lost_hold_nobody_up(
    stores: Stores, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(likeness, "shelf", likeness.Shelf())
    data = predictions(answers(1))
    first = scored(stores, data)
    place = next(path for path in (stores.folder / "outcomes").rglob("*") if path.is_file())
    place.unlink()
    near = scored(stores, predictions(answers(1, 1)))
    assert compare(near) == 0
    assert compare(first) == 0
    assert "answers" in caplog.text
    assert not unheard_comparisons(overdue_seconds=-60)


def test_entrants_see_nothing_of_it(stores: Stores) -> None:
    person, data = factories.user(), predictions(answers(1))
    scored(stores, data)
    mine = scored(stores, data, person)
    before = services.submission_state(user=person, submission_id=mine.id)
    assert compare(mine) == 1
    assert services.submission_state(user=person, submission_id=mine.id) == before


def test_shelf_keeps_no_more_than_it_may(stores: Stores) -> None:
    store = open_store("outcomes")
    told = [np.full(1000, number, dtype=np.uint64) for number in range(1, 5)]
    digests = [store.put(fingerprint_bytes(one)).digest for one in told]
    shelf = likeness.Shelf(max_bytes=2000)
    for _ in range(2):
        for found, wanted in zip(shelf.take(digests), told, strict=True):
            assert found is not None and np.array_equal(found, wanted)
    assert shelf._n_bytes <= 2000
