"""bundle and convert: files of others made into files of ours."""

from __future__ import annotations

import argparse
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
    from evaluator.families.hoi_choice.crosshoi import import_crosshoi

    _refuse_filled(args.out)
    bundle, report = import_crosshoi(
        args.source, args.part, annotations=args.annotations, seed=args.seed
    )
    return _write(bundle, report.lines, dict(report.odd), args.out, console)


def run_hico_det(args: argparse.Namespace, console: Console) -> Exit:
    """Build a bundle of HICO-DET's test set."""
    from evaluator.families.hoi_detection.importers import import_hico_det

    _refuse_filled(args.out)
    bundle, lines = import_hico_det(args.annotations)
    return _write(bundle, lines, {}, args.out, console)


def run_hoi_coco(args: argparse.Namespace, console: Console) -> Exit:
    """Build a bundle of V-COCO's test set over HOI-COCO's classes."""
    from evaluator.families.hoi_detection.importers import import_hoi_coco

    _refuse_filled(args.out)
    bundle, lines = import_hoi_coco(args.annotations, args.classes)
    return _write(bundle, lines, {}, args.out, console)


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


def _add_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="a new or empty folder"
    )


def _add_annotations_and_out(parser: argparse.ArgumentParser, name: str) -> None:
    parser.add_argument("--annotations", required=True, type=Path, metavar="JSON", help=name)
    _add_out(parser)


def _refuse_filled(folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()):
        raise Fault(f"{folder} is not empty; name a new folder.")


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
