"""bundle and convert: files of others made into files of ours."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from plumbline.commands import local
from plumbline.commands.grammar import Subparsers, add_command
from plumbline.console import Console
from plumbline.faults import Exit, Fault

if TYPE_CHECKING:
    from evaluator.bundle import Bundle

CROSSHOI_PARTS = ("hicodet", "vcoco", "swig")
BUNDLE_EXITS = {0: "the bundle is written", 1: "the bundle fails its audits; nothing is written"}


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
        exits=BUNDLE_EXITS,
    )
    crosshoi.add_argument(
        "--source", required=True, type=Path, metavar="DIR", help="folder of the released files"
    )
    crosshoi.add_argument("--part", required=True, choices=CROSSHOI_PARTS, help="of the release")
    _add_out(crosshoi)
    crosshoi.add_argument(
        "--annotations",
        type=Path,
        metavar="FILE",
        help="image annotations of the parent data set, for what others in an image do",
    )
    crosshoi.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the order of choices (default: 0)"
    )
    hico_det = add_command(
        releases,
        "hico-det",
        run_hico_det,
        summary="HICO-DET: detection of 600 interactions",
        description="""Builds a bundle from HICO-DET's test annotations in the JSON of
        github.com/fredzzhang/hicodet. All images are kept, those without pairs too: false
        positives on them count. Class list and training counts come with plumbline.""",
        example="""
        plumbline bundle hico-det --annotations instances_test2015.json --out hico-det-bundle
        """,
        exits=BUNDLE_EXITS,
    )
    _add_annotations_and_out(hico_det, "instances_test2015.json")
    hoi_coco = add_command(
        releases,
        "hoi-coco",
        run_hoi_coco,
        summary="HOI-COCO: V-COCO's test set over 222 interactions",
        description="""Builds a bundle from V-COCO's test annotations in the JSON of
        github.com/fredzzhang/vcoco and HOI-COCO's class list, a CSV with the columns object and
        verb. Without training counts of a named split there are no rare and object splits.""",
        example="""
        plumbline bundle hoi-coco --annotations instances_vcoco_test.json \\
            --classes hoi_coco_classes.csv --out hoi-coco-bundle
        """,
        exits=BUNDLE_EXITS,
    )
    _add_annotations_and_out(hoi_coco, "instances_vcoco_test.json")
    hoi_coco.add_argument(
        "--classes", required=True, type=Path, metavar="CSV", help="columns object and verb"
    )
    _add_actionlens(releases)
    convert = add_command(
        commands,
        "convert",
        run_convert,
        summary="turn predictions of another form into ours",
        description="""Reads predictions as other programs write them (lmms-eval's samples_*.jsonl,
        VLMEvalKit's tsv, json and xlsx, the released CrossHOI form) and writes a predictions file
        that the site takes. It needs the public questions only, and says what it did: how many
        requests failed, how many questions are left without an answer.""",
        example="""
        plumbline convert BUNDLE released.json --track target-box --out predictions.json
        plumbline convert BUNDLE model_Benchmark.xlsx --track target-box --out predictions.json
        """,
        exits={0: "the file is written", 1: "the file has problems; they are listed"},
    )
    local.add_bundle_and_track(convert)
    convert.add_argument("file", type=Path, metavar="FILE", help="predictions of another form")
    convert.add_argument("--out", required=True, type=Path, metavar="OUT", help="the new file")


def run_crosshoi(args: argparse.Namespace, console: Console) -> Exit:
    """Build a bundle of the release and report the items that were odd."""
    from evaluator.families.hoi_choice.crosshoi import import_crosshoi

    local.refuse_filled(args.out)
    bundle, report = import_crosshoi(
        args.source, args.part, annotations=args.annotations, seed=args.seed
    )
    return _write(bundle, report.lines, dict(report.odd), args.out, console)


def run_hico_det(args: argparse.Namespace, console: Console) -> Exit:
    """Build a bundle of HICO-DET's test set."""
    from evaluator.families.hoi_detection.importers import import_hico_det

    local.refuse_filled(args.out)
    bundle, lines = import_hico_det(args.annotations)
    return _write(bundle, lines, {}, args.out, console)


def run_hoi_coco(args: argparse.Namespace, console: Console) -> Exit:
    """Build a bundle of V-COCO's test set over HOI-COCO's classes."""
    from evaluator.families.hoi_detection.importers import import_hoi_coco

    local.refuse_filled(args.out)
    bundle, lines = import_hoi_coco(args.annotations, args.classes)
    return _write(bundle, lines, {}, args.out, console)


def run_actionlens(args: argparse.Namespace, console: Console) -> Exit:
    """Build questions from evidence, and account for every row and candidate that was left out."""
    from evaluator.errors import BundleInvalid
    from evaluator.families.actionlens.builder.ava import read_ava
    from evaluator.families.actionlens.builder.build import build
    from evaluator.families.actionlens.builder.evidence import read_evidence
    from evaluator.families.actionlens.builder.ledger import Ledger

    local.refuse_filled(args.out)
    if args.ava is not None and args.actions is None:
        raise Fault("--ava wants --actions: the CSV that names AVA's actions by id.")
    ledger = Ledger()
    try:
        if args.ava is not None:
            evidence = read_ava(args.ava.read_bytes(), args.actions.read_bytes(), ledger)
        else:
            evidence = read_evidence(args.evidence.read_bytes(), ledger)
        bundle = build(
            evidence,
            ledger,
            seed=args.seed,
            tracks=tuple(args.tracks.split(",")),
            max_questions=args.most,
        )
    except BundleInvalid:
        for line in ledger.lines() if ledger.candidates else ():
            console.say(line)
        raise
    return _write(bundle, ledger.lines(), ledger.counts(), args.out, console)


def run_convert(args: argparse.Namespace, console: Console) -> Exit:
    """Turn predictions of another form into ours."""
    from evaluator.scoring import family_of
    from plumbline.workbook import is_workbook, read_workbook

    if args.out.exists() and args.out.samefile(args.file):
        raise Fault("--out names the file itself; name another.")
    bundle = local.read_bundle_for(args, with_truth=False)
    with local.about(args.file):
        data = args.file.read_bytes()
        if is_workbook(data):
            data = json.dumps(read_workbook(args.file), ensure_ascii=False).encode()
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


def _add_actionlens(releases: Subparsers) -> None:
    actionlens = add_command(
        releases,
        "actionlens",
        run_actionlens,
        summary="ActionLens: who does what, when, in clips of video",
        description="""Builds questions of five diagnostics from annotations of who does what at
        each second: AVA v2.2, or any source in the common evidence schema (docs/families). Every
        bad row is reported with its line and left out, every rejected candidate is counted by its
        reason. The same file and seed give the same bundle.""",
        example="""
        plumbline bundle actionlens --ava ava_val_v2.2.csv --actions ava_actions_80.csv \\
            --seed 1 --out actionlens-bundle
        plumbline bundle actionlens --evidence volleyball.jsonl --seed 1 --out volleyball-bundle
        """,
        exits=BUNDLE_EXITS,
    )
    source = actionlens.add_mutually_exclusive_group(required=True)
    source.add_argument("--ava", type=Path, metavar="CSV", help="annotations of AVA v2.2")
    source.add_argument(
        "--evidence", type=Path, metavar="FILE", help="JSON Lines of the common evidence schema"
    )
    actionlens.add_argument(
        "--actions", type=Path, metavar="CSV", help="AVA's actions: columns action_id and name"
    )
    _add_out(actionlens)
    actionlens.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of every choice and order (default: 0)"
    )
    actionlens.add_argument(
        "--tracks",
        default="tracked-boxes",
        metavar="T,T",
        help="ways of asking, separated by commas (default: tracked-boxes)",
    )
    actionlens.add_argument(
        "--most", type=int, default=2000, metavar="N", help="questions of a diagnostic (2000)"
    )


def _add_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="a new or empty folder"
    )


def _add_annotations_and_out(parser: argparse.ArgumentParser, name: str) -> None:
    parser.add_argument("--annotations", required=True, type=Path, metavar="JSON", help=name)
    _add_out(parser)


def _write(
    bundle: Bundle, report: list[str], odd: dict[str, int], folder: Path, console: Console
) -> Exit:
    """Write a bundle that passes its family's checks, and say what is in it."""
    from evaluator.bundle import write_bundle
    from evaluator.scoring import family_of

    for line in report:
        console.say(line)
    faults = family_of(bundle.benchmark).check(bundle)
    if faults:
        raise Fault("The bundle is refused: " + "; ".join(faults), Exit.NOT_FINE, code="audit")
    benchmark = write_bundle(bundle, folder).benchmark
    n_questions = bundle.questions.count(b"\n")
    console.result(f"{folder}  {benchmark.address}, {n_questions} questions")
    for rule, n in sorted(odd.items()):
        console.result(f"    {rule}: {n}")
    console.document(
        {
            "benchmark": benchmark.address,
            "folder": str(folder),
            "n_questions": n_questions,
            "tracks": [track.slug for track in benchmark.tracks],
            "digests": benchmark.digests,
            "odd": odd,
            "report": report,
        }
    )
    return Exit.OK
