"""Pieces of a detections file one after another: fast, or exactly where there is a doubt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from evaluator.errors import MAX_PROBLEMS
from evaluator.reading.container import skip_blanks
from evaluator.reading.detections.exact import ItemReader
from evaluator.reading.detections.fast import read_fast
from evaluator.reading.detections.forms import Columns
from evaluator.reading.exact import decode
from evaluator.reading.limits import Broken
from evaluator.reading.pieces import Piece, Pieces
from evaluator.reading.places import line_and_column_at
from evaluator.reading.strict import Parsed, numbered_lines
from evaluator.reading.syntax import explain

RAW_LIST = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(frozen=True, slots=True)
class PieceReader:
    """Reads the pieces of one file.

    Attributes:
        start: offset of the text in the file.
        prefix: JSON pointer of the list of items.
        items: reads decoded items and holds the problems.
    """

    data: bytes
    start: int
    by_line: bool
    prefix: str
    items: ItemReader

    def read_all(self, found: Pieces) -> list[Columns]:
        """The columns of the pieces, up to the first that is no JSON or the twentieth problem."""
        parts: list[Columns] = []
        problems = self.items.problems
        for piece, is_cut in self._in_turn(found):
            n_before = problems.n_problems
            columns = None if is_cut else self._read_fast(piece)
            if columns is None:
                columns = self._read_exactly(piece, is_cut)
            if columns is not None:
                parts.append(columns)
            elif problems.n_problems > n_before:
                return parts
            if problems.n_problems >= MAX_PROBLEMS:
                return parts
        if found.broken:
            self._note_broken(found.broken)
        return parts

    def check_syntax(self, found: Pieces) -> None:
        """Note what keeps the items of a document from being JSON, if anything does."""
        for piece, is_cut in self._in_turn(found):
            if is_cut or not self._is_json(piece):
                self._decode(piece, is_cut)
            if self.items.problems:
                return
        if found.broken and not self.items.problems:
            self._note_broken(found.broken)

    def _in_turn(self, found: Pieces) -> Iterator[tuple[Piece, bool]]:
        """Each piece, and whether it ends in the middle: where a limit is broken, or the file.

        Ends at a gap: a comma without an item before or after it.
        """
        pieces = found.pieces
        if found.broken and found.broken.code == "COUNT":
            pieces = pieces[-1:]  # too many to read, unless a slip in the last made them so
        is_open = found.broken is not None or (found.closed is None and not self.by_line)
        for piece in pieces:
            is_cut = is_open and piece is pieces[-1]
            is_blank = skip_blanks(self.data, piece.start) >= piece.stop
            if is_blank and not self.by_line and not is_cut and len(pieces) > 1:
                self._note_gap(piece)
                return
            yield piece, is_cut

    def _note_broken(self, broken: Broken) -> None:
        problems = self.items.problems
        problems.locate = str
        place = broken.place(self.data, self.start, self.by_line)
        problems.add(broken.code, place, broken.found, broken.wanted)

    def _read_fast(self, piece: Piece) -> Columns | None:
        return read_fast(self.data, piece, self.by_line, self.items.spelling, self.items.vocabulary)

    def _read_exactly(self, piece: Piece, is_cut: bool) -> Columns | None:
        """The columns of a piece whose faults are noted; None if it cannot be parsed."""
        if self.by_line:
            return self._read_lines(self.data[piece.start : piece.stop], piece.first, is_cut)
        items = self._decode(piece, is_cut)
        if items is None:
            return None
        self.items.problems.locate = partial(_shifted, self.prefix, piece.first)
        return self.items.read(items, range(piece.first, piece.first + len(items)))

    def _is_json(self, piece: Piece) -> bool:
        try:
            RAW_LIST.decode(b"[%b]" % self.data[piece.start : piece.stop])
        except msgspec.MsgspecError:
            return False
        return True

    def _decode(self, piece: Piece, is_cut: bool) -> list[Any] | None:
        """The items of a piece; None after noting a fault of syntax, or if it is cut."""
        text = self.data[piece.start : piece.stop]
        characters = (b"[%b" % text if is_cut else b"[%b]" % text).decode()
        try:
            items: list[Any] = decode(characters)
        except json.JSONDecodeError as fault:
            if not is_cut or fault.pos < len(characters) or piece.stop == len(self.data):
                self._note_syntax(characters, fault, piece)
            return None
        return items

    def _read_lines(self, text: bytes, first: int, is_cut: bool) -> Columns:
        items = []
        numbers = []
        last = first + text.count(b"\n")
        for number, line in numbered_lines(text, first):
            characters = line.decode()
            try:
                items.append(decode(characters))
                numbers.append(number)
            except json.JSONDecodeError as fault:
                if not is_cut or number < last or fault.pos < len(characters):
                    self.items.problems.add("SYNTAX", *explain(characters, fault, number))
        self.items.problems.locate = Parsed(items, tuple(numbers)).where
        return self.items.read(items, numbers)

    def _note_gap(self, piece: Piece) -> None:
        before = "[" if piece.first == 0 else ","
        characters = before + self.data[piece.start : piece.stop + 1].decode()
        fault = json.JSONDecodeError("Expecting value", characters, len(characters) - 1)
        self._note_syntax(characters, fault, piece)

    def _note_syntax(self, characters: str, fault: json.JSONDecodeError, piece: Piece) -> None:
        """`characters` are the piece and the one before it."""
        line, column = line_and_column_at(self.data, self.start, piece.start)
        self.items.problems.locate = str
        self.items.problems.add("SYNTAX", *explain(characters, fault, line, column - 1))


def _shifted(prefix: str, first: int, place: str) -> str:
    """The pointer of an item in its list, from the pointer in its piece."""
    if not place.startswith("/"):
        return place
    index, slash, rest = place[1:].partition("/")
    return f"{prefix}/{first + int(index)}{slash}{rest}"
