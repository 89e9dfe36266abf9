"""The `plumbline` command: parses, runs one subcommand, and ends with its exit code."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence

import evaluator
import plumbline
from evaluator.errors import EvaluatorError
from plumbline.commands import (
    account,
    audits,
    boards,
    bundles,
    entries,
    export,
    ranks,
    replies,
    scores,
    stability,
)
from plumbline.commands.grammar import Command, add_shared_options
from plumbline.console import Console
from plumbline.errors import PlumblineError
from plumbline.faults import Exit, Fault, fault_of

GROUPS = (scores, ranks, stability, replies, entries, boards, account, bundles, export, audits)
DEBUG_VARIABLE = "PLUMBLINE_DEBUG"

DESCRIPTION = """\
Plumbline: leaderboards for benchmarks of who does what to whom, with honest error bars.

Download the questions of a benchmark, check your predictions offline with the code
that the site runs, hand them in, and read the board."""

EPILOG = """\
a first submission:
  plumbline login --server https://board.example.org
  plumbline questions sample-hoi --out sample-hoi
  plumbline validate sample-hoi predictions.json --track target-box
  plumbline submit predictions.json --benchmark sample-hoi --track target-box \\
      --system "My model" --publish --wait

exit codes:
  0  fine
  1  what was asked about is not: an invalid file, a rejected submission
  2  the command was misused, or a file cannot be read
  3  the site or the network is at fault, or you are not signed in
  4  a fault of plumbline

environment:
  PLUMBLINE_SERVER  address of the site      PLUMBLINE_TOKEN  token, instead of a sign-in
  PLUMBLINE_DEBUG   1 shows tracebacks       XDG_CONFIG_HOME  where tokens are kept

`plumbline COMMAND --help` explains a command and shows an example."""


class _ShowVersion(argparse.Action):
    """Prints versions when asked, so that other runs need not look them up."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        sys.stdout.write(f"plumbline {plumbline.version()}, evaluator {evaluator.__version__}\n")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Run `plumbline` with these arguments; its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    args = _parser().parse_args(argv)
    try:
        code = _guarded(args.run, args, Console(as_json=args.json))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever read us has enough; Python must not complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.BROKEN_PIPE
    except (KeyboardInterrupt, EOFError):  # EOFError: the end of input at a prompt
        if sys.stderr.isatty():
            sys.stderr.write("\n")
        return Exit.INTERRUPTED


def _guarded(run: Command, args: argparse.Namespace, console: Console) -> Exit:
    try:
        return run(args, console)
    except Fault as fault:
        console.fault(fault)
        return fault.exit_code
    except (BrokenPipeError, EOFError):
        raise
    except (PlumblineError, EvaluatorError, OSError) as error:
        if _is_debugging():
            traceback.print_exc()
        expected = fault_of(error)
        console.fault(expected)
        return expected.exit_code
    except Exception as error:  # noqa: BLE001  # the rim: nobody above could act on it
        if _is_debugging():
            traceback.print_exc()
        told = "" if _is_debugging() else f"; {DEBUG_VARIABLE}=1 shows it"
        console.fault(
            Fault(
                f"This is a fault of plumbline, not yours ({type(error).__name__}: {error}). "
                "Please report it with the command, the output of `plumbline --version` and the "
                f"traceback{told}.",
                Exit.OURS,
                code="unexpected",
            )
        )
        return Exit.OURS


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="plumbline",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show versions and exit")
    add_shared_options(parser, online=True)
    parser.set_defaults(json=False, server=None)
    commands = parser.add_subparsers(metavar="COMMAND", required=True, title="commands")
    for group in GROUPS:
        group.add_commands(commands)
    return parser


def _is_debugging() -> bool:
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")
