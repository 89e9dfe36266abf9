"""audit: a benchmark before anybody answers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from plumbline.commands.grammar import Subparsers, add_command
from plumbline.console import Console
from plumbline.faults import Exit, Fault
from plumbline.tables import NOTHING, table

if TYPE_CHECKING:
    from evaluator.audit import AuditTable, Cell, TrackAudit


def add_commands(commands: Subparsers) -> None:
    """Declare the group."""
    audit = add_command(
        commands,
        "audit",
        run_audit,
        summary="look at a benchmark before anybody answers",
        description="""Sizes, clusters and classes of every track; where right choices stand, how
        many options questions have and what picking all of them earns, slice by slice; how far
        the classes are from the training set (KL divergence in natural log, instances of the 20
        head over the 20 tail classes); what the wording gives away (right options longer, or of
        more frequent words). Needs a bundle with truth.jsonl.""",
        example="plumbline audit BUNDLE --json",
        exits={0: "the bundle can be opened", 1: "its checks fail; they are listed"},
    )
    audit.add_argument("bundle", type=Path, metavar="BUNDLE", help="folder of a benchmark bundle")


def run_audit(args: argparse.Namespace, console: Console) -> Exit:
    """Say what can be said of a bundle, and what its checks find."""
    from evaluator.bundle import read_bundle
    from evaluator.scoring import family_of

    bundle = read_bundle(args.bundle)
    if bundle.is_reference_only or bundle.truth is None:
        raise Fault(f"{args.bundle} holds no truth.jsonl: there is nothing to audit.")
    family = family_of(bundle.benchmark)
    faults = family.check(bundle)
    audits: dict[str, TrackAudit] = {}
    if family.audit is not None and not faults:
        for plan in bundle.benchmark.tracks:
            audits[plan.slug] = family.audit(bundle, plan.slug)
    console.document(
        {
            "benchmark": bundle.benchmark.address,
            "faults": faults,
            "tracks": {track: _document(audit) for track, audit in audits.items()},
        }
    )
    for track, audit in audits.items():
        console.result(f"{bundle.benchmark.address}, {track}\n\n{_text(audit)}\n")
    for fault in faults:
        console.result(f"fault: {fault}")
    if not faults:
        console.result("Its family's checks find no fault.")
    return Exit.NOT_FINE if faults else Exit.OK


def _document(audit: TrackAudit) -> dict[str, object]:
    return {
        "facts": {fact.slug: fact.value for fact in audit.facts},
        "reasons": {fact.slug: fact.reason for fact in audit.facts if fact.reason},
        "tables": {
            each.slug: [dict(zip(each.columns, row, strict=True)) for row in each.rows]
            for each in audit.tables
        },
    }


def _text(audit: TrackAudit) -> str:
    facts = [(fact.title, _cell(fact.value), fact.reason) for fact in audit.facts]
    parts = [table(("", "", ""), facts, "lrl").lstrip("\n")]
    parts += [_table_text(each) for each in audit.tables if not each.is_long]
    return "\n\n".join(parts)


def _table_text(shown: AuditTable) -> str:
    align = "l" + "r" * (len(shown.columns) - 1)
    rows = [[_cell(cell) for cell in row] for row in shown.rows]
    return f"{shown.title}\n{table(shown.columns, rows, align)}"


def _cell(cell: Cell) -> str:
    if cell is None:
        return NOTHING
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)
