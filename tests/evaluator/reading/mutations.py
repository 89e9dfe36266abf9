"""Files that are nearly right, for readers to disagree about."""

from __future__ import annotations

import json
import random
from pathlib import Path

CORPUS = Path("../shared/data/corpus/files")
LONGEST_SEED = 1200
TOKENS = [
    *(b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\r\n", b" ", b"\t", b"\x0b"),
    *(b"NaN", b"-Infinity", b"1e999", b"1e-400", b"-0", b"-0.0", b"01", b".5", b"1.", b"0x1"),
    *(b"9007199254740992", b"9007199254740993", b"18446744073709551616", b"1E+2", b"5e-324"),
    *(b"1" * 40, b"1" * 41, b"-1." + b"0" * 39, b"null", b"true", b"None", b"nul"),
    *(b'"a":1,', b'"a":', b"{}", b"[]", b"{}\n{}", b'{"a":1}\n', b"[[[[", b"]]]]", b'{"a":{"a":'),
    *(rb"\u0000", rb"\ud800", rb"\udc00", rb"\ud83d\ude00", rb"\u0061", rb"\x", rb"\\", rb"\""),
    *("é".encode(), "\u202e".encode(), "😀".encode(), b"\xff", b"\xed\xa0\x80", b"\xc2", b"\0"),
    *(b"\xef\xbb\xbf", b"'", b"/", b"#", b"\xc2\xa0", b"x" * 45, b'"' + b"y" * 41 + b'"'),
]


def seeds() -> list[bytes]:
    """Small files, right and wrong."""
    items = [
        {"question_id": f"q{n}", "answer": ["A", "é😀"], "box": [0, -0.5, 1e1, 10]}
        for n in range(3)
    ]
    document = {"benchmark": "demo", "predictions": items}
    made = [
        json.dumps(document).encode(),
        json.dumps(document, indent=1, ensure_ascii=False).encode(),
        b"\n".join(json.dumps(item).encode() for item in items),
        b"\r\n".join(json.dumps(item).encode() for item in items) + b"\r\n\r\n",
        b'{"a":[1,{"b":[]}],"c":"\\u00e9"}\n[1,2]\n\n{"a":1}\n',
        b'{"a":NaN,"a":"\\ud800"}\n{"b":[1,]}\n\n{"c":1e999}\n[[[]]]\n',
        b'"a string"',
        b"[]",
    ]
    files = [path.read_bytes() for path in sorted(CORPUS.glob("*"))] if CORPUS.is_dir() else []
    return made + [f for f in files if len(f) <= LONGEST_SEED and f.lstrip()[:1] in (b"{", b"[")]


def mutate(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """The file after a few small accidents."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
        at = rng.randrange(len(out) + 1)
        end = min(len(out), at + rng.choice((1, 1, 2, 5, 20, 100)))
        match rng.randrange(8):
            case 0 | 1:
                out[at:at] = rng.choice(TOKENS)
            case 2:
                out[at:end] = rng.choice(TOKENS)
            case 3:
                del out[at:end]
            case 4:
                out[at:at] = out[at:end]
            case 5:
                del out[at:]
            case 6:
                other = rng.choice(others)
                start = rng.randrange(len(other) + 1)
                out[at:end] = other[start : start + rng.choice((3, 10, 50))]
            case _:
                out[at:end] = bytes(rng.randrange(256) for _ in out[at:end][:2])
    return bytes(out)
