"""How a subcommand is declared: what it does, an example, what its exit codes mean."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Mapping
from typing import TypeAlias

from plumbline.console import Console
from plumbline.faults import Exit

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Command: TypeAlias = Callable[[argparse.Namespace, Console], Exit]

WIDTH = 88
USUAL_EXITS = {2: "the command was misused, or a file cannot be read", 4: "a fault of plumbline"}
SITE_EXITS = {3: "the site or the network is at fault, or you are not signed in"}


def add_command(
    commands: Subparsers,
    name: str,
    run: Command,
    *,
    summary: str,
    description: str,
    example: str,
    exits: Mapping[int, str],
    online: bool = False,
) -> argparse.ArgumentParser:
    """A parser for `plumbline NAME`, with the options that all commands share."""
    codes = {**exits, **(SITE_EXITS if online else {}), **USUAL_EXITS}
    parser = commands.add_parser(
        name,
        help=summary,
        description=textwrap.fill(" ".join(description.split()), WIDTH),
        epilog=_epilog(example, codes),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_shared_options(parser, online=online)
    parser.set_defaults(run=run)
    return parser


def add_shared_options(parser: argparse.ArgumentParser, *, online: bool) -> None:
    """`--json`, and `--server` where a site is asked; they may stand before or after NAME."""
    parser.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS,
        help="one JSON document on stdout; remarks go to stderr",
    )
    if online:
        parser.add_argument(
            "--server",
            metavar="URL",
            default=argparse.SUPPRESS,
            help="address of the site (else PLUMBLINE_SERVER, else the latest sign-in)",
        )


def count(text: str) -> int:
    """A whole number from 0; argparse names this function where it is none."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _epilog(example: str, codes: Mapping[int, str]) -> str:
    examples = textwrap.indent(textwrap.dedent(example).strip(), "  ")
    meanings = "\n".join(f"  {code}  {codes[code]}" for code in sorted(codes))
    return f"example:\n{examples}\n\nexit codes:\n{meanings}"
