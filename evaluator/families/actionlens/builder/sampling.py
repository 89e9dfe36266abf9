"""Seeded choice of questions that is spread over videos."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from evaluator.choices import choice_order

REVIEW_SIZE = 250  # of each diagnostic but D1, which is reviewed whole (section 3.4)
WHOLE_IN_REVIEW = frozenset({"D1"})


def round_robin(videos: Mapping[str, str], n: int, seed: int) -> list[str]:
    """`n` questions, or all: one of each video in turn.

    Videos, and questions within a video, come in the order of a seeded hash.

    Args:
        videos: video by question id.
    """
    by_video: dict[str, list[str]] = defaultdict(list)
    for question, video in videos.items():
        by_video[video].append(question)
    waiting = [
        choice_order(f"round robin {video}", questions, seed)
        for video, questions in (
            (video, by_video[video]) for video in choice_order("round robin", list(by_video), seed)
        )
    ]
    chosen: list[str] = []
    turn = 0
    while len(chosen) < min(n, len(videos)):
        chosen += [questions[turn] for questions in waiting if turn < len(questions)]
        turn += 1
    return chosen[:n]


def review_subset(
    questions: Mapping[str, tuple[str, str]], seed: int, size: int = REVIEW_SIZE
) -> frozenset[str]:
    """Questions of the human-review subset.

    Args:
        questions: (diagnostic, video) by question id.
    """
    chosen: list[str] = []
    for code in sorted({code for code, _ in questions.values()}):
        videos = {id_: video for id_, (asked, video) in questions.items() if asked == code}
        n = len(videos) if code in WHOLE_IN_REVIEW else size
        chosen += round_robin(videos, n, seed)
    return frozenset(chosen)
