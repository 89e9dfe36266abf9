"""stability: how much a ranking of predictions files hangs on the clusters."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plumbline.commands import local
from plumbline.commands.grammar import Subparsers, add_command, count
from plumbline.console import Console
from plumbline.faults import Exit, Fault
from plumbline.tables import NOTHING, percent, points, table

if TYPE_CHECKING:
    from evaluator.robustness import Reranking, Robustness
    from evaluator.statistics.stability import Concentration


def add_commands(commands: Subparsers) -> None:
    """Declare the group."""
    stability = add_command(
        commands,
        "stability",
        run_stability,
        summary="how much a ranking hangs on single images or videos, offline",
        description="""Ranks the files at one metric again and again on part of the clusters (the
        images or videos that are resampled): on distinct-cluster subsets, without each cluster in
        turn, and on one question of each cell of cluster and slice. Says how far these rankings
        agree with the full one, how values change if each cluster counts the same, how much wider
        clustering makes their intervals, and how questions are spread over clusters. What a family
        or metric does not define is said with the reason. Needs a bundle with truth.jsonl.""",
        example="plumbline stability BUNDLE a.json b.json c.json --track tracked-boxes",
        exits={0: "computed", 1: "a file has problems; they are listed"},
    )
    local.add_bundle_and_track(stability)
    stability.add_argument("files", type=Path, nargs="+", metavar="FILE", help="predictions")
    local.add_address(stability)
    local.add_rules(stability)
    stability.add_argument(
        "--draws", type=count, metavar="N", help="resamples of each kind (default: the version's)"
    )


def run_stability(args: argparse.Namespace, console: Console) -> Exit:
    """Say how stable a ranking is."""
    from evaluator.robustness import robustness

    if args.draws == 0:
        raise Fault("stability wants draws: it is all about resampling.")
    bundle = local.read_bundle_for(args, with_truth=True)
    benchmark = bundle.benchmark
    files: list[Path] = args.files
    contents = [file.read_bytes() for file in files]
    outcomes, fingerprints = local.match_files(bundle, args, contents, console)
    address = local.address_of(args, bundle, outcomes)
    found = robustness(
        benchmark,
        outcomes,
        address,
        draws=args.draws,
        progress=lambda done, total: local.tell(console, f"{done} of {total} rounds"),
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
            "alike": twins,
            **_document(found, files),
        }
    )
    where = f"{benchmark.address}, {args.track}, rules {outcomes[0].rules}"
    where += f", {address[1].slug} on {address[0].slug}"
    parts = [
        where,
        _rankings_text(found, drawn["level"]),
        _changes_text(found, files),
        _systems_text(found, files, address[1].slug),
        _concentration_text(found),
    ]
    console.result("\n\n".join(parts))
    console.say(
        f"{drawn['draws']} draws, seed {drawn['seed']}; a cluster is what is resampled as a whole"
    )
    return Exit.OK


def _document(found: Robustness, files: list[Path]) -> dict[str, Any]:  # Any: JSON
    import msgspec

    document: dict[str, Any] = msgspec.to_builtins(found)
    for file, system in zip(files, document["systems"], strict=True):
        system["file"] = str(file)
    for subset in document["subsets"]:
        subset |= subset.pop("ranking")
    left_out = document["leave_one_out"]
    left_out |= left_out.pop("ranking")
    if left_out["largest_change"]:
        left_out["largest_change"]["file"] = str(files[left_out["largest_change"].pop("entry")])
    return document


def _rankings_text(found: Robustness, level: float) -> str:
    head = ("ranked on", "mean Spearman", f"{100 * level:.0f} %", "least", "leader stays", "n", "")
    rows = [
        *((f"{s.n_clusters} clusters", *_ranking_cells(s.ranking)) for s in found.subsets),
        ("all clusters but one", *_ranking_cells(found.leave_one_out.ranking)),
        ("one question of each cell", *_ranking_cells(found.one_per_cell)),
    ]
    return table(head, rows, "lrlrrrl")


def _ranking_cells(ranking: Reranking) -> tuple[str, ...]:
    stability = ranking.stability
    if stability is None:
        return (*(NOTHING,) * 5, ranking.reason or "")
    return (
        f"{stability.mean:.3f}",
        f"{stability.low:.3f} to {stability.high:.3f}",
        f"{stability.least:.3f}",
        percent(stability.leader_retained),
        str(stability.n),
        "",
    )


def _changes_text(found: Robustness, files: list[Path]) -> str:
    change = found.leave_one_out.largest_change
    if change is None:
        return "no value to change by leaving a cluster out"
    return (
        f"largest change by leaving a cluster out: {points(change.value)} points, "
        f"{files[change.entry]} without {change.cluster}"
    )


def _systems_text(found: Robustness, files: list[Path], metric: str) -> str:
    head = ("file", metric, "equal clusters", "design effect", "")
    rows = []
    for file, system in zip(files, found.systems, strict=True):
        effect = system.design_effect
        reasons = dict.fromkeys((system.equal_clusters_reason, system.design_effect_reason))
        rows.append(
            (
                str(file),
                percent(system.value),
                percent(system.equal_clusters),
                NOTHING if effect is None else f"{effect:.2f}",
                "; ".join(reason for reason in reasons if reason),
            )
        )
    return table(head, rows, "lrrrl")


def _concentration_text(found: Robustness) -> str:
    spread = found.concentration
    if spread is None:
        return f"questions per cluster: {found.concentration_reason}"
    return _spread_text(spread)


def _spread_text(spread: Concentration) -> str:
    return (
        f"questions per cluster: {spread.least} to {spread.most}, median {spread.median:g}; "
        f"the ten largest of {spread.n_clusters} clusters hold {percent(spread.largest_share)} %; "
        f"{spread.n_in_every_slice} clusters have questions in every part of the slice"
    )
