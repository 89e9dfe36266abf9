"""Fingerprints held against each other: who is pointed out, and who must not be."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from evaluator.errors import EvaluatorError
from evaluator.families.hoi_choice.fingerprint import fingerprint as choice_fingerprint
from evaluator.families.hoi_detection.fingerprint import fingerprint as detection_fingerprint
from evaluator.likeness import (
    Fingerprint,
    fingerprint_bytes,
    likeness_of,
    read_fingerprint,
    twins_among,
)
from evaluator.scoring import validate_predictions
from infra.samples.detections import detection_bundle
from infra.samples.files import bundle as sample_hoi
from infra.samples.scenes import questions

N = 200


def letters(seed: int, n: int = N) -> Fingerprint:
    """What a system that knows something gives: one of four, spread evenly."""
    return np.random.default_rng(seed).integers(1, 5, n).astype(np.uint64)


def with_changed(fingerprint: Fingerprint, n_changed: int) -> Fingerprint:
    changed = fingerprint.copy()
    changed[:n_changed] = changed[:n_changed] % 4 + 1
    return changed


def test_less_than_one_percent_of_other_answers_is_pointed_out() -> None:
    mine = letters(1)
    for n_changed, is_pointed_out in ((0, True), (1, True), (2, False), (20, False)):
        found = likeness_of(mine, with_changed(mine, n_changed))
        assert (found.n, found.n_different) == (N, n_changed)
        assert found.share == n_changed / N
        assert found.is_near == found.is_telling == is_pointed_out


def test_two_that_know_something_are_not_alike() -> None:
    """Right in nine of ten questions, wrong where chance has it: far from one percent."""
    generator = np.random.default_rng(2)
    right = generator.integers(1, 5, 1000)
    found = [np.where(generator.random(1000) < 0.9, right, right % 4 + 1) for _ in range(2)]
    likeness = likeness_of(*(answers.astype(np.uint64) for answers in found))
    assert not likeness.is_near
    assert likeness.n_different > 100


def test_silence_is_no_answer_to_agree_on() -> None:
    silent = np.zeros(N, dtype=np.uint64)
    assert likeness_of(silent, silent).share is None
    assert not likeness_of(silent, silent).is_near
    # Forty answers of two thousand: the same, and too few to say anything.
    few = np.zeros(2000, dtype=np.uint64)
    few[:40] = letters(3, 40)
    found = likeness_of(few, few.copy())
    assert (found.n, found.n_different, found.is_telling) == (40, 0, False)
    # One of two questions more that is answered by one of them counts as another answer.
    assert likeness_of(letters(1), np.where(np.arange(N) < 2, 0, letters(1))).n_different == 2


def test_weak_systems_that_fall_back_on_one_letter_are_not_alike() -> None:
    always = np.full(6701, 1, dtype=np.uint64)
    assert likeness_of(always, always).is_near
    assert not likeness_of(always, always).is_telling
    # Other letters now and then, partly to the same questions, which are the clear ones.
    first, second = always.copy(), always.copy()
    first[:80] = second[20:100] = 2
    assert likeness_of(first, second).is_near
    assert not likeness_of(first, second).is_telling


def test_a_habit_does_not_hide_a_copy() -> None:
    mine = letters(1, 6701)
    mine[::2] = 1
    found = likeness_of(mine, with_changed(mine, 60))
    assert found.is_telling
    assert found.n_telling < 6701 // 2


@given(arrays(np.uint64, st.integers(0, 300), elements=st.integers(0, 2**64 - 1)))
def test_a_stored_fingerprint_is_read_back(fingerprint: NDArray[np.uint64]) -> None:
    data = fingerprint_bytes(fingerprint)
    again = read_fingerprint(data)
    assert np.array_equal(again, fingerprint)
    assert fingerprint_bytes(again) == data
    found = likeness_of(again, fingerprint)
    assert found.n_different == 0


def test_what_is_no_fingerprint_is_refused() -> None:
    with pytest.raises(EvaluatorError, match="another format"):
        read_fingerprint(b"answers 2\n" + fingerprint_bytes(letters(1)))
    with pytest.raises(EvaluatorError, match="held against"):
        likeness_of(letters(1), letters(1, 7))


def test_letters_take_a_byte_each_before_they_are_packed() -> None:
    assert read_fingerprint(fingerprint_bytes(letters(1))).dtype == np.uint8


def test_twins_are_named_by_bytes_or_answers() -> None:
    mine = letters(1)
    files = [b"one", b"one", b"two", b"three"]
    found = twins_among(files, [mine, mine, with_changed(mine, 1), letters(9)])
    assert [(twins.first, twins.second) for twins in found] == [(0, 1), (0, 2), (1, 2)]
    assert found[0].sentence == "are the same, byte for byte"
    assert found[1].sentence == "differ in 1 of 200 answers"


HOI = sample_hoi(questions())


def asked(track: str) -> list[dict[str, Any]]:
    every = [json.loads(line) for line in HOI.questions.splitlines()]
    return [question for question in every if question["track"] == track]


def choices(track: str, said: dict[str, Any]) -> Fingerprint:
    """The fingerprint of a file that says the same of every question."""
    return choices_of(track, [{"question_id": q["id"], **said} for q in asked(track)])


def choices_of(track: str, items: list[dict[str, Any]]) -> Fingerprint:
    data = "\n".join(json.dumps(item) for item in items).encode()
    rules = HOI.benchmark.rules
    return choice_fingerprint(HOI, track, validate_predictions(HOI, track, data), rules)


def test_no_choice_and_every_choice_tell_nothing() -> None:
    assert not choices("all-people", {"answer": []}).any()
    every = [{"question_id": q["id"], "answer": q["choices"]} for q in asked("all-people")]
    assert not choices_of("all-people", every).any()
    every[0]["answer"] = every[0]["answer"][:-1]
    assert np.count_nonzero(choices_of("all-people", every)) == 1


def test_an_answer_is_a_set_of_choices_however_it_is_said() -> None:
    told = choices("all-people", {"answer": ["B", "A"]})
    assert set(told) == {0b11}
    assert np.array_equal(told, choices("all-people", {"answer": ["A", "B", "A"]}))
    assert np.array_equal(told, choices("all-people", {"reply": "Answer: A, B"}))


def test_people_beside_the_target_change_nothing() -> None:
    """What does not count for the score is no way to look different."""
    track = "detect-then-answer"
    person = {"box": [0, 0, 640, 480], "answer": ["A"]}
    bystander = {"box": [0, 0, 3, 3], "answer": ["B"]}
    alone = choices(track, {"people": [person]})
    assert alone.any()
    assert np.array_equal(alone, choices(track, {"people": [bystander, person]}))


DETECTION = detection_bundle()


def detections(items: list[dict[str, Any]], **head: Any) -> Fingerprint:
    document = {
        "benchmark": DETECTION.benchmark.address,
        "track": "detect",
        "box_base": 0,
        "class_ids": "hoi0",
        **head,
        "predictions": items,
    }
    read = validate_predictions(DETECTION, "detect", json.dumps(document).encode())
    return detection_fingerprint(DETECTION, "detect", read, DETECTION.benchmark.rules)


def found_in(image: str, *labels: int, shift: float = 0.0, scale: float = 1.0) -> list[Any]:
    box = [10 + shift, 10, 50 + shift, 50]
    return [
        {
            "image_id": image,
            "hoi_id": label,
            "human_box": box,
            "object_box": box,
            "score": scale * (0.9 - 0.1 * place),
        }
        for place, label in enumerate(labels)
    ]


def test_detections_are_known_by_the_classes_of_the_best_three() -> None:
    first, second = sorted(json.loads(line)["id"] for line in DETECTION.questions.splitlines())[:2]
    told = detections([*found_in(first, 2, 1, 0, 3), *found_in(second, 1)])
    assert told[0] and told[1] and told[0] != told[1]
    assert not told[2:].any()
    for same in (
        [*found_in(second, 1), *reversed(found_in(first, 2, 1, 0, 3))],
        [*found_in(first, 2, 1, 0, 1, shift=1.5, scale=0.5), *found_in(second, 1, shift=-2)],
        [*found_in(first, 0, 1, 2), *found_in(second, 1)],
    ):
        assert np.array_equal(detections(same), told)
    other = detections([*found_in(first, 2, 1, 3), *found_in(second, 1)])
    assert list(np.flatnonzero(other != told)) == [0]


def test_equal_scores_leave_no_room_for_the_order_of_a_file() -> None:
    (image,) = sorted(json.loads(line)["id"] for line in DETECTION.questions.splitlines())[:1]
    items = [{**item, "score": 0.5} for item in found_in(image, 3, 2, 1, 0)]
    assert np.array_equal(detections(items), detections(items[::-1]))
