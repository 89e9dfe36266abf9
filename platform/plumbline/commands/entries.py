"""submit, status, publish, withdraw: an entrant's submissions."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.codes import PROBLEM_KINDS
from plumbline.commands.grammar import Subparsers, add_command
from plumbline.console import Console
from plumbline.faults import Exit, Fault

if TYPE_CHECKING:
    from plumbline.answers import Json

MEGABYTE = 1_000_000

STATE_EXITS = {
    0: "handed in, waiting, running or scored",
    1: "rejected (the problems are listed), withdrawn, or refused by the site",
    3: "scoring failed on the site's side, the site or the network is at fault, "
    "or you are not signed in",
}


def add_commands(commands: Subparsers) -> None:
    """Declare the group."""
    submit = add_command(
        commands,
        "submit",
        run_submit,
        summary="hand in a predictions file",
        description="""Uploads a predictions file for one track of a benchmark. With --wait it
        stays until the file is scored or rejected, and shows the scores with their intervals or
        all problems at once. A rejected file costs nothing; `plumbline validate` finds the same
        problems offline. Results are private until they are published. A file beyond the limit of
        the site's form goes straight to its store in parts: if that breaks off, the same command
        sends only what is missing.""",
        example="""
        plumbline submit predictions.json --benchmark sample-hoi --track target-box \\
            --system "My model" --facet kind=fine-tuned --publish --wait
        """,
        exits=STATE_EXITS,
        online=True,
    )
    submit.add_argument("file", type=Path, metavar="FILE", help="predictions, JSON or JSON Lines")
    submit.add_argument(
        "--benchmark", required=True, metavar="NAME[@VERSION]", help="by default the promoted one"
    )
    submit.add_argument("--track", required=True, metavar="T", help="how the questions were asked")
    submit.add_argument("--system", required=True, metavar="S", help="name of the row on the board")
    submit.add_argument("--publish", action="store_true", help="show the row when it is scored")
    submit.add_argument("--wait", action="store_true", help="stay until there is a result")
    submit.add_argument(
        "--facet",
        action="append",
        default=[],
        metavar="K=V",
        help="a property of the system, such as kind=fine-tuned; may be repeated",
    )
    status = add_command(
        commands,
        "status",
        run_status,
        summary="say how a submission stands",
        description="""Shows the state of one of your submissions: its place in the queue, how far
        it has run, its scores, or its problems. With --wait it stays until there is a result.""",
        example="plumbline status 0f8fad5b-d9cb-469f-a165-70867728950e --wait",
        exits=STATE_EXITS,
        online=True,
    )
    _add_id(status)
    status.add_argument("--wait", action="store_true", help="stay until there is a result")
    publish = add_command(
        commands,
        "publish",
        run_publish,
        summary="put a submission on the board",
        description="""Makes a submission the one that stands for its system on the board of its
        track, in place of the one that stood there.""",
        example="plumbline publish 0f8fad5b-d9cb-469f-a165-70867728950e",
        exits={0: "published", 1: "the site refuses, and says why"},
        online=True,
    )
    _add_id(publish)
    withdraw = add_command(
        commands,
        "withdraw",
        run_withdraw,
        summary="take a submission off the board",
        description="""Takes the row off the board, for good. The submission itself is kept for
        you to see.""",
        example="plumbline withdraw 0f8fad5b-d9cb-469f-a165-70867728950e",
        exits={0: "withdrawn", 1: "the site refuses, and says why"},
        online=True,
    )
    _add_id(withdraw)


def run_submit(args: argparse.Namespace, console: Console) -> Exit:
    """Hand in a file, and wait for its result where asked to."""
    from plumbline.commands import following
    from plumbline.commands.site import client_of

    facets = _facets(args.facet)
    if args.file.stat().st_size == 0:
        empty = PROBLEM_KINDS["EMPTY"]
        raise Fault(
            f"{args.file} is empty.", Exit.NOT_FINE, code="input.EMPTY", remedy=empty.remedy
        )
    with client_of(args) as client:
        answer = client.submit(
            args.file,
            benchmark=args.benchmark,
            track=args.track,
            system=args.system,
            publish=args.publish,
            facets=facets,
            on_progress=_progress(console),
        )
        submission = following.submission_in(answer)
        if submission.get("duplicate_of"):
            console.say(_about_duplicate(submission, publish=args.publish))
        if args.wait:
            console.say(f"Submission {submission['id']}")
            submission = following.follow(client, submission, console)
        return following.show(client, submission, console)


def run_status(args: argparse.Namespace, console: Console) -> Exit:
    """Say how a submission stands."""
    from plumbline.commands import following
    from plumbline.commands.site import client_of

    with client_of(args) as client:
        submission = following.submission_in(client.submission(args.id))
        if args.wait:
            submission = following.follow(client, submission, console)
        return following.show(client, submission, console)


def run_publish(args: argparse.Namespace, console: Console) -> Exit:
    """Put a submission on the board."""
    from plumbline.commands.site import client_of

    with client_of(args) as client:
        answer = client.publish(args.id)
        console.result(f"Published: {args.id}")
        console.document(answer)
    return Exit.OK


def run_withdraw(args: argparse.Namespace, console: Console) -> Exit:
    """Take a submission off the board."""
    from plumbline.commands.site import client_of

    with client_of(args) as client:
        answer = client.withdraw(args.id)
        console.result(f"Withdrawn: {args.id}")
        console.document(answer)
    return Exit.OK


def _progress(console: Console) -> Callable[[int, int], None] | None:
    """Says how much of a large file has gone; nothing off a terminal."""
    if not console.is_watched:
        return None
    return lambda sent, total: console.live(
        f"sent {sent // MEGABYTE:,} of {total // MEGABYTE:,} MB, {100 * sent // total} %"
    )


def _add_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the submission, as `plumbline submit` named it")


def _about_duplicate(submission: Json, *, publish: bool) -> str:
    """What became of answers that the site has already."""
    name = (submission.get("system") or {}).get("name")
    of = f" of {name}" if name else ""
    said = f"The same answers were handed in before; this is that submission{of}."
    if submission.get("is_published_now"):
        said += " It was private and is published now."
    elif publish and submission.get("visibility") == "private":
        said += f" It is private: `plumbline publish {submission['id']}` puts it on the board."
    return said


def _facets(pairs: list[str]) -> dict[str, str]:
    facets: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals and value):
            raise Fault(f"--facet wants NAME=VALUE, not {pair!r}.")
        facets[name] = value
    return facets
