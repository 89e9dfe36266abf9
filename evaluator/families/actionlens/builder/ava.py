"""AVA v2.2 as evidence: one label a row, no header.

Columns: video, second, x1, y1, x2, y2, action id, person id. Column 8 is the
person, not a confidence (ActionLens, appendix C, fix 12).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources

from evaluator.errors import BundleInvalid, quote
from evaluator.families.actionlens.builder.evidence import Action, Evidence, Row, Source, checked
from evaluator.families.actionlens.builder.ledger import Ledger

N_COLUMNS = 8
COLUMNS = "video, second, x1, y1, x2, y2, action, person"

_NUMBER = re.compile(r"\d+(\.\d+)?\Z")
_INTEGER = re.compile(r"\d{1,9}\Z")

TALK, LISTEN, WATCH = 79, 74, 80
# What nobody does twice at once, beside the one posture or locomotion of each person.
EXCLUSIVE = (
    (28, 49, 50, 51),  # drive, ride, row, sail
    (48, 62, 63, 57),  # read, work on a computer, write, text
    (27, 29, 54, 16),  # drink, eat, smoke, brush teeth
)
CONFUSABLE = ((49, 28),)  # ride and drive look the same (appendix C, fix 8)


def read_ava(rows: bytes, actions: bytes, ledger: Ledger) -> Evidence:
    """Evidence from an annotation file and the list of actions; bad rows go to the ledger.

    Raises:
        BundleInvalid: the list of actions is none, or no row is usable.
    """
    names = read_actions(actions)
    evidence = Evidence(_source(names))
    for line, fields in _lines(rows):
        ledger.n_rows += 1
        if len(fields) == N_COLUMNS and not any(fields[2:]):
            continue  # a second without anybody in it
        row = _row(fields, names)
        if isinstance(row, Row):
            evidence.add(row, line, ledger)
            continue
        ledger.bad(line, *row)
        if len(fields) > 1 and _INTEGER.match(fields[1]):
            evidence.spoil(fields[0], int(fields[1]))
    return checked(evidence.seal(ledger), ledger)


def read_actions(data: bytes) -> dict[int, str]:
    """Names of actions by id, from a CSV with columns `action_id` and `name`.

    Raises:
        BundleInvalid: other columns, an id that is not AVA's, or a name twice.
    """
    names: dict[int, str] = {}
    try:
        reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        if not {"action_id", "name"} <= set(reader.fieldnames or ()):
            raise BundleInvalid("the list of actions wants columns action_id and name")
        for fields in reader:
            number, name = fields["action_id"], fields["name"]
            if not _INTEGER.match(number) or int(number) not in _wordings() or not name:
                raise BundleInvalid(f"actions line {reader.line_num}: {number!r} is no AVA action")
            names[int(number)] = name
    except (UnicodeDecodeError, csv.Error) as error:
        raise BundleInvalid(f"the list of actions: {error}") from error
    if len(set(names.values())) < len(names) or not names:
        raise BundleInvalid("the list of actions is empty or gives a name twice")
    return names


@cache
def _wordings() -> dict[int, tuple[str, str, bool]]:
    """Phrase, group and visibility of AVA's 80 actions."""
    text = resources.files(__package__).joinpath("ava_actions.csv").read_text("utf-8")
    return {
        int(fields["action_id"]): (fields["phrase"], fields["group"], fields["visual"] == "yes")
        for fields in csv.DictReader(io.StringIO(text, newline=""))
    }


def _lines(rows: bytes) -> Iterator[tuple[int, list[str]]]:
    text = rows.decode("utf-8-sig", errors="replace")
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for fields in reader:
            if fields:
                yield reader.line_num, [entry.strip() for entry in fields]
    except csv.Error as error:
        raise BundleInvalid(f"annotations line {reader.line_num}: {error}") from error


def _row(fields: list[str], names: dict[int, str]) -> Row | tuple[str, str]:
    """The row, or (found, wanted)."""
    if len(fields) != N_COLUMNS:
        return f"{len(fields)} columns", f"{N_COLUMNS}: {COLUMNS} (v2.2)"
    video, second, *corners, action, person = fields
    if not _INTEGER.match(second):
        return f"second {quote(second)}", "a whole number"
    for corner in corners:
        if not _NUMBER.match(corner):
            return f"corner {quote(corner)}", "a fraction from 0 to 1"
    if not _INTEGER.match(action) or int(action) not in names:
        return f"action {quote(action)}", "an id of the list of actions"
    if not _INTEGER.match(person):
        return f"person {quote(person)}", "a whole number"
    x1, y1, x2, y2 = map(float, corners)
    return Row(
        video=video,
        second=int(second),
        person=str(int(person)),
        box=(x1, y1, x2, y2),
        actions=(names[int(action)],),
    )


def _source(names: dict[int, str]) -> Source:
    def named(*numbers: int) -> tuple[str, ...]:
        return tuple(names[number] for number in numbers if number in names)

    actions = []
    for number, name in sorted(names.items()):
        phrase, group, visual = _wordings()[number]
        actions.append(Action(name=name, phrase=phrase, group=group, visual=visual))  # type: ignore[arg-type]  # our own file
    talk, listen, watch = (names.get(number, "") for number in (TALK, LISTEN, WATCH))
    return Source(
        evidence=1,
        name="actionlens",
        title="ActionLens, built from AVA v2.2",
        actions=tuple(actions),
        diagnostics=(
            "D1",
            "D2",
            "D3",
            *(("D4",) if talk and listen else ()),
            *(("D5",) if watch else ()),
        ),
        exclusive=tuple(group for group in (named(*numbers) for numbers in EXCLUSIVE) if group),
        confusable=tuple(
            (pair[0], pair[1])
            for pair in (named(*numbers) for numbers in CONFUSABLE)
            if len(pair) == 2
        ),
        talk=talk,
        listen=listen,
        watch=watch,
        provisional=False,
        licence="AVA annotations CC BY 4.0; the footage under its own terms.",
        citation=(
            "Faure et al.: ActionLens: Diagnosing Spatial-Temporal Binding Failures in "
            "Vision-Language Models. arXiv:2609.34547. Annotations: Gu et al.: AVA. CVPR 2018."
        ),
        url="https://research.google.com/ava/",
    )
