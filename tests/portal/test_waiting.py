"""What somebody who waits is told: a span from measured times, or why there is none."""

from __future__ import annotations

import random
import statistics
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.db.models import F
from django.db.models.functions import Now

from portal import services
from portal.accounts.models import User
from portal.evaluations.models import Evaluation, Presence
from portal.evaluations.waiting import Moment, Pace, Span, Wait
from portal.services import SubmissionDocument
from portal.services.waits import (
    NOBODY,
    UNMEASURED,
    interruption_text,
    span_text,
    wait_text,
)
from tests import factories
from tests.conftest import Stores

pytestmark = pytest.mark.django_db

Status, Queue, Priority = Evaluation.Status, Evaluation.Queue, Evaluation.Priority


@pytest.fixture(autouse=True)
def version(tmp_path: Path, stores: Stores, broker: str) -> None:
    factories.version(tmp_path, stores)


@pytest.fixture
def person() -> User:
    return factories.user()


def send(person: User, letters: str = "A") -> UUID:
    """A submission whose answers are these letters, everywhere."""
    return factories.submit(person, factories.predictions(lambda _: list(letters))).id


def state(person: User, submission_id: UUID) -> SubmissionDocument:
    return services.submission_state(user=person, submission_id=submission_id)


def measured(seconds: list[float], queue: str = Queue.SCORE) -> None:
    """Scorings of the past that took so long; other rows of the queue are left alone."""
    person = factories.user()
    for took in seconds:
        accepted = factories.submit(person, factories.predictions(_any_letters))
        running(accepted.id, elapsed=0)
        Evaluation.objects.filter(submission_id=accepted.id).update(
            status=Status.SCORED,
            lease_until=None,
            queue=queue,
            started_at=Now() - timedelta(hours=1, seconds=took),
            finished_at=Now() - timedelta(hours=1),
            intervals=Evaluation.Intervals.NONE,
        )


_chance = random.Random(5)


def _any_letters(_: int) -> list[str]:
    return sorted(_chance.sample("ABCD", _chance.randint(1, 3)))


def listening(queues: tuple[str, ...] = ("score",), n_slots: int = 1, name: str = "w:1") -> None:
    services.announce_presence(name=name, queues=queues, n_slots=n_slots)


def running(submission_id: UUID, *, elapsed: float, lease: float = 60) -> None:
    Evaluation.objects.filter(submission_id=submission_id).update(
        status=Status.RUNNING,
        attempt=1,
        started_at=Now() - timedelta(seconds=elapsed),
        lease_until=Now() + timedelta(seconds=lease),
    )


def test_without_a_worker_there_is_a_sentence_and_no_number(person: User) -> None:
    measured([2.0] * 5)
    found = state(person, send(person))
    assert (found["position"], found["n_slots"]) == (1, 0)
    assert (found["expected_seconds"], found["expected_seconds_high"]) == (None, None)
    assert found["wait_text"] == f"Next in line. {NOBODY}"


def test_a_worker_that_fell_silent_is_no_worker(person: User) -> None:
    measured([2.0] * 5)
    listening()
    waiting = send(person)
    assert state(person, waiting)["expected_seconds"] == 2.0
    Presence.objects.update(seen_at=Now() - timedelta(seconds=16))
    assert state(person, waiting)["wait_text"] == f"Next in line. {NOBODY}"


def test_a_worker_that_only_holds_a_lease_counts_as_listening(person: User) -> None:
    measured([4.0] * 5)
    running(send(person, "B"), elapsed=1)
    found = state(person, send(person))
    assert found["n_slots"] == 1
    assert found["expected_seconds"] == pytest.approx(7.0, abs=0.5)


def test_too_few_measurements_say_so(person: User) -> None:
    measured([2.0, 2.0])
    listening()
    found = state(person, send(person))
    assert found["expected_seconds"] is None
    assert found["wait_text"] == f"Next in line. {UNMEASURED}"


def test_the_estimate_is_a_span_from_the_measured_times(person: User) -> None:
    measured([1.0] * 6 + [2.0] * 3 + [20.0])
    listening()
    found = state(person, send(person))
    assert (found["expected_seconds"], found["expected_seconds_high"]) == (1.0, 2.0)
    assert found["wait_text"] == "Next in line. Its score is expected within 2 s."


def test_those_before_share_the_slots(person: User) -> None:
    measured([10.0] * 5)
    listening(n_slots=2)
    sent = [send(person, letters) for letters in ("A", "B", "C", "D", "AB")]
    expected = [state(person, id_)["expected_seconds"] for id_ in sent]
    assert expected == [10.0, 10.0, 20.0, 20.0, 30.0]
    assert [state(person, id_)["position"] for id_ in sent] == [1, 2, 3, 4, 5]


def test_running_rows_count_with_what_is_left_of_them(person: User) -> None:
    measured([10.0] * 5)
    listening(n_slots=2)
    for letters, elapsed in (("A", 8), ("B", 3)):
        running(send(person, letters), elapsed=elapsed)
    first, second = send(person, "C"), send(person, "D")
    assert state(person, first)["expected_seconds"] == pytest.approx(12, abs=0.5)
    assert state(person, second)["expected_seconds"] == pytest.approx(17, abs=0.5)


def test_a_row_whose_lease_ran_out_stands_in_line_again(person: User) -> None:
    measured([10.0] * 5)
    listening()
    running(send(person, "A"), elapsed=30, lease=-1)
    assert state(person, send(person, "B"))["position"] == 2


def test_each_queue_has_its_own_pace_and_its_own_line(person: User) -> None:
    measured([1.0] * 5)
    measured([100.0] * 5, queue=Queue.LARGE)
    listening(queues=("score",), name="w:1")
    listening(queues=("large",), name="w:2")
    small, large = send(person, "A"), send(person, "B")
    Evaluation.objects.filter(submission_id=large).update(queue=Queue.LARGE)
    assert state(person, small)["expected_seconds"] == 1.0
    assert state(person, large)["expected_seconds"] == 100.0
    assert state(person, large)["position"] == 1


def test_a_worker_of_two_queues_is_kept_busy_by_both(person: User) -> None:
    measured([1.0] * 5)
    measured([100.0] * 5, queue=Queue.LARGE)
    listening(queues=("score", "large", "maintenance"))
    large, small = send(person, "A"), send(person, "B")
    Evaluation.objects.filter(submission_id=large).update(queue=Queue.LARGE)
    running(large, elapsed=40)
    assert state(person, small)["expected_seconds"] == pytest.approx(61, abs=1)


def test_what_nobody_waits_for_stands_behind(person: User) -> None:
    background, entrant = send(person, "A"), send(person, "B")
    Evaluation.objects.filter(submission_id=background).update(priority=Priority.BACKGROUND)
    assert state(person, entrant)["position"] == 1
    assert state(person, background)["position"] == 2


def test_one_that_is_due_later_is_said_to_be_tried_again(person: User) -> None:
    measured([2.0] * 5)
    listening()
    first, second = send(person, "A"), send(person, "B")
    brief = services.begin_scoring(worker="w:1")
    assert brief is not None
    services.record_failure(
        evaluation_id=brief.evaluation_id, attempt=brief.attempt, code="scorer.crashed"
    )
    Evaluation.objects.filter(id=brief.evaluation_id).update(due_at=Now() + timedelta(seconds=8.4))
    found = state(person, first)
    assert found["wait_text"].startswith("It is tried again in 8 s. 1 submission is before")
    assert found["expected_seconds"] == pytest.approx(10.2, abs=0.5)
    assert found["retry"] is not None and found["retry"]["code"] == "scorer.crashed"
    assert "the scorer crashed" in found["retry"]["sentence"]
    assert found["retry"]["due_at"] is not None
    # It holds up nobody meanwhile.
    assert state(person, second)["position"] == 1
    assert state(person, second)["retry"] is None


def test_a_second_attempt_after_a_lost_worker_says_why(person: User) -> None:
    submission_id = send(person)
    for _ in range(2):
        assert services.begin_scoring(worker="w:1") is not None
        Evaluation.objects.update(lease_until=F("lease_until") - timedelta(hours=1))
    found = state(person, submission_id)
    assert (found["state"], found["attempt"]) == ("running", 2)
    assert found["retry"] is not None and found["retry"]["code"] == "infra.worker_lost"
    assert found["retry"]["due_at"] is None


def test_every_fault_that_is_tried_again_is_told_in_its_own_words() -> None:
    again = [c for c, fault in services.failures.FAILURES.items()
             if fault.is_retried or fault.is_setback]  # fmt: skip
    texts = {interruption_text(code) for code in again}
    assert len(texts) == len(again) and interruption_text("unheard.of") not in texts


def test_the_last_score_of_the_track_is_told_whoever_sent_it(person: User) -> None:
    waiting = send(person)
    assert state(person, waiting)["board_last_scored_at"] is None
    measured([1.0])
    assert state(person, waiting)["board_last_scored_at"] is not None
    other = factories.submit(person, track=factories.TRACKS[1])
    assert other.submission["board_last_scored_at"] is None


def test_a_list_says_the_same_as_the_pages(person: User) -> None:
    measured([3.0] * 5)
    listening()
    sent = [send(person, letters) for letters in ("A", "B", "C")]
    listed = {entry["id"]: entry for entry in services.my_submissions(user=person)}
    for id_ in sent:
        for name in ("position", "expected_seconds", "expected_seconds_high", "wait_text"):
            assert listed[id_][name] == state(person, id_)[name]  # type: ignore[literal-required]


def test_queues_are_summed_up_for_everybody(person: User) -> None:
    measured([10.0] * 5)
    listening()
    running(send(person, "A"), elapsed=5)
    for letters in ("B", "C"):
        send(person, letters)
    Evaluation.objects.filter(status=Status.QUEUED).update(due_at=Now() - timedelta(seconds=7))
    [score] = Moment().queues()
    assert (score.queue, score.n_waiting, score.n_running, score.n_slots) == ("score", 2, 1, 1)
    assert score.oldest_seconds == pytest.approx(7, abs=0.5)
    assert score.expected is not None and score.expected.middle == pytest.approx(35, abs=0.5)


def test_many_in_turn_take_as_long_as_such_sums_do() -> None:
    """The span of a sum holds what sums of real times do, nine times in ten."""
    chance = random.Random(1)
    times = [chance.lognormvariate(0, 0.8) for _ in range(50)]
    pace = Pace.of(times)
    assert pace is not None
    for n in (1, 4, 16, 64):
        sums = [sum(chance.choices(times, k=n)) for _ in range(4000)]
        span = pace.of_many(n)
        below = sum(total <= span.high for total in sums) / len(sums)
        assert 0.86 <= below <= 0.97
        assert span.middle == pytest.approx(statistics.median(sums), rel=0.12)


def test_a_scoring_that_takes_unusually_long_may_take_as_long_again() -> None:
    pace = Pace.of([1.0, 2.0, 3.0])
    assert pace is not None
    assert pace.left(0.5) == Span(1.5, 2.5)
    assert pace.left(50) == Span(0, 3.0)


@pytest.mark.parametrize(
    ("middle", "high", "words"),
    [
        (0.3, 0.8, "within 1 s"),
        (2.2, 4.4, "within 5 s"),
        (0.4, 13, "within 15 s"),
        (7, 21, "in 5 to 30 s"),
        (44, 100, "in 30 s to 2 min"),
        (180, 180, "in about 3 min"),
        (65, 590, "in 1 to 10 min"),
        (4000, 7000, "in 1 to 2 h"),
        (12_000, 40_000, "in 3 to 12 h"),
        (3600, 900_000, "in a day or more"),
        (900_000, 900_000, "in more than a day"),
    ],
)
def test_spans_are_told_as_people_round(middle: float, high: float, words: str) -> None:
    assert span_text(Span(middle, high)) == words


def test_the_place_in_line_counts_those_before() -> None:
    for position, words in (
        (1, "Next in line."),
        (2, "1 submission is before this one."),
        (1205, "1,204 are before this one."),
    ):
        wait = Wait(position=position, n_slots=0, expected=None, due_seconds=None)
        assert wait_text(wait) == f"{words} {NOBODY}"
