"""rank: predictions files held against each other."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from plumbline.commands import local
from plumbline.commands.grammar import Subparsers, add_command, count
from plumbline.console import Console
from plumbline.faults import Exit
from plumbline.tables import NOTHING, percent, span, table

if TYPE_CHECKING:
    from evaluator.family import Metric, Slice
    from evaluator.standings import Standing, Standings

UNRESOLVED = "unresolved from the next"


def add_commands(commands: Subparsers) -> None:
    """Declare the group."""
    rank = add_command(
        commands,
        "rank",
        run_rank,
        summary="rank predictions files against each other, offline",
        description="""Scores every file and ranks them at one metric on common draws: value,
        interval, rank, and the ranks that the data allow by simultaneous bands. A file that cannot
        be told from the next is marked unresolved; files that hardly differ are pointed out. Needs
        a bundle with truth.jsonl.""",
        example="plumbline rank BUNDLE a.json b.json c.json --track detect --metric map",
        exits={0: "ranked", 1: "a file has problems; they are listed"},
    )
    local.add_bundle_and_track(rank)
    rank.add_argument("files", type=Path, nargs="+", metavar="FILE", help="predictions")
    local.add_address(rank)
    local.add_rules(rank)
    rank.add_argument("--draws", type=count, metavar="N", help="resamples (default: the version's)")


def run_rank(args: argparse.Namespace, console: Console) -> Exit:
    """Rank predictions files at one slice and metric."""
    from evaluator.standings import rank_outcomes

    bundle = local.read_bundle_for(args, with_truth=True)
    benchmark = bundle.benchmark
    files: list[Path] = args.files
    contents = [file.read_bytes() for file in files]
    outcomes, fingerprints = local.match_files(bundle, args, contents, console)
    address = local.address_of(args, bundle, outcomes)
    standings = rank_outcomes(
        benchmark,
        args.track,
        outcomes,
        address,
        draws=args.draws,
        progress=lambda done, total: local.tell(console, f"{done} of {total} files drawn"),
    )
    twins = local.point_out_twins(files, contents, fingerprints, console)
    drawn = local.how_drawn(args, benchmark)
    console.document(
        {
            "benchmark": benchmark.address,
            "track": args.track,
            "rules": outcomes[0].rules,
            "slice": address[0].slug,
            "metric": address[1].slug,
            **drawn,
            "minimum_detectable": standings.minimum_detectable,
            "alike": twins,
            "places": [_document(place, files) for place in standings.places],
        }
    )
    where = f"{benchmark.address}, {args.track}, rules {outcomes[0].rules}"
    console.result(f"{where}\n\n{_text(standings, files, address, drawn['level'])}")
    console.say(
        f"{drawn['draws']} draws, seed {drawn['seed']}; ranks by simultaneous bands over all pairs"
    )
    return Exit.OK


def _document(place: Standing, files: list[Path]) -> dict[str, object]:
    interval = place.interval
    return {
        "file": str(files[place.entry]),
        "value": place.value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "reason": place.reason,
        "rank": place.rank,
        "rank_low": place.low,
        "rank_high": place.high,
        "unresolved_from_next": place.unresolved_from_next,
    }


def _text(
    standings: Standings, files: list[Path], address: tuple[Slice, Metric], level: float
) -> str:
    head = ("rank", "ranks", "file", address[1].slug, f"{100 * level:.0f} % interval", "")
    rows = [
        (
            NOTHING if place.rank is None else str(place.rank),
            NOTHING if place.low is None else f"{place.low}-{place.high}",
            str(files[place.entry]),
            percent(place.value),
            span(place.interval.low, place.interval.high) if place.interval else NOTHING,
            place.reason or (UNRESOLVED if place.unresolved_from_next else ""),
        )
        for place in standings.places
    ]
    text = table(head, rows, "rrlrll")
    if standings.minimum_detectable is not None:
        text += f"\n\nminimum detectable difference {percent(standings.minimum_detectable)} points"
    return text
