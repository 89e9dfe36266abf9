"""A long list of items, cut into pieces that can be read one after another.

If `[a]` and `[b]` are JSON, so is `[a, b]`: a text that is cut at the commas
between items is valid when each piece is, so a million items need never be
parsed at once. The cuts come from the skeleton of the text.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from evaluator.reading.container import skip_blanks
from evaluator.reading.limits import (
    MAX_DEPTH,
    MAX_NUMBER_CHARACTERS,
    MAX_STRING_BYTES,
    MAX_WEIGHT,
    Broken,
    Limits,
    weight_of,
)
from evaluator.reading.places import key_before
from evaluator.reading.structure import COLON, COMMA, NEWLINE, OPENINGS, skeletons

MAX_TURNS = 100  # keys and containers of a document looked at to find its items


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole items side by side: `data[start:stop]`.

    Attributes:
        first: position of the first item in the list; in JSON Lines its line, from 1.
        n_keys: keys written in the piece.
    """

    start: int
    stop: int
    first: int
    n_keys: int


@dataclass(slots=True)
class Pieces:
    """Where the items of a text stand.

    Attributes:
        opened: offset of the bracket that opens the list; of the first line.
        closed: offset of the bracket that closes it; None where none does.
        broken: the limit that the items break; the last piece ends there.
    """

    opened: int
    closed: int | None = None
    broken: Broken | None = None
    pieces: list[Piece] = field(default_factory=list)


def list_of_items(data: bytes, start: int, key: str) -> int | None:
    """Offset of the bracket that opens a top-level list, or the list at `key` of an object.

    None where a short look does not find it.
    """
    begin = skip_blanks(data, start)
    if data[begin] == OPENINGS[1]:
        return begin
    colon = begin
    n_turns = 0
    for part in skeletons(data, begin):
        is_key = (part.depth == 1) & (part.mark == COLON)
        opens = (part.depth == 2) & (part.mark == OPENINGS[1])
        for turn in np.flatnonzero(is_key | opens)[: MAX_TURNS - n_turns]:
            if is_key[turn]:
                colon = int(part.at[turn])
            elif _is_key(data, colon, key):
                return int(part.at[turn])
            n_turns += 1
        if n_turns == MAX_TURNS:
            break
    return None


def _is_key(data: bytes, colon: int, key: str) -> bool:
    try:
        return key_before(data, colon) == key
    except ValueError:  # the text is no JSON; its reader will say where
        return False


def cut_items(
    data: bytes,
    opened: int,
    *,
    max_objects: int,
    depth_before: int = 0,
    first_line: int | None = None,
) -> Pieces:
    """The pieces of the list that opens at `opened`, or of the lines from there.

    Args:
        first_line: number of the line at `opened` of JSON Lines; None for a list.
        max_objects: how many objects the items may hold; COUNT beyond.
        depth_before: containers around the list.
    """
    found = Pieces(opened)
    limits = Limits(MAX_DEPTH, 2 * len(data), MAX_STRING_BYTES, depth_before)
    by_line = first_line is not None
    begin, first = (opened + 1, 0) if first_line is None else (opened, first_line)
    n_keys = n_objects = weight = 0
    for whole in skeletons(data, opened, by_line=by_line, max_number=MAX_NUMBER_CHARACTERS):
        part = whole
        if not by_line and len(ends := np.flatnonzero(whole.depth < 1)):
            found.closed = int(whole.at[ends[0]])
            part = whole.until(int(ends[0]))
        found.broken = limits.first_broken(data, part)
        if found.broken:
            break
        separators = part.mark == NEWLINE if by_line else (part.mark == COMMA) & (part.depth == 1)
        is_key = part.mark == COLON
        cuts = np.flatnonzero(separators)
        if len(cuts):
            cut, stop = int(cuts[-1]), int(part.at[cuts[-1]])
            n_keys += int(np.count_nonzero(is_key[:cut]))
            found.pieces.append(Piece(begin, stop, first, n_keys))
            begin, first, n_keys, weight = stop + 1, first + len(cuts), 0, 0
        else:
            cut = 0
        n_keys += int(np.count_nonzero(is_key[cut:]))
        weight += weight_of(part.mark[cut:])
        n_objects += int(np.count_nonzero(part.mark == OPENINGS[0]))
        if n_objects > max_objects or weight > MAX_WEIGHT:
            wanted = f"at most {max_objects:,} in all, {MAX_WEIGHT // 18:,} in one item"
            found.broken = Broken(int(part.at[-1]), "COUNT", "too many detections", wanted)
        if found.broken or found.closed is not None:
            break
    end = len(data) if found.closed is None else found.closed
    end = found.broken.offset if found.broken else end
    found.pieces.append(Piece(begin, end, first, n_keys))
    return found
