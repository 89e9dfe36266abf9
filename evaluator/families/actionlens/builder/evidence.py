"""Person-bound action evidence: the common schema that every source is brought into.

JSON Lines. The first line says what the source is and what its actions are;
each further line is one person at one second: a box and all actions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import msgspec

from evaluator.errors import BundleInvalid, quote
from evaluator.families.actionlens.builder.ledger import Ledger
from evaluator.families.actionlens.diagnostics import Code, Transition
from evaluator.reading.fields import UNPRINTABLE

Box = tuple[float, float, float, float]  # x1, y1, x2, y2 in fractions of width and height
Timeline = dict[int, dict[str, "Sighting"]]  # second, person

MAX_NAME = 80  # characters of a video's or a person's name


class Action(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One action of a source.

    Attributes:
        phrase: as an option words it, such as `carrying something`.
        group: what a change to it counts as; posture and locomotion exclude one another.
        visual: it can be seen in muted video.
    """

    name: str
    phrase: str
    group: Transition
    visual: bool = True


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of an evidence file.

    Attributes:
        name: slug of the benchmark that is built.
        diagnostics: those that the evidence supports.
        exclusive: sets of actions of which nobody does two at once.
        confusable: pairs that cannot be told apart by sight.
        talk, listen, watch: the actions that D4 and D5 rest on; empty where there are none.
        provisional: item validity has not been shown for this source.
    """

    evidence: Literal[1]
    name: str
    title: str
    actions: tuple[Action, ...]
    diagnostics: tuple[Code, ...]
    exclusive: tuple[tuple[str, ...], ...] = ()
    confusable: tuple[tuple[str, str], ...] = ()
    talk: str = ""
    listen: str = ""
    watch: str = ""
    provisional: bool = True
    version: str = "1"
    licence: str = ""
    citation: str = ""
    url: str = ""


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person at one second."""

    video: str
    second: int
    person: str
    box: Box
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sighting:
    """One person at one second."""

    box: Box
    actions: frozenset[str]


@dataclass(slots=True)
class Evidence:
    """A source's evidence, by video, second and person."""

    source: Source
    videos: dict[str, Timeline] = field(default_factory=dict)
    _spoilt: set[tuple[str, int]] = field(default_factory=set)

    def add(self, row: Row, line: int, ledger: Ledger) -> None:
        """Take a row in, or note what is wrong with it; rows of one person add up."""
        fault = self._fault(row)
        if fault is None:
            known = self.videos.setdefault(row.video, {}).setdefault(row.second, {})
            before = known.get(row.person)
            if before is not None and before.box != row.box:
                fault = (quote(row.person), "one box for a person at a second")
            else:
                actions = frozenset(row.actions) | (before.actions if before else frozenset())
                known[row.person] = Sighting(row.box, actions)
        if fault is not None:
            ledger.bad(line, *fault)
            self.spoil(row.video, row.second)

    def spoil(self, video: str, second: int) -> None:
        """A bad row speaks of this second: what it would have said is missing."""
        self._spoilt.add((video, second))

    def seal(self, ledger: Ledger) -> Evidence:
        """The evidence without the seconds that bad rows speak of."""
        for video, second in self._spoilt:
            if self.videos.get(video, {}).pop(second, None) is not None:
                ledger.n_spoilt += 1
        self._spoilt.clear()
        return self

    def _fault(self, row: Row) -> tuple[str, str] | None:
        for name, what in ((row.video, "video"), (row.person, "person")):
            if not 0 < len(name) <= MAX_NAME or UNPRINTABLE.search(name):
                return quote(name), f"a {what} of 1-{MAX_NAME} printable characters"
        if row.second < 0:
            return str(row.second), "a second from 0"
        x1, y1, x2, y2 = row.box
        if not (0 <= x1 < x2 <= 1 and 0 <= y1 < y2 <= 1):
            return str(list(row.box)), "a box x1 < x2, y1 < y2 in fractions from 0 to 1"
        known = {action.name for action in self.source.actions}
        for action in row.actions:
            if action not in known:
                return quote(action), "an action of the source"
        return None


def read_evidence(data: bytes, ledger: Ledger) -> Evidence:
    """The evidence in a file of the common schema; bad rows go to the ledger.

    Raises:
        BundleInvalid: the first line is no source, or no row is usable.
    """
    first, *rest = data.splitlines() or [b""]
    try:
        source = msgspec.json.decode(first, type=Source)
    except msgspec.MsgspecError as error:
        raise BundleInvalid(f"evidence line 1 does not describe a source: {error}") from error
    check_source(source)
    evidence = Evidence(source)
    decoder = msgspec.json.Decoder(Row)
    for line, raw in enumerate(rest, start=2):
        if not raw.strip():
            continue
        ledger.n_rows += 1
        try:
            row = decoder.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            ledger.bad(line, quote(raw[:200].decode(errors="replace")), f"a row ({error})")
            continue
        evidence.add(row, line, ledger)
    return checked(evidence.seal(ledger), ledger)


def checked(evidence: Evidence, ledger: Ledger) -> Evidence:
    """The evidence, if it holds anything.

    Raises:
        BundleInvalid: every row was bad, or there was none.
    """
    if not any(evidence.videos.values()):
        said = f"; {ledger.bad_rows[0]}" if ledger.bad_rows else ""
        raise BundleInvalid(f"no usable row among {ledger.n_rows}{said}")
    return evidence


def check_source(source: Source) -> None:
    """Whether a source's own words agree.

    Raises:
        BundleInvalid: a name is used twice, or names no action.
    """
    names = [action.name for action in source.actions]
    if len(set(names)) < len(names) or len({a.phrase for a in source.actions}) < len(names):
        raise BundleInvalid("the source names an action, or words one, twice")
    for words in (source.title, *names, *(action.phrase for action in source.actions)):
        if not words or UNPRINTABLE.search(words) or "{" in words:
            raise BundleInvalid(f"the source words something as {quote(words)}; wanted plain words")
    told = [
        *(name for group in source.exclusive for name in group),
        *(name for pair in source.confusable for name in pair),
        *(name for name in (source.talk, source.listen, source.watch) if name),
    ]
    for name in told:
        if name not in names:
            raise BundleInvalid(f"the source speaks of {quote(name)}, which is none of its actions")
    needs: tuple[tuple[Code, tuple[str, ...]], ...] = (
        ("D4", (source.talk, source.listen)),
        ("D5", (source.watch,)),
    )
    for code, wanted in needs:
        if code in source.diagnostics and not all(wanted):
            raise BundleInvalid(f"{code} wants the source to say what talk, listen or watch is")
