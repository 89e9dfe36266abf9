"""Is it text at all? Archives, pickles, pages and foreign encodings are named and refused.

Only the bytes are looked at; a file name says nothing.
"""

from __future__ import annotations

import re
from typing import NoReturn

from evaluator.errors import PredictionsInvalid, Problem

WANTED = "a JSON or JSON Lines file in UTF-8"
BLANKS = re.compile(rb"[ \t\r\n]*")
UTF8_MARK = b"\xef\xbb\xbf"
CHUNK = 1 << 20
UNPACK = "Unpack it and send the JSON file inside."
CONVERT = "Convert it first: plumbline convert."
NEVER_RUN = "Files that can run code are never opened: write the predictions with json.dump."

# Magic bytes at the start of the file -> what it is, what to do. First match wins.
MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"\x1f\x8b", "a gzip archive", UNPACK),
    (b"BZh", "a bzip2 archive", UNPACK),
    (b"\xfd7zXZ\x00", "an xz archive", UNPACK),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", UNPACK),
    (b"\x04\x22\x4d\x18", "an LZ4 archive", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    (b"\x93NUMPY", "a NumPy .npy file", "Write the predictions with json.dump."),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "Write the predictions with json.dump."),
    (b"MATLAB 5.0 MAT-file", "a MATLAB .mat file", "Write the predictions with jsonencode."),
    (b"PAR1", "a Parquet file", "Write the predictions with json.dump."),
    (b"ARROW1", "an Arrow file", "Write the predictions with json.dump."),
    (b"SQLite format 3\x00", "an SQLite database", "Write the predictions with json.dump."),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file (.xls)", CONVERT),
    (b"\x7fELF", "an ELF program", "Send the predictions file."),
    (b"MZ\x90\x00", "a Windows program", "Send the predictions file."),
    (b"\xcf\xfa\xed\xfe", "a macOS program", "Send the predictions file."),
    (b"\xca\xfe\xba\xbe", "a compiled program", "Send the predictions file."),
    (b"%PDF-", "a PDF file", "Send the predictions file."),
    (b"\x89PNG\r\n\x1a\n", "a PNG image", "Send the predictions file."),
    (b"\xff\xd8\xff", "a JPEG image", "Send the predictions file."),
)
PICKLE = re.compile(rb"\x80[\x01-\x05]")  # never the start of UTF-8
PAGE = re.compile(rb"[ \t\r\n]*<[!?/A-Za-z]")
ZIP_MEMBERS: tuple[tuple[bytes, str, str], ...] = (
    (b"xl/", "an Excel workbook (.xlsx)", CONVERT),
    (b".npy", "a NumPy .npz archive", "Write the predictions with json.dump."),
    (b"data.pkl", "a PyTorch file", NEVER_RUN),
)
# Byte-order marks, longest first: UTF-32 little endian begins like UTF-16.
FOREIGN_MARKS: tuple[tuple[bytes, str], ...] = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
SAVE_AS_UTF8 = "Save the file as UTF-8."


def start_of_text(data: bytes) -> int:
    """Offset of the JSON text: 3 after a UTF-8 byte-order mark, else 0.

    Raises:
        PredictionsInvalid: CONTAINER, ENCODING or EMPTY; the one thing that is wrong.
    """
    found, hint = _container(data)
    if found:
        refuse("CONTAINER", "byte 0", found, hint)
    for mark, name in FOREIGN_MARKS:
        if data.startswith(mark):
            refuse("ENCODING", "byte 0", f"{name} text", SAVE_AS_UTF8)
    start = len(UTF8_MARK) if data.startswith(UTF8_MARK) else 0
    if skip_blanks(data, start) == len(data):
        refuse("EMPTY", "file", "nothing" if not data else "only blanks", "")
    _check_encoding(data)
    return start


def skip_blanks(data: bytes, offset: int) -> int:
    """Offset of the first byte at or after `offset` that is no JSON whitespace."""
    blanks = BLANKS.match(data, offset)
    return blanks.end() if blanks else offset


def refuse(code: str, where: str, found: str, hint: str, wanted: str = WANTED) -> NoReturn:
    """Refuse the whole file for one reason."""
    raise PredictionsInvalid([Problem(code, where, found, wanted, hint)])


def _container(data: bytes) -> tuple[str, str]:
    for magic, found, hint in MAGIC:
        if data.startswith(magic):
            return found, hint
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        for member, found, hint in ZIP_MEMBERS:
            if member in data[:4096] or member in data[-4096:]:
                return found, hint
        return "a zip archive", UNPACK
    if PICKLE.match(data):
        return "a Python pickle", NEVER_RUN
    if data[257:262] == b"ustar":
        return "a tar archive", UNPACK
    if PAGE.match(data):
        return "an HTML or XML page", "A failed download leaves such a page: fetch it again."
    return "", ""


def _check_encoding(data: bytes) -> None:
    nul = data.find(b"\0")
    if nul >= 0:
        hint = "The upload may be incomplete." if nul > 3 else SAVE_AS_UTF8
        refuse("ENCODING", f"byte {nul}", "a NUL byte (UTF-16, binary or padding)", hint)
    if data.isascii():
        return
    offset = 0
    while offset < len(data):
        end = min(offset + CHUNK, len(data))
        # Cut before the first byte of a character, never within one.
        for _ in range(3):
            if end < len(data) and data[end] & 0xC0 == 0x80:
                end -= 1
        try:
            data[offset:end].decode()
        except UnicodeDecodeError as fault:
            refuse(
                "ENCODING",
                f"byte {offset + fault.start}",
                f"bytes that are not UTF-8 ({fault.reason})",
                SAVE_AS_UTF8,
            )
        offset = end
