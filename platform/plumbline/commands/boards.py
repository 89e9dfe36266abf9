"""questions and board: what a site offers to everybody."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from plumbline.commands.grammar import Subparsers, add_command
from plumbline.console import Console
from plumbline.faults import Exit, Fault

if TYPE_CHECKING:
    from plumbline.client import Client


def add_commands(commands: Subparsers) -> None:
    """Declare the group."""
    questions = add_command(
        commands,
        "questions",
        run_questions,
        summary="download the public questions of a benchmark",
        description="""Writes benchmark.json and questions.jsonl into a folder: all that a model
        needs to answer, and all that `plumbline validate` needs to check its answers offline.
        There is no truth in it.""",
        example="""
        plumbline questions sample-hoi --out sample-hoi
        plumbline validate sample-hoi predictions.json --track target-box
        """,
        exits={0: "the folder is written", 1: "the site has no such benchmark or no questions"},
        online=True,
    )
    questions.add_argument("name", metavar="NAME[@VERSION]")
    questions.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="a new or empty folder"
    )
    board = add_command(
        commands,
        "board",
        run_board,
        summary="show a board, or list the benchmarks",
        description="""Prints the board of one track: rank and rank interval, score and interval,
        and how each row came about. Reported rows come from papers and take no rank. Without NAME
        it lists the benchmarks of the site and their tracks.""",
        example="""
        plumbline board
        plumbline board sample-hoi --track target-box --metric exact_match
        plumbline board sample-hoi --track target-box --csv > board.csv
        """,
        exits={0: "shown", 1: "the site has no such benchmark, track, slice or metric"},
        online=True,
    )
    board.add_argument("name", nargs="?", metavar="NAME[@VERSION]")
    board.add_argument("--track", metavar="T", help="by default the first")
    board.add_argument("--slice", metavar="S", help="which answers count (default: the first)")
    board.add_argument("--metric", metavar="M", help="by default the board's own")
    board.add_argument("--csv", action="store_true", help="the slice with all its metrics as CSV")


def run_questions(args: argparse.Namespace, console: Console) -> Exit:
    """Download a benchmark's public files."""
    import json

    from evaluator.bundle import parse_benchmark
    from plumbline.commands.site import client_of, named_version

    folder: Path = args.out
    if folder.exists() and any(folder.iterdir()):
        raise Fault(f"{folder} is not empty; name a new folder.")
    with client_of(args) as client:
        name, version = named_version(client, args.name)
        found = client.version(name, version)
        definition = dict(found["definition"])
        # Published results stay on the site: their digests would ask for the files.
        definition["digests"] = {
            file: digest
            for file, digest in definition.get("digests", {}).items()
            if file in ("questions.jsonl", "truth.jsonl")
        }
        content = json.dumps(definition, ensure_ascii=False, indent=1).encode() + b"\n"
        benchmark = parse_benchmark(content)
        if "questions.jsonl" not in benchmark.digests:
            raise Fault(
                f"{benchmark.address} holds published results only; there are no questions.",
                Exit.NOT_FINE,
                code="no_questions",
            )
        folder.mkdir(parents=True, exist_ok=True)
        questions = folder / "questions.jsonl"
        n_bytes = client.questions(name, version, questions)
    if _sha256(questions) != benchmark.digests["questions.jsonl"]:
        questions.unlink()
        raise Fault(
            f"The questions of {benchmark.address} arrived with another digest than the version "
            "fixes; try again, and tell the site if it stays so.",
            Exit.SERVER,
            code="digest",
        )
    (folder / "benchmark.json").write_bytes(content)
    tracks = [track.slug for track in benchmark.tracks]
    console.result(f"{folder}  questions of {benchmark.address}, {n_bytes / 1e6:.1f} MB")
    console.result(f"tracks  {', '.join(tracks)}")
    if benchmark.licence:
        console.result(f"licence  {benchmark.licence}")
    console.document(
        {
            "benchmark": benchmark.address,
            "folder": str(folder),
            "bytes": n_bytes,
            "tracks": tracks,
            "licence": benchmark.licence,
        }
    )
    return Exit.OK


def run_board(args: argparse.Namespace, console: Console) -> Exit:
    """Show a board, or what boards there are."""
    from plumbline.commands import board_table
    from plumbline.commands.site import client_of, named_version

    if args.csv and (args.json or args.name is None):
        raise Fault("--csv wants a NAME, and --json is another form of the same.")
    with client_of(args) as client:
        if args.name is None:
            return _list_benchmarks(client, console)
        name, version = named_version(client, args.name)
        track = args.track
        if track is None:
            tracks = [str(found["slug"]) for found in client.version(name, version)["tracks"]]
            if not tracks:
                raise Fault(f"{name}@{version} has no track.", Exit.NOT_FINE)
            track, *others = tracks
            if others:
                console.say(f"Track {track}; others: {', '.join(others)}.")
        if args.csv:
            console.raw(client.board_csv(name, version, track, slice_=args.slice))
            return Exit.OK
        board = client.board(name, version, track)
    console.document(board)
    console.result(board_table.board_text(board, args.slice, args.metric))
    return Exit.OK


def _sha256(file: Path) -> str:
    import hashlib

    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _list_benchmarks(client: Client, console: Console) -> Exit:
    from plumbline.tables import table

    benchmarks = client.benchmarks()
    rows = [
        (f"{benchmark['name']}@{version['version']}", track["slug"], str(track.get("n_rows", "")))
        for benchmark in benchmarks
        for version in benchmark["versions"]
        for track in version["tracks"]
    ]
    console.document({"benchmarks": benchmarks})
    console.result(
        table(("benchmark", "track", "rows"), rows, "llr") if rows else "No benchmark is open here."
    )
    return Exit.OK
