"""Logs of harnesses, written by hand and found in the shared data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from evaluator.bundle import Bundle
from tests.evaluator.actionlens.small import bundle, item

SHARED = Path(__file__).resolve().parents[3] / "../shared/data"
LMMS = SHARED / "lmms_eval"
VLM = SHARED / "vlmevalkit"
TEMPCOMPASS = SHARED / "tempcompass"

Record = dict[str, Any]


def records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def json_lines(rows: list[Record]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def asked_bundle(questions: list[tuple[str, str, str, list[str]]]) -> Bundle:
    """A bundle of (id, video, text, options), whose key is always A."""
    items = []
    for id_, video, text, options in questions:
        question, truth = item(id_, "D2", video)
        truth.pop("kinds")
        items.append((question | {"text": text, "options": options}, truth))
    return bundle(items)


def options_in(prompt: str) -> list[str]:
    return [wording for _, wording in re.findall(r"^([A-Z])\. (.*)$", prompt, re.M)]


def mini_bundle() -> Bundle:
    """The 36 questions that the runs of lmms-eval 0.7.3 and of VLMEvalKit were asked."""
    rows = records(LMMS / "task_folder_example/actionlens_mini.jsonl")
    return asked_bundle(
        [(r["question_id"], r["video_id"], r["question"], r["options"]) for r in rows]
    )
