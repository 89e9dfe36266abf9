"""The letters: names of tasks, the queue each travels on, and what it carries (ids only)."""

from __future__ import annotations

SCORE = "worker.scoring.score"  # (evaluation_id)
INTERVALS = "worker.boards.intervals"  # (evaluation_id)
REBUILD = "worker.boards.rebuild"  # (version_id, track slug)

QUEUE_OF = {
    SCORE: "score",
    INTERVALS: "boards",
    REBUILD: "boards",
}
QUEUES = ("score", "boards", "maintenance")
