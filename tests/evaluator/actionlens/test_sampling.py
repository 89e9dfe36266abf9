"""The review subset: seeded, spread over videos, whole where it must be."""

from __future__ import annotations

from collections import Counter

from evaluator.families.actionlens.builder.sampling import review_subset, round_robin

SIZES = {"u": 1, "v": 5, "w": 40}
VIDEOS = {f"{video}{n}": video for video, size in SIZES.items() for n in range(size)}


def test_one_of_each_video_in_turn() -> None:
    chosen = round_robin(VIDEOS, 9, seed=1)
    assert len(set(chosen)) == 9
    assert Counter(VIDEOS[q] for q in chosen) == {"u": 1, "v": 4, "w": 4}
    assert {VIDEOS[q] for q in chosen[:3]} == set(SIZES)
    assert sorted(round_robin(VIDEOS, 1000, seed=1)) == sorted(VIDEOS)


def test_the_seed_decides_and_the_order_of_questions_does_not() -> None:
    backwards = dict(reversed(VIDEOS.items()))
    assert round_robin(VIDEOS, 20, seed=1) == round_robin(backwards, 20, seed=1)
    assert round_robin(VIDEOS, 20, seed=1) != round_robin(VIDEOS, 20, seed=2)


def test_a_smaller_sample_is_the_start_of_a_larger_one() -> None:
    assert round_robin(VIDEOS, 20, seed=1)[:11] == round_robin(VIDEOS, 11, seed=1)


def test_the_review_subset_has_the_papers_size() -> None:
    counts = {"D1": 194, "D2": 2000, "D3": 2000, "D4": 1611, "D5": 896}
    questions = {
        f"{code}-{n}": (code, f"v{n % 64}") for code, size in counts.items() for n in range(size)
    }
    chosen = review_subset(questions, seed=3)
    assert len(chosen) == 1194
    by_code = Counter(questions[q][0] for q in chosen)
    assert by_code == {"D1": 194, "D2": 250, "D3": 250, "D4": 250, "D5": 250}
    assert len({questions[q][1] for q in chosen}) == 64
