"""Files that cost a careless reader its memory or its afternoon.

`python -m tests.evaluator.reading.bombs FOLDER` writes them all, about 700 MB.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Bomb:
    """A file and what a reader should say of it.

    Attributes:
        schema: `qa` or `det`, the demo benchmark that reads it.
        code: of the first problem; empty where the file is to be accepted by `parse`.
        where: its place; None where any will do.
    """

    name: str
    make: Callable[[], bytes]
    schema: str
    code: str
    where: str | None = None


def _pair(score: object = 0.5, image: object = 1) -> bytes:
    box = [1, 2, 30, 40]
    item = {"image_id": image, "hoi_id": 1, "human_box": box, "object_box": box, "score": score}
    return json.dumps(item, separators=(",", ":")).encode()


def _list(item: bytes, n: int, last: bytes = b"") -> bytes:
    return b"[" + b",".join([item] * n + [last] * bool(last)) + b"]"


def _document(items: bytes) -> bytes:
    return b'{"benchmark":"demo-qa-v1","predictions":' + items + b"}"


def _gzip() -> bytes:
    return gzip.compress(b"\0" * (256 * MIB), compresslevel=1, mtime=0)


def _keys(n: int) -> bytes:
    return b"{" + b",".join(b'"k%d":0.5' % number for number in range(n)) + b"}"


# The first seven are those that the corpus describes, byte for byte but the gzip.
BOMBS = [
    Bomb("string_64m", lambda: b'{"benchmark":"' + b"A" * (64 * MIB) + b'","predictions":[]}', "qa",
         "STRING", "/benchmark"),
    Bomb("empty_objects_3m", lambda: _list(b"{}", 3_000_000), "det", "COUNT", ""),
    Bomb("gzip", _gzip, "qa", "CONTAINER", "byte 0"),
    Bomb("digits_1m", lambda: b"[" + b"9" * MIB + b"]", "det", "NUMBER", "byte 1"),
    Bomb("backslashes_8m", lambda: b'"' + b"\\" * (8 * MIB) + b'"', "qa", "TOP_LEVEL", ""),
    Bomb("unclosed_string_16m", lambda: b'"' + b"a" * (16 * MIB), "qa", "SYNTAX",
         "line 1 column 1"),
    Bomb("quote_storm_4m", lambda: b'"\\' * (2 * MIB), "qa", "SYNTAX", "line 1 column 1"),
    # Depth.
    Bomb("lists_1m_deep", lambda: b"[" * MIB, "qa", "DEPTH", "byte 8"),
    Bomb("objects_1m_deep", lambda: b'{"a":' * MIB, "qa", "DEPTH", "byte 40"),
    Bomb("deep_in_a_line", lambda: b'{"a":1}\n' * 1000 + b"[" * MIB, "qa", "DEPTH", "byte 8008"),
    Bomb("deep_detections", lambda: b"[" * MIB, "det", "DEPTH", "byte 8"),
    # Numbers.
    Bomb("digits_64m", lambda: b'{"a":1' + b"0" * (64 * MIB) + b"}", "qa", "NUMBER", "byte 5"),
    Bomb("exponent_16m", lambda: b"[1e" + b"9" * (16 * MIB) + b"]", "qa", "NUMBER", "byte 1"),
    Bomb("long_numbers_1m", lambda: _list(b"1" * 41, MIB), "qa", "NUMBER", "byte 1"),
    Bomb("digits_in_strings", lambda: _document(_list(b'"' + b"1" * 60 + b'"', MIB)), "qa",
         "TYPE", "/predictions/0"),
    Bomb("not_numbers_1m", lambda: _list(b"NaN", MIB), "qa", "NUMBER", "/0"),
    Bomb("infinite_scores", lambda: _list(_pair(0.5), 100_000, _pair(float("inf"))), "det",
         "NUMBER", "/100000/score"),
    # Keys.
    Bomb("one_key", lambda: b"{" + b",".join([b'"a":1'] * 900_000) + b"}", "qa", "DUPLICATE_KEY"),
    Bomb("repeating_objects", lambda: _list(b'{"a":1,"a":2}', 300_000), "qa", "DUPLICATE_KEY"),
    Bomb("escaped_key", lambda: b'{"a":1,' + _keys(900_000)[1:-1] + b',"\\u0061":2}', "qa",
         "DUPLICATE_KEY", "file"),
    Bomb("unknown_keys", lambda: _keys(900_000), "qa", "UNKNOWN_FIELD", "/k0"),
    Bomb("long_keys", lambda: b"{" + b",".join(
        b'"%d%b":1' % (number, b"k" * (1_000_000)) for number in range(60)) + b"}", "qa",
        "UNKNOWN_FIELD"),
    Bomb("key_in_the_last_detection", lambda: _list(
        _pair(), 300_000, b'{"score":0.1,' + _pair()[1:]), "det", "DUPLICATE_KEY", "file"),
    # Strings and escapes.
    Bomb("escapes_32m", lambda: _document(_list(b'"' + rb"\"" * 400_000 + b'"', 40)), "qa",
         "TYPE", "/predictions/0"),
    Bomb("half_pairs_1m", lambda: _list(rb'"\ud800"', MIB), "qa", "STRING", "/0"),
    Bomb("empty_strings", lambda: _list(b'""', 1_900_000), "qa", "TOP_LEVEL", ""),
    Bomb("wide_characters", lambda: _document(_list(
        b'"' + "😀".encode() * 200_000 + b'"', 50)), "qa", "TYPE", "/predictions/0"),
    Bomb("brackets_in_a_string", lambda: _document(b'["' + b"[{" * 400_000 + b'"]'), "qa",
         "TYPE", "/predictions/0"),
    Bomb("image_id_64m", lambda: _list(_pair(image="x" * (64 * MIB)), 1), "det", "STRING",
         "/0/image_id"),
    # Structure.
    Bomb("commas_64m", lambda: b"[" + b"," * (64 * MIB), "qa", "SYNTAX", "line 1 column 2"),
    Bomb("colons_16m", lambda: b"{" + b":" * (16 * MIB), "qa", "SYNTAX", "line 1 column 2"),
    Bomb("quotes_16m", lambda: b"[" + b'"' * (16 * MIB), "qa", "SYNTAX", "line 1 column 4"),
    Bomb("blanks_64m", lambda: b" \n" * (32 * MIB), "qa", "EMPTY", "file"),
    Bomb("blanks_in_a_list", lambda: b"[" + b" \n" * (32 * MIB) + b"]", "det", "EMPTY_LIST", ""),
    Bomb("numbers", lambda: _document(_list(b"0", 1_900_000)), "qa", "TYPE", "/predictions/0"),
    Bomb("nulls_16m", lambda: b"[]" + b"\0" * (16 * MIB), "qa", "ENCODING", "byte 2"),
    Bomb("broken_character_at_the_end", lambda: b'["' + b"a" * (64 * MIB) + b"\xc2", "qa",
         "ENCODING", f"byte {64 * MIB + 2}"),
    # Lines.
    Bomb("lines_2m", lambda: b"{}\n" * (2 * MIB), "qa", "COUNT", ""),
    Bomb("empty_lines", lambda: b"{}\n" + b"\n" * (32 * MIB) + b"{}", "qa", "COUNT", ""),
    Bomb("lines", lambda: b"{}\n" * 600_000, "qa", "MISSING_FIELD", "line 1 /question_id"),
    Bomb("broken_lines", lambda: b"{}\n" + b'{"a":\n' * 450_000, "qa", "SYNTAX",
         "line 2 column 6"),
    # Detections.
    Bomb("crowded_image", lambda: b'[{"file_name":"one.jpg","predictions":'
         + _list(b'{"hoi_id":1,"bbox_h":[1,2,3,4],"bbox_o":[1,2,3,4],"score":1}', 300_000) + b"}]",
         "det", "COUNT", ""),
    Bomb("one_bad_score", lambda: _list(_pair(), 300_000, _pair(7)), "det", "SCORE_RANGE",
         "/300000/score"),
    Bomb("bad_scores", lambda: _list(_pair(7), 300_000), "det", "SCORE_RANGE", "/0/score"),
    Bomb("same_detection_300k", lambda: _list(_pair(), 300_000), "det", "DUPLICATE_ITEM", "/1"),
    Bomb("cut_off_detections", lambda: _list(_pair(), 300_000)[:-20], "det", "SYNTAX"),
    Bomb("missing_bracket_early", lambda: b"[" + _pair()[:-1] + b"," + _list(_pair(), 300_000)[1:],
         "det", "SYNTAX"),
]  # fmt: skip


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for bomb in BOMBS:
        (folder / f"{bomb.name}.json").write_bytes(bomb.make())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
