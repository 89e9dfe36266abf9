"""A VLMEvalKit TSV.

The column `question` holds the whole prompt and there are no columns A, B, …:
with them VLMEvalKit would word the prompt its own way.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import PurePosixPath

from evaluator.asking import Asked, lettered

IMAGES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")


def files(task: str, address: str, track: str, asked: Sequence[Asked]) -> dict[str, bytes]:
    """The table by its path; `question_id` comes back with the predictions."""
    del address, track
    is_image = any(PurePosixPath(question.file).suffix.lower() in IMAGES for question in asked)
    media = "image_path" if is_image else "video"
    text = io.StringIO(newline="")
    table = csv.writer(text, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
    table.writerow(("index", "question_id", media, "category", "question", "candidates"))
    for number, question in enumerate(asked):
        candidates = json.dumps(lettered(question.options), ensure_ascii=False)
        table.writerow(
            (number, question.id, question.file, question.group, question.prompt, candidates)
        )
    return {f"{task}.tsv": text.getvalue().encode()}
