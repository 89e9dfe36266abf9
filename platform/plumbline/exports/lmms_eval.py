"""An lmms-eval task folder: yaml, utils.py and the data beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from evaluator.asking import Asked

METRIC = "plumbline_reply"

# The task's own code. It logs each question's id beside the reply and scores nothing:
# the answers are not here.
UTILS = '''\
"""What lmms-eval asks of a task: media, prompt, and a log that names each question."""

import os
from pathlib import Path

MEDIA = Path(os.environ.get("PLUMBLINE_MEDIA", "media"))
IMAGES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def doc_to_visual(doc):
    if not doc["media"]:
        return []
    path = MEDIA / doc["media"]
    if path.suffix.lower() not in IMAGES:
        return [str(path)]
    from PIL import Image

    return [Image.open(path).convert("RGB")]


def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    words = lmms_eval_specific_kwargs or {}
    options = "\\n".join(f"{c}. {o}" for c, o in zip(LETTERS, doc["options"]))
    question = f"{doc['question']}\\n{options}"
    return words.get("pre_prompt", "") + question + words.get("post_prompt", "")


def doc_to_target(doc):
    return ""


def process_results(doc, results):
    reply = results[0]
    return {
        "plumbline_reply": {
            "question_id": doc["question_id"],
            "group": doc["group"],
            "score": float(bool(reply.strip())),
        }
    }


def aggregate_replies(items):
    return sum(item["score"] for item in items) / len(items) if items else 0
'''

README = """\
# {task}

Questions of {address}, track {track}, as an lmms-eval task. There are no answers in it:
`{metric}` is the share of questions with any reply at all; the score comes from Plumbline.

1. Put the {n_files:,} media files that `{task}.jsonl` names under `media/`, or name their folder in
   `PLUMBLINE_MEDIA`.
2. From this folder:

       lmms-eval --include_path . --tasks {task} --log_samples --output_path out --model ...

3. `plumbline validate` and `plumbline submit` take the `*_samples_{task}.jsonl` as it is.
"""


def files(task: str, address: str, track: str, asked: Sequence[Asked]) -> dict[str, bytes]:
    """Contents by path of the task folder, its data and a page that says how to run it."""
    first = asked[0]
    rows = [
        {
            "question_id": question.id,
            "group": question.group,
            "media": question.file,
            "question": question.text,
            "options": question.options,
        }
        for question in asked
    ]
    template = f"""\
dataset_path: json
dataset_kwargs:
  data_files:
    test: {task}.jsonl
test_split: test
output_type: generate_until
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_target: !function utils.doc_to_target
generation_kwargs:
  max_new_tokens: {first.max_tokens}
  temperature: 0
  top_p: 1.0
  num_beams: 1
  do_sample: false
  until: []
process_results: !function utils.process_results
metric_list:
  - metric: {METRIC}
    aggregation: !function utils.aggregate_replies
    higher_is_better: true
lmms_eval_specific_kwargs:
  default:
    pre_prompt: ""
    post_prompt: {json.dumps(chr(10) + first.ending)}
metadata:
  version: 1.0
"""
    page = README.format(
        task=task,
        address=address,
        track=track,
        metric=METRIC,
        n_files=len({question.file for question in asked if question.file}),
    )
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    contents = {
        "README.md": page,
        f"{task}.jsonl": data,
        f"{task}/_default_template_yaml": template,
        f"{task}/{task}.yaml": f"include: _default_template_yaml\ntask: {task}\n",
        f"{task}/utils.py": UTILS,
    }
    return {path: text.encode() for path, text in contents.items()}
