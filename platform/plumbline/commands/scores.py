"""validate, score, compare: the evaluator on this machine."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from plumbline.commands import local
from plumbline.commands.grammar import Subparsers, add_command, count
from plumbline.console import Console
from plumbline.faults import Exit, Fault

if TYPE_CHECKING:
    from collections.abc import Callable


def add_commands(commands: Subparsers) -> None:
    """Declare the group."""
    validate = add_command(
        commands,
        "validate",
        run_validate,
        summary="find all problems of a predictions file, offline",
        description="""Reads a predictions file exactly as the site does and lists what is wrong
        with it: where, what was found, what was wanted, what to do. It needs the public questions
        only (`plumbline questions`) and uploads nothing. What passes here is scored there.""",
        example="""
        plumbline questions sample-hoi --out sample-hoi
        plumbline validate sample-hoi predictions.json --track target-box
        """,
        exits={0: "the file is lawful", 1: "it has problems; they are listed"},
    )
    local.add_bundle_and_track(validate)
    validate.add_argument("file", type=Path, metavar="FILE", help="predictions")
    local.add_rules(validate)
    score = add_command(
        commands,
        "score",
        run_score,
        summary="score a predictions file, offline",
        description="""Scores a predictions file with the evaluator that the site runs, where you
        hold the answers (a bundle with truth.jsonl). Intervals come from the version's own draws,
        so they agree with the site to the last digit; with another --draws they do not. Where wrong
        options are of known kinds, wrong answers are counted by kind, with chance beside them.""",
        example="""
        plumbline score BUNDLE predictions.json --track target-box
        plumbline score BUNDLE predictions.json --track target-box --draws 0 --json
        """,
        exits={0: "scored", 1: "the file has problems; they are listed"},
    )
    local.add_bundle_and_track(score)
    score.add_argument("file", type=Path, metavar="FILE", help="predictions")
    local.add_rules(score)
    score.add_argument(
        "--draws",
        type=count,
        metavar="N",
        help="resamples (default: the version's; 0: none)",
    )
    compare = add_command(
        commands,
        "compare",
        run_compare,
        summary="compare two predictions files, offline",
        description="""Paired differences, A minus B, on the same draws of the same questions: far
        sharper than two intervals side by side. A difference whose interval spans zero is marked
        unresolved; files that hardly differ are pointed out. Where one option is chosen, it also
        says how often both files have the same answer. Needs a bundle with truth.jsonl.""",
        example="plumbline compare BUNDLE a.json b.json --track target-box",
        exits={0: "compared, whatever the outcome", 1: "a file has problems; they are listed"},
    )
    local.add_bundle_and_track(compare)
    compare.add_argument("first", type=Path, metavar="A", help="predictions")
    compare.add_argument("second", type=Path, metavar="B", help="predictions")
    compare.add_argument(
        "--track-b",
        metavar="T",
        help="B's track where it is another one: what a way of asking costs",
    )
    local.add_rules(compare)
    compare.add_argument(
        "--draws", type=count, metavar="N", help="resamples (default: the version's)"
    )


def run_validate(args: argparse.Namespace, console: Console) -> Exit:
    """List all problems of a predictions file."""
    from evaluator.scoring import validate_predictions
    from plumbline.console import problems_document, problems_text

    bundle = local.read_bundle_for(args, with_truth=False)
    rules = args.rules or bundle.benchmark.rules
    verdict: dict[str, object] = {
        "valid": True,
        "benchmark": bundle.benchmark.address,
        "track": args.track,
        "rules": rules,
    }
    try:
        with local.about(args.file):
            validate_predictions(bundle, args.track, args.file.read_bytes(), rules)
    except Fault as fault:
        console.say(f"plumbline: {fault.sentence}")
        problems = problems_document(fault.problems, fault.n_problems)
        console.document({**verdict, "valid": False, **problems})
        console.result(problems_text(fault.problems, fault.n_problems))
        return fault.exit_code
    console.document({**verdict, **problems_document((), 0)})
    console.result(
        f"{args.file}  no problems ({bundle.benchmark.address}, {args.track}, rules {rules})"
    )
    return Exit.OK


def run_score(args: argparse.Namespace, console: Console) -> Exit:
    """Score a predictions file."""
    import msgspec

    from evaluator.scorecard import flat_scorecard
    from evaluator.scoring import family_of, match_predictions, score_outcome
    from plumbline.commands import score_tables

    bundle = local.read_bundle_for(args, with_truth=True)
    with local.about(args.file):
        outcome = match_predictions(bundle, args.track, args.file.read_bytes(), args.rules)
    card = score_outcome(
        bundle.benchmark, args.track, outcome, draws=args.draws, progress=_progress(console)
    )
    tabulate = family_of(bundle.benchmark).errors_by_kind
    errors = tabulate and tabulate(outcome)
    document = flat_scorecard(card)
    console.document({**document, "errors_by_kind": msgspec.to_builtins(errors)})
    console.result(score_tables.scorecard_text(card, bundle.benchmark, errors or ()))
    return Exit.OK


def run_compare(args: argparse.Namespace, console: Console) -> Exit:
    """Compare two predictions files."""
    import msgspec

    import evaluator
    from evaluator.scorecard import flat
    from evaluator.scoring import (
        compare_outcomes,
        family_of,
        match_and_fingerprint,
        score_outcome,
    )
    from plumbline.commands import score_tables

    if args.draws == 0:
        raise Fault("compare wants draws: a difference without an interval says little.")
    bundle = local.read_bundle_for(args, with_truth=True)
    files = (args.first, args.second)
    contents = [file.read_bytes() for file in files]
    tracks = (args.track, args.track_b or args.track)
    outcomes, fingerprints = [], []
    for file, data, track in zip(files, contents, tracks, strict=True):
        with local.about(file):
            outcome, fingerprint = match_and_fingerprint(bundle, track, data, args.rules)
        outcomes.append(outcome)
        fingerprints.append(fingerprint)
    benchmark, first, second = bundle.benchmark, *outcomes
    differences = compare_outcomes(benchmark, tracks, (first, second), draws=args.draws)
    cards = [
        score_outcome(benchmark, track, outcome, draws=0)
        for track, outcome in zip(tracks, outcomes, strict=True)
    ]
    agree = family_of(benchmark).agreement
    agreement = agree and agree(first, second)
    twins = local.point_out_twins(files, contents, fingerprints, console)
    drawn = local.how_drawn(args, benchmark)
    console.document(
        {
            "benchmark": benchmark.address,
            "track": args.track,
            "track_b": tracks[1],
            "rules": first.rules,
            "evaluator": evaluator.__version__,
            **drawn,
            "first": str(args.first),
            "second": str(args.second),
            "alike": twins,
            "agreement": msgspec.to_builtins(agreement),
            "differences": [flat(difference) for difference in differences],
        }
    )
    text = score_tables.differences_text(differences, cards[0], cards[1], benchmark)
    if agreement:
        text += f"\n\n{score_tables.agreement_text(agreement)}"
    console.result(text)
    console.say(
        f"{drawn['draws']} draws, seed {drawn['seed']}; differences in percentage points, A minus B"
    )
    return Exit.OK


def _progress(console: Console) -> Callable[[int, int], None] | None:
    if not console.is_watched:
        return None
    return lambda done, total: console.live(f"{done} of {total} draws")
