"""bundle and convert: files of others made into files of ours."""

from __future__ import annotations

import argparse
from pathlib import Path

from plumbline.commands import local
from plumbline.commands.grammar import Subparsers, add_command
from plumbline.console import Console
from plumbline.faults import Exit, Fault

CROSSHOI_PARTS = ("hicodet", "vcoco", "swig")


def add_commands(commands: Subparsers) -> None:
    """Declare the group."""
    bundle = commands.add_parser(
        "bundle",
        help="build a benchmark bundle from released files",
        description="Builds a benchmark bundle; `plumbline bundle RELEASE --help` says from what.",
        allow_abbrev=False,
    )
    releases = bundle.add_subparsers(metavar="RELEASE", required=True, title="releases")
    crosshoi = add_command(
        releases,
        "crosshoi",
        run_crosshoi,
        summary="CrossHOI-Bench: multi-answer multiple choice for HOI",
        description="""Builds a bundle (benchmark.json, questions.jsonl, truth.jsonl) from the
        files that CrossHOI-Bench was released as. The release lists right choices first; here the
        choices of a question are ordered by a seeded hash. Odd items are kept or left out by a
        stated rule and reported. `manage.py load_bundle` puts a bundle on a site.""",
        example="""
        plumbline bundle crosshoi --source crosshoi --part hicodet --out hicodet-bundle
        plumbline bundle crosshoi --source crosshoi --part hicodet --out hicodet-bundle \\
            --annotations instances_test2015.json
        """,
        exits={0: "the bundle is written", 1: "the bundle fails its audits; nothing is written"},
    )
    crosshoi.add_argument(
        "--source", required=True, type=Path, metavar="DIR", help="folder of the released files"
    )
    crosshoi.add_argument("--part", required=True, choices=CROSSHOI_PARTS, help="of the release")
    crosshoi.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="a new or empty folder"
    )
    crosshoi.add_argument(
        "--annotations",
        type=Path,
        metavar="FILE",
        help="image annotations of the parent data set, for what others in an image do",
    )
    crosshoi.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the order of choices (default: 0)"
    )
    convert = add_command(
        commands,
        "convert",
        run_convert,
        summary="turn predictions of another form into ours",
        description="""Reads predictions as other programs write them, such as the released
        CrossHOI form, and writes a predictions file that the site takes. It needs the public
        questions only, and says what it did.""",
        example="plumbline convert BUNDLE released.json --track target-box --out predictions.json",
        exits={0: "the file is written", 1: "the file has problems; they are listed"},
    )
    local.add_bundle_and_track(convert)
    convert.add_argument("file", type=Path, metavar="FILE", help="predictions of another form")
    convert.add_argument("--out", required=True, type=Path, metavar="OUT", help="the new file")


def run_crosshoi(args: argparse.Namespace, console: Console) -> Exit:
    """Build a bundle of the release and report the items that were odd."""
    from evaluator.bundle import write_bundle
    from evaluator.families.hoi_choice.crosshoi import import_crosshoi
    from evaluator.scoring import family_of

    if args.out.exists() and any(args.out.iterdir()):
        raise Fault(f"{args.out} is not empty; name a new folder.")
    bundle, report = import_crosshoi(
        args.source, args.part, annotations=args.annotations, seed=args.seed
    )
    for line in report.lines:
        console.say(line)
    faults = family_of(bundle.benchmark).check(bundle)
    if faults:
        raise Fault("The bundle is refused: " + "; ".join(faults), Exit.NOT_FINE, code="audit")
    benchmark = write_bundle(bundle, args.out).benchmark
    n_questions = bundle.questions.count(b"\n")
    console.result(f"{args.out}  {benchmark.address}, {n_questions} questions")
    for rule, n in sorted(report.odd.items()):
        console.result(f"    {rule}: {n}")
    console.document(
        {
            "benchmark": benchmark.address,
            "folder": str(args.out),
            "n_questions": n_questions,
            "tracks": [track.slug for track in benchmark.tracks],
            "digests": benchmark.digests,
            "odd": dict(report.odd),
            "report": report.lines,
        }
    )
    return Exit.OK


def run_convert(args: argparse.Namespace, console: Console) -> Exit:
    """Turn predictions of another form into ours."""
    from evaluator.scoring import family_of

    if args.out.exists() and args.out.samefile(args.file):
        raise Fault("--out names the file itself; name another.")
    bundle = local.read_bundle_for(args, with_truth=False)
    with local.about(args.file):
        data = args.file.read_bytes()
        converted, notes = family_of(bundle.benchmark).convert(bundle, args.track, data)
    args.out.write_bytes(converted)
    for note in notes:
        console.say(note)
    console.result(f"{args.out}  written for {bundle.benchmark.address}, {args.track}")
    console.document(
        {
            "benchmark": bundle.benchmark.address,
            "track": args.track,
            "out": str(args.out),
            "bytes": len(converted),
            "notes": notes,
        }
    )
    return Exit.OK
