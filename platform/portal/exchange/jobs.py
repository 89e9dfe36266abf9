"""The letters: names of tasks, the queue each travels on, and what it carries (ids only)."""

from __future__ import annotations

SCORE = "worker.scoring.score"  # (evaluation_id), on the queue that its row names
INTERVALS = "worker.boards.intervals"  # (evaluation_id)
REBUILD = "worker.boards.rebuild"  # (version_id, track slug)
COMPARE = "worker.likeness.compare"  # (evaluation_id)

# In the order in which a worker that serves several of them looks.
QUEUES = ("score", "large", "infer", "maintenance")
QUEUE_OF = {
    SCORE: "score",
    INTERVALS: "maintenance",
    REBUILD: "maintenance",
    COMPARE: "maintenance",
}

FIRST, LATER, LAST = 0, 3, 6  # priorities within a queue; the broker takes 0 before 9
PRIORITY_OF = {
    SCORE: FIRST,
    INTERVALS: FIRST,
    REBUILD: LATER,
    COMPARE: LAST,
}
