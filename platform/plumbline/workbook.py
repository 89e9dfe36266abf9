"""The first sheet of an Excel workbook as text, cell by cell: nothing is guessed or computed.

Strings stay what they are ("None", "NA", "=B1"); a missing cell is an empty
string. Enough for VLMEvalKit's prediction tables; the server never opens one.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from plumbline.faults import Exit, Fault

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
MAX_BYTES = 256 << 20  # of one part, unpacked
MAX_COLUMNS = 16_384
_COLUMN = re.compile(r"[A-Z]{1,3}")


def is_workbook(data: bytes) -> bool:
    """Whether the content is an .xlsx file."""
    return data.startswith(b"PK\x03\x04") and b"xl/" in data


def read_workbook(path: Path) -> list[dict[str, str]]:
    """The rows under the head of the first sheet, by column.

    Raises:
        Fault: it is no workbook, or its head names a column twice.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            strings = list(_shared_strings(archive))
            rows = list(_rows(archive, strings))
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError, IndexError) as fault:
        raise Fault(
            f"{path} cannot be read as an Excel workbook ({fault}).", Exit.NOT_FINE, code="workbook"
        ) from fault
    if not rows:
        raise Fault(f"{path}: its first sheet is empty.", Exit.NOT_FINE, code="workbook")
    columns = {place: name for place, name in rows[0].items() if name}
    if len(set(columns.values())) < len(columns):
        raise Fault(f"{path} names a column twice.", Exit.NOT_FINE, code="workbook")
    return [{name: row.get(place, "") for place, name in columns.items()} for row in rows[1:]]


def _part(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    if archive.getinfo(name).file_size > MAX_BYTES:
        raise ValueError(f"{name} unpacks to more than {MAX_BYTES >> 20} MiB")
    return ElementTree.fromstring(archive.read(name))


def _shared_strings(archive: zipfile.ZipFile) -> Iterator[str]:
    if "xl/sharedStrings.xml" in archive.namelist():
        for entry in _part(archive, "xl/sharedStrings.xml").findall(f"{MAIN}si"):
            yield _text(entry)


def _text(entry: ElementTree.Element) -> str:
    """The text of a string and of its runs, without phonetic hints."""
    runs = [*entry.findall(f"{MAIN}t"), *entry.findall(f"{MAIN}r/{MAIN}t")]
    return "".join(run.text or "" for run in runs)


def _rows(archive: zipfile.ZipFile, strings: list[str]) -> Iterator[dict[int, str]]:
    """Rows of the first sheet, text by the number of the column; blank rows are left out."""
    for row in _part(archive, _first_sheet(archive)).iter(f"{MAIN}row"):
        cells = {}
        for following, cell in enumerate(row.findall(f"{MAIN}c")):
            place = _column(cell.get("r", ""), following)
            if place < MAX_COLUMNS and (text := _cell(cell, strings)):
                cells[place] = text
        if cells:
            yield cells


def _first_sheet(archive: zipfile.ZipFile) -> str:
    sheet = _part(archive, "xl/workbook.xml").find(f"{MAIN}sheets/{MAIN}sheet")
    wanted = sheet.get(RELATION) if sheet is not None else None
    for relation in _part(archive, "xl/_rels/workbook.xml.rels"):
        if relation.get("Id") == wanted:
            target = relation.get("Target", "")
            return target[1:] if target.startswith("/") else f"xl/{target}"
    raise KeyError("the workbook names no sheet")


def _column(reference: str, otherwise: int) -> int:
    letters = _COLUMN.match(reference)
    if not letters:
        return otherwise
    number = 0
    for letter in letters[0]:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _cell(cell: ElementTree.Element, strings: list[str]) -> str:
    """What a cell says: of a formula its text, since nothing here computes."""
    formula = cell.find(f"{MAIN}f")
    if formula is not None and formula.text:
        return f"={formula.text}"
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        inline = cell.find(f"{MAIN}is")
        return _text(inline) if inline is not None else ""
    value = cell.find(f"{MAIN}v")
    written = (value.text or "") if value is not None else ""
    if kind == "s":
        return strings[int(written)]
    if kind == "b":
        return {"1": "True", "0": "False"}.get(written, written)
    return written
