"""hear: what the reader of replies makes of what models said."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from plumbline.commands import local
from plumbline.commands.grammar import Subparsers, add_command
from plumbline.console import Console
from plumbline.faults import Exit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.errors import Problems

DEFAULT = "default"


def add_commands(commands: Subparsers) -> None:
    """Declare the group."""
    hear = add_command(
        commands,
        "hear",
        run_hear,
        summary="read letters out of what models said, offline",
        description="""Reads replies with the reader that scores them on the site. FILE is a JSON
        list (or JSON Lines) of objects with "text", a model's reply or null, and "options",
        an object from letter to wording or a list of wordings; other keys are left alone. With
        --json it prints a list, in the order of the file, of lists of letters: [] where a reply
        gives no answer, one letter where one answer is asked for, any number with --multi. Else
        a line for each reply: its letters, or - for none.""",
        example="""
        plumbline hear replies.json --json
        plumbline hear replies.json --multi
        """,
        exits={0: "read, whatever was heard", 1: "the file is none of that form"},
    )
    hear.add_argument("file", type=Path, metavar="FILE", help="replies with their options")
    hear.add_argument(
        "--multi", action="store_true", help="several letters may be right (default: one)"
    )
    hear.add_argument(
        "--reader",
        default=DEFAULT,
        choices=(DEFAULT, "first-letter"),
        help="first-letter: the first option letter wherever it stands, for old numbers",
    )


def run_hear(args: argparse.Namespace, console: Console) -> Exit:
    """Print the letters of each reply."""
    from evaluator.errors import Problems
    from evaluator.reading.replies import READER_VERSION, READERS
    from evaluator.reading.strict import parse

    name = READER_VERSION if args.reader == DEFAULT else args.reader
    with local.about(args.file):
        parsed = parse(args.file.read_bytes())
        value = parsed.value
        entries = value if isinstance(value, list) else [value]
        problems = Problems(locate=parsed.where)
        said = list(_replies(entries, problems))
        problems.raise_if_any()
    heard = [READERS[name](text, options, multi=args.multi) for text, options in said]
    console.document([list(letters) for letters in heard])
    console.result("\n".join(" ".join(letters) or "-" for letters in heard))
    n_silent = sum(not letters for letters in heard)
    console.say(f"reader {name}: {len(heard)} replies, {n_silent} without an answer")
    return Exit.OK


def _replies(
    entries: list[object], problems: Problems
) -> Iterator[tuple[str | None, Mapping[str, str]]]:
    """Text and options of each entry; what is amiss goes into `problems`."""
    from evaluator.reading.fields import objects_of
    from evaluator.reading.kinds import shown

    for at, entry in objects_of(entries, "", problems, "an object with text and options"):
        for key in ("text", "options"):
            if key not in entry:
                problems.add("MISSING_FIELD", f"{at}/{key}", "nothing", f"the {key} of a reply")
        text, options = entry.get("text"), _lettered(entry.get("options", {}))
        if text is not None and not isinstance(text, str):
            problems.add("TYPE", f"{at}/text", shown(text), "a reply as a text, or null")
        elif options is None:
            wanted = "wordings by capital letter, or a list of at most 26 wordings"
            problems.add("TYPE", f"{at}/options", shown(entry["options"]), wanted)
        else:
            yield text, options


def _lettered(options: object) -> Mapping[str, str] | None:
    """Wordings by letter; None if they are no options."""
    from evaluator.choices import LETTERS

    if isinstance(options, list) and len(options) <= len(LETTERS):
        options = dict(zip(LETTERS, options, strict=False))
    if not isinstance(options, dict):
        return None
    is_lawful = all(
        len(letter) == 1 and letter in LETTERS and isinstance(wording, str)
        for letter, wording in options.items()
    )
    return options if is_lawful else None
