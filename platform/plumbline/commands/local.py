"""What offline commands read: a bundle, a track, a predictions file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.errors import PredictionsInvalid
from plumbline.console import Console
from plumbline.faults import Exit, Fault

if TYPE_CHECKING:
    from evaluator.bundle import Benchmark, Bundle
    from evaluator.family import Metric, Slice
    from evaluator.likeness import Fingerprint
    from evaluator.outcome import Outcome


def add_bundle_and_track(parser: argparse.ArgumentParser) -> None:
    """The arguments that say which questions are meant."""
    parser.add_argument(
        "bundle",
        type=Path,
        metavar="BUNDLE",
        help="folder of a benchmark bundle, or of downloaded questions",
    )
    parser.add_argument("--track", required=True, metavar="T", help="how the questions were asked")


def add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rules", metavar="R", help="named rule set (default: the version's own)")


def add_address(parser: argparse.ArgumentParser) -> None:
    """The arguments that say which number is meant."""
    parser.add_argument(
        "--metric", metavar="M", help="how answers are counted (default: the first)"
    )
    parser.add_argument("--slice", default="all", metavar="S", help="which count (default: all)")


def how_drawn(args: argparse.Namespace, benchmark: Benchmark) -> dict[str, Any]:
    """The resampling behind a document's intervals, as its JSON names it."""
    plan = benchmark.bootstrap
    n_draws = plan.draws if args.draws is None else args.draws
    return {"draws": n_draws, "seed": plan.seed, "level": plan.level}


def read_bundle_for(args: argparse.Namespace, *, with_truth: bool) -> Bundle:
    """The named bundle; its track and the rules asked for exist.

    Raises:
        Fault: no such track or rules.
        BundleInvalid: the bundle cannot be used.
    """
    from evaluator.bundle import read_bundle
    from evaluator.scoring import family_of

    bundle = read_bundle(args.bundle, with_truth=with_truth)
    tracks = [track.slug for track in bundle.benchmark.tracks]
    if args.track not in tracks:
        raise Fault(
            f"{bundle.benchmark.address} has no track {args.track!r}; it has {', '.join(tracks)}."
        )
    if bundle.is_reference_only:
        raise Fault(f"{bundle.benchmark.address} holds published results only, no questions.")
    rules = getattr(args, "rules", None)
    known = family_of(bundle.benchmark).rules
    if rules is not None and rules not in known:
        raise Fault(f"There are no rules {rules!r}; there are {', '.join(known)}.")
    if with_truth and bundle.truth is None:
        raise Fault(
            f"{args.bundle} holds no truth.jsonl: the answers stay on the site. Offline, such a "
            "folder can only `plumbline validate`; `plumbline submit` has the file scored.",
            code="no_truth",
        )
    return bundle


@contextmanager
def about(file: Path) -> Iterator[None]:
    """Names the file whose problems come up inside."""
    try:
        yield
    except PredictionsInvalid as error:
        n_problems = error.n_problems
        raise Fault(
            f"{file} has {n_problems} problem{'' if n_problems == 1 else 's'}.",
            Exit.NOT_FINE,
            code=f"input.{error.problems[0].code}",
            problems=error.problems,
            n_problems=n_problems,
        ) from None


def match_files(
    bundle: Bundle, args: argparse.Namespace, contents: Sequence[bytes], console: Console
) -> tuple[list[Outcome], list[Fingerprint]]:
    """The outcomes of the files asked about, on their track and rules, and their answers in short.

    Raises:
        Fault: a file has problems.
    """
    from evaluator.scoring import match_and_fingerprint

    outcomes, fingerprints = [], []
    for number, (file, data) in enumerate(zip(args.files, contents, strict=True), start=1):
        tell(console, f"matching {number} of {len(contents)} files")
        with about(file):
            outcome, fingerprint = match_and_fingerprint(bundle, args.track, data, args.rules)
        outcomes.append(outcome)
        fingerprints.append(fingerprint)
    return outcomes, fingerprints


def address_of(
    args: argparse.Namespace, bundle: Bundle, outcomes: Sequence[Outcome]
) -> tuple[Slice, Metric]:
    """The slice and metric asked for.

    Raises:
        Fault: they are not defined for every file.
    """
    from evaluator.scoring import family_of

    family = family_of(bundle.benchmark)
    metric = args.metric or family.primary_metric
    for outcome in outcomes:
        defined = family.addresses(outcome, args.track)
        if any((s.slug, m.slug) == (args.slice, metric) for s, m in defined):
            continue
        metrics = dict.fromkeys(m.slug for s, m in defined if s.slug == args.slice)
        slices = dict.fromkeys(s.slug for s, m in defined if m.slug == metric)
        raise Fault(
            f"There is no {metric} on slice {args.slice}. "
            f"The slice has {', '.join(metrics) or 'nothing'}; "
            f"the metric stands on {', '.join(slices) or 'no slice'}."
        )
    return family.slice(args.slice), family.metric(metric)


def tell(console: Console, remark: str) -> None:
    """Progress, for whoever watches."""
    if console.is_watched:
        console.live(remark)


def point_out_twins(
    files: Sequence[Path],
    contents: Sequence[bytes],
    fingerprints: Sequence[Fingerprint],
    console: Console,
) -> list[dict[str, object]]:
    """Say which files hardly differ, and give the same for a document."""
    from evaluator.likeness import twins_among

    found: list[dict[str, object]] = []
    for twins in twins_among(contents, fingerprints):
        first, second = str(files[twins.first]), str(files[twins.second])
        console.say(f"note: {first} and {second} {twins.sentence}. Are they different runs?")
        found.append({"files": [first, second], "sentence": twins.sentence})
    return found


def refuse_filled(folder: Path) -> None:
    """Raises Fault where a folder holds anything already."""
    if folder.exists() and any(folder.iterdir()):
        raise Fault(f"{folder} is not empty; name a new folder.")
