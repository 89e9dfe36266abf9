"""A benchmark bundle: one directory that fixes one version of a benchmark.

`benchmark.json` (what it is), `questions.jsonl` (public), `truth.jsonl`
(hidden), optional `references.csv` (published results) and `differences.csv`
(published paired comparisons). Digests in `benchmark.json` fix the files.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from evaluator.errors import BundleInvalid

T = TypeVar("T")

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
VERSION = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*\Z")

ReferenceKind = Literal["reported", "human"]


class BootstrapPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How clusters are resampled (STATISTICS, section 1).

    `weights_sha256` is the digest of the int16 weight matrix; empty for a
    version without questions.
    """

    draws: int
    seed: int
    level: float = 0.95
    weights_sha256: str = ""


class TrackPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One track of a version.

    `answers` says how far the world knows the answers: public, hidden, partly.
    `note` is shown on the board (for example: box public).
    """

    slug: str
    title: str
    answers: Literal["public", "hidden", "partly"]
    partial: bool = False
    note: str = ""


class LabelClass(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One class of the version's class list.

    `name` is normalised. `id` and `train_instances` are the parent data set's,
    None for a class of the benchmark's own. `listed` says whether the released
    scorer's class list holds it. `verb` and `object` are empty where the class
    does not split into them.
    """

    name: str
    id: int | None = None
    verb: str = ""
    object: str = ""
    train_instances: int | None = None
    groups: tuple[str, ...] = ()
    listed: bool = True


class Benchmark(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of `benchmark.json`."""

    name: str
    title: str
    family: str
    version: str
    tracks: tuple[TrackPlan, ...]
    rules: str
    cluster: str  # what is resampled: image, video
    bootstrap: BootstrapPlan
    classes: tuple[LabelClass, ...] = ()
    description: str = ""
    licence: str = ""
    citation: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()
    digests: dict[str, str] = {}

    @property
    def address(self) -> str:
        return f"{self.name}@{self.version}"

    def track(self, slug: str) -> TrackPlan:
        """The track of that slug; KeyError if the version has none."""
        for track in self.tracks:
            if track.slug == slug:
                return track
        raise KeyError(slug)


@dataclass(frozen=True, slots=True)
class Reference:
    """One published number, as printed (percent)."""

    track: str
    slice: str
    system: str
    metric: str
    value: str
    low: str
    high: str
    kind: ReferenceKind
    facets: Mapping[str, str]
    source: str


@dataclass(frozen=True, slots=True)
class ReferenceDifference:
    """One published paired difference, as printed (percentage points)."""

    track: str
    slice: str
    first: str
    second: str
    metric: str
    value: str
    low: str
    high: str
    source: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle in memory.

    `questions` and `truth` are the bytes of the JSON Lines files; `truth` is
    None where it is not at hand (an entrant's copy, the web process).
    """

    benchmark: Benchmark
    questions: bytes
    truth: bytes | None
    references: tuple[Reference, ...] = ()
    differences: tuple[ReferenceDifference, ...] = ()

    @property
    def is_reference_only(self) -> bool:
        return not self.questions


_REFERENCE_COLUMNS = [
    "track",
    "slice",
    "system",
    "metric",
    "value_percent",
    "low_percent",
    "high_percent",
    "kind",
    "facets",
    "source",
]
_DIFFERENCE_COLUMNS = [
    "track",
    "slice",
    "first",
    "second",
    "metric",
    "value_points",
    "low_points",
    "high_points",
    "source",
]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_bundle(folder: Path, *, with_truth: bool = True) -> Bundle:
    """The bundle in `folder`, its digests checked.

    Args:
        with_truth: False leaves `truth.jsonl` unopened.

    Raises:
        BundleInvalid: a file is missing, malformed or not what its digest says.
    """
    benchmark = parse_benchmark(_read(folder / "benchmark.json"))
    questions = _read_optional(folder / "questions.jsonl") or b""
    truth = _read_optional(folder / "truth.jsonl") if with_truth else None
    references = _read_optional(folder / "references.csv") or b""
    differences = _read_optional(folder / "differences.csv") or b""
    contents = {
        "questions.jsonl": questions,
        "truth.jsonl": truth,
        "references.csv": references,
        "differences.csv": differences,
    }
    for name, data in contents.items():
        wanted = benchmark.digests.get(name)
        if wanted is None and data:
            raise BundleInvalid(
                f"{name} stands in the folder but benchmark.json has no digest of it"
            )
        if wanted is not None and data is not None and sha256(data) != wanted:
            raise BundleInvalid(
                f"{name} has SHA-256 {sha256(data)[:12]}…, benchmark.json says {wanted[:12]}…; "
                "a bundle never changes: build a new version"
            )
    return Bundle(
        benchmark=benchmark,
        questions=questions,
        truth=truth,
        references=parse_references(references),
        differences=parse_differences(differences),
    )


def parse_benchmark(data: bytes) -> Benchmark:
    """The content of a `benchmark.json`.

    Raises:
        BundleInvalid: not JSON of that shape, or a slug is not one.
    """
    try:
        benchmark = msgspec.json.decode(data, type=Benchmark)
    except msgspec.MsgspecError as error:
        raise BundleInvalid(f"benchmark.json: {error}") from error
    if not SLUG.match(benchmark.name) or not VERSION.match(benchmark.version):
        raise BundleInvalid(
            f"benchmark.json: {benchmark.address} wants a name in lower case with hyphens "
            "and a version such as 1, 2026.1"
        )
    if not benchmark.tracks:
        raise BundleInvalid("benchmark.json: names no track")
    return benchmark


def write_bundle(bundle: Bundle, folder: Path) -> Bundle:
    """Write `bundle` into the new or empty `folder`; returns it with its digests.

    Raises:
        BundleInvalid: the folder holds something already.
    """
    if folder.exists() and any(folder.iterdir()):
        raise BundleInvalid(f"{folder} is not empty; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        "questions.jsonl": bundle.questions,
        "truth.jsonl": bundle.truth or b"",
        "references.csv": format_references(bundle.references),
        "differences.csv": format_differences(bundle.differences),
    }
    contents = {name: data for name, data in contents.items() if data}
    digests = {name: sha256(data) for name, data in contents.items()}
    benchmark = msgspec.structs.replace(bundle.benchmark, digests=digests)
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    (folder / "benchmark.json").write_bytes(format_benchmark(benchmark))
    return Bundle(
        benchmark=benchmark,
        questions=bundle.questions,
        truth=bundle.truth,
        references=bundle.references,
        differences=bundle.differences,
    )


def format_benchmark(benchmark: Benchmark) -> bytes:
    """The bytes of `benchmark.json`; one class a line, so that versions can be compared."""
    return msgspec.json.format(msgspec.json.encode(benchmark), indent=1) + b"\n"


def json_lines(items: Iterable[Any]) -> bytes:
    """JSON Lines of the items, non-ASCII kept, keys in the given order."""
    lines = [
        item if isinstance(item, bytes) else json.dumps(item, ensure_ascii=False).encode()
        for item in items
    ]
    return b"".join(line + b"\n" for line in lines)


@lru_cache(maxsize=8)
def typed_lines(data: bytes, kind: type[T], name: str) -> tuple[T, ...]:
    """The items of JSON Lines, each of one msgspec type.

    Raises:
        BundleInvalid: names the line that is none.
    """
    decoder = msgspec.json.Decoder(kind)
    items = []
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            items.append(decoder.decode(line))
        except msgspec.MsgspecError as error:
            raise BundleInvalid(f"{name} line {number}: {error}") from error
    return tuple(items)


def parse_references(data: bytes) -> tuple[Reference, ...]:
    """Rows of `references.csv`; BundleInvalid names the line that is off."""
    rows = []
    for line, row in _csv_rows(data, _REFERENCE_COLUMNS, "references.csv"):
        if row["kind"] not in ("reported", "human"):
            raise BundleInvalid(f"references.csv line {line}: kind is reported or human")
        facets = dict(pair.split("=", 1) for pair in row["facets"].split(";") if pair)
        _printed_numbers(
            row, ("value_percent", "low_percent", "high_percent"), line, "references.csv"
        )
        rows.append(
            Reference(
                track=row["track"],
                slice=row["slice"],
                system=row["system"],
                metric=row["metric"],
                value=row["value_percent"],
                low=row["low_percent"],
                high=row["high_percent"],
                kind=row["kind"],  # type: ignore[arg-type]  # checked above
                facets=facets,
                source=row["source"],
            )
        )
    return tuple(rows)


def format_references(references: Iterable[Reference]) -> bytes:
    """Inverse of `parse_references`; empty for no rows."""
    return _format_csv(
        _REFERENCE_COLUMNS,
        [
            (
                r.track,
                r.slice,
                r.system,
                r.metric,
                r.value,
                r.low,
                r.high,
                r.kind,
                ";".join(f"{key}={value}" for key, value in r.facets.items()),
                r.source,
            )
            for r in references
        ],
    )


def parse_differences(data: bytes) -> tuple[ReferenceDifference, ...]:
    """Rows of `differences.csv`; BundleInvalid names the line that is off."""
    rows = []
    for line, row in _csv_rows(data, _DIFFERENCE_COLUMNS, "differences.csv"):
        _printed_numbers(
            row, ("value_points", "low_points", "high_points"), line, "differences.csv"
        )
        rows.append(ReferenceDifference(*(row[column] for column in _DIFFERENCE_COLUMNS)))
    return tuple(rows)


def format_differences(differences: Iterable[ReferenceDifference]) -> bytes:
    """Inverse of `parse_differences`; empty for no rows."""
    return _format_csv(
        _DIFFERENCE_COLUMNS,
        [
            (d.track, d.slice, d.first, d.second, d.metric, d.value, d.low, d.high, d.source)
            for d in differences
        ],
    )


def _read(path: Path) -> bytes:
    data = _read_optional(path)
    if data is None:
        raise BundleInvalid(
            f"{path} is missing; `plumbline bundle --help` says how to build a bundle"
        )
    return data


def _read_optional(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BundleInvalid(f"{path} cannot be read: {error.strerror}") from error


def _csv_rows(data: bytes, columns: list[str], name: str) -> list[tuple[int, dict[str, str]]]:
    if not data:
        return []
    try:
        reader = csv.DictReader(io.StringIO(data.decode(), newline=""), strict=True)
        if reader.fieldnames != columns:
            raise BundleInvalid(f"{name}: the first line must read {','.join(columns)}")
        rows = []
        for row in reader:
            if None in row or None in row.values():
                raise BundleInvalid(f"{name} line {reader.line_num}: wants {len(columns)} fields")
            rows.append((reader.line_num, dict(row)))
    except (UnicodeDecodeError, csv.Error) as error:
        raise BundleInvalid(f"{name}: {error}") from error
    return rows


def _printed_numbers(row: dict[str, str], columns: tuple[str, ...], line: int, name: str) -> None:
    for column in columns:
        if row[column] and not re.fullmatch(r"-?\d+(\.\d+)?", row[column]):
            raise BundleInvalid(f"{name} line {line}: {column} {row[column]!r} is not a number")
    if not row[columns[0]]:
        raise BundleInvalid(f"{name} line {line}: {columns[0]} is empty; leave the row out instead")


def _format_csv(columns: list[str], rows: list[tuple[str, ...]]) -> bytes:
    if not rows:
        return b""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode()
