"""The form of CrossHOI-Bench's own script: `{image: {"QA_0": [label, ...]}}`."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from evaluator.reading.strict import Parsed

RELEASE_QUESTION = re.compile(r"QA_(\d+)\Z")
RELEASE_EXTRA = re.compile(r"QA_\d+_reasoning\Z")


def release_question_id(image: str, number: int) -> str:
    """The question id of a release's image and `QA_<number>`."""
    return f"{PurePosixPath(image).stem}-q{number}"


def is_release_form(parsed: Parsed) -> bool:
    """Whether a file holds labels by image and `QA_<number>`."""
    value = parsed.value
    return (
        parsed.lines is None
        and isinstance(value, dict)
        and "predictions" not in value
        and any(isinstance(v, dict) and any(map(RELEASE_QUESTION.match, v)) for v in value.values())
    )
