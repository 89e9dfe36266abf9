"""export: a track as a task of an evaluation harness."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from plumbline.commands import local
from plumbline.commands.grammar import Subparsers, add_command
from plumbline.console import Console
from plumbline.faults import Exit, Fault

HARNESSES = ("lmms-eval", "vlmevalkit")
TWO_STEPS = ("detect-then-answer",)  # asked twice: no harness's single prompt can hold it


def add_commands(commands: Subparsers) -> None:
    """Declare the group."""
    export = add_command(
        commands,
        "export",
        run_export,
        summary="write a track as a task of lmms-eval or VLMEvalKit",
        description="""Writes the questions of a track so that a harness asks them with the prompts,
        options and letters of the site: an lmms-eval task folder (yaml, utils.py, data), or a
        VLMEvalKit TSV whose column question holds the whole prompt. No answers are in it, even
        where the bundle has them. What the harness logs (samples_*.jsonl; tsv, json or xlsx with
        a column prediction) comes back through `plumbline validate`, `submit` and `convert`.""",
        example="plumbline export BUNDLE --harness lmms-eval --track tracked-boxes --out task",
        exits={0: "the files are written"},
    )
    local.add_bundle_and_track(export)
    export.add_argument("--harness", required=True, choices=HARNESSES, help="which one")
    export.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="a new or empty folder"
    )


def run_export(args: argparse.Namespace, console: Console) -> Exit:
    """Write the files of a task."""
    from evaluator.scoring import family_of
    from plumbline.exports import WRITERS

    bundle = local.read_bundle_for(args, with_truth=False)
    benchmark = bundle.benchmark
    family = family_of(benchmark)
    if family.asked is None:
        raise Fault(f"{benchmark.address} is no benchmark that a model is asked in words.")
    if args.track in TWO_STEPS:
        raise Fault(f"Track {args.track} asks twice, for boxes and then about each person.")
    local.refuse_filled(args.out)
    asked = family.asked(bundle, args.track)
    task = re.sub(r"[^a-z0-9]+", "_", f"{benchmark.name}_{args.track}")
    files = WRITERS[args.harness](task, benchmark.address, args.track, asked)
    for name, content in files.items():
        path = args.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    console.result(f"{args.out}  {benchmark.address}, {args.track}: {len(asked)} questions")
    console.document(
        {
            "benchmark": benchmark.address,
            "track": args.track,
            "harness": args.harness,
            "task": task,
            "n_questions": len(asked),
            "files": sorted(files),
        }
    )
    return Exit.OK
