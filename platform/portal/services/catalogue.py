"""What can be read and submitted to: benchmarks, versions, questions."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO
from uuid import UUID

import msgspec

from evaluator.bundle import Benchmark as Definition
from evaluator.bundle import Bundle
from evaluator.families import FAMILIES
from portal.benchmarks.models import Benchmark, BenchmarkVersion
from portal.errors import BenchmarkNotFound, PolicyRefused
from portal.evaluations.models import Score
from portal.exchange.storage import open_store
from portal.leaderboard.reading import chosen_evaluations, track_lines
from portal.leaderboard.vocabulary import Vocabulary, vocabulary_of
from portal.services.uploads import upload_limits
from portal.services.values import (
    BenchmarkDocument,
    FamilyDocument,
    TrackDocument,
    VersionDetail,
    VersionDocument,
)

PUBLIC = (BenchmarkVersion.State.OPEN, BenchmarkVersion.State.CLOSED)


def list_benchmarks() -> list[BenchmarkDocument]:
    """All benchmarks with a public version, by title."""
    rows = Benchmark.objects.filter(versions__state__in=PUBLIC).distinct().order_by("title")
    return [_benchmark(row) for row in rows]


def benchmark_detail(*, name: str) -> BenchmarkDocument:
    """One benchmark and its public versions.

    Raises:
        BenchmarkNotFound: no such benchmark, or none of its versions is public.
    """
    row = Benchmark.objects.filter(name=name, versions__state__in=PUBLIC).first()
    if row is None:
        raise BenchmarkNotFound("There is no such benchmark; the list names them all.")
    return _benchmark(row)


def version_detail(*, name: str, version: str) -> VersionDetail:
    """One public version with its definition and the words of its family.

    Raises:
        BenchmarkNotFound: no such version, or not public.
    """
    row = _public_version(name, version)
    definition = _definition(row)
    return {
        **_version(row),
        "benchmark": row.benchmark.name,
        "title": row.benchmark.title,
        "licence": definition.licence,
        "citation": definition.citation,
        "source": definition.source,
        "rules": definition.rules,
        "cluster": definition.cluster,
        "bootstrap": msgspec.to_builtins(definition.bootstrap),
        "notes": list(definition.notes),
        "digests": dict(definition.digests),
        "definition": row.definition,
        "family": _family(row),
        "limits": upload_limits(),
    }


def questions_file(*, name: str, version: str, track: str | None = None) -> Iterator[bytes]:
    """The public questions of a version as JSON Lines, all or those of one track.

    Raises:
        BenchmarkNotFound: no such version or track, or not public.
        PolicyRefused: the version holds published results only.
    """
    row = _public_version(name, version)
    if row.is_reference_only:
        raise PolicyRefused(
            f"{row.address} holds published results only; it has no questions.",
            code="policy.reference_only",
        )
    if track is not None and not row.tracks.filter(slug=track).exists():
        raise BenchmarkNotFound("There is no such track; the version's page names them all.")
    # Opened here, so that a store that is away is told before the answer begins.
    return _lines(open_store("questions").open(row.questions_digest), track)


def example_predictions(*, benchmark: str, version: str, track: str) -> str:
    """A short predictions file that shows the form of a track; empty without questions.

    Raises:
        BenchmarkNotFound: no such version, or not public.
    """
    row = _public_version(benchmark, version)
    return "" if row.is_reference_only else _example(row.id, track)


def _lines(file: BinaryIO, track: str | None) -> Iterator[bytes]:
    with file:
        for line in file:
            if track is None or json.loads(line).get("track") == track:
                yield line


@functools.lru_cache(maxsize=64)
def _example(version_id: UUID, track: str) -> str:
    # What a public version fixed never changes, so the answer may be kept.
    row = BenchmarkVersion.objects.select_related("benchmark").get(id=version_id)
    questions = open_store("questions").get(row.questions_digest)
    bundle = Bundle(benchmark=_definition(row), questions=questions, truth=None)
    return FAMILIES[row.benchmark.family].example(bundle, track).decode()


@functools.lru_cache(maxsize=64)
def _n_questions_by_track(digest: str) -> Counter[str]:
    with open_store("questions").open(digest) as file:
        return Counter(json.loads(line).get("track", "") for line in file)


def _public_version(name: str, version: str) -> BenchmarkVersion:
    row = (
        BenchmarkVersion.objects.select_related("benchmark")
        .filter(benchmark__name=name, version=version, state__in=PUBLIC)
        .first()
    )
    if row is None:
        raise BenchmarkNotFound("There is no such benchmark version; the list names them all.")
    return row


def _definition(row: BenchmarkVersion) -> Definition:
    return msgspec.convert(row.definition, type=Definition)


def _benchmark(row: Benchmark) -> BenchmarkDocument:
    family = FAMILIES.get(row.family)
    versions = row.versions.filter(state__in=PUBLIC).order_by("opened_at", "created_at")
    return {
        "name": row.name,
        "title": row.title,
        "family": row.family,
        "family_title": family.title if family else _words(row).family_title,
        "description": row.description,
        "promoted": row.promoted.version if row.promoted else "",
        "versions": [_version(version) for version in versions],
    }


def _version(row: BenchmarkVersion) -> VersionDocument:
    counts = _n_questions_by_track(row.questions_digest) if row.questions_digest else Counter[str]()
    n_rows = {line.slug: line.n_rows for line in track_lines(row)}
    tracks: list[TrackDocument] = [
        {
            "slug": track.slug,
            "title": track.title,
            "answers": track.answers,
            "note": track.note,
            "partial": track.partial,
            "n_rows": n_rows.get(track.slug, 0),
            "n_questions": counts[track.slug],
        }
        for track in row.tracks.all()
    ]
    return {
        "version": row.version,
        "state": row.state,
        "is_reference_only": row.is_reference_only,
        "n_questions": row.n_questions,
        "opened_at": row.opened_at,
        "tracks": tracks,
    }


def _words(row: Benchmark) -> Vocabulary:
    return vocabulary_of(row.family, "", (), ())


def _family(row: BenchmarkVersion) -> FamilyDocument:
    known = FAMILIES.get(row.benchmark.family)
    rows = chosen_evaluations(row.id)
    addresses = (
        Score.objects.filter(evaluation__in=rows.values("id"))
        .values_list("slice", "metric")
        .distinct()
        .order_by("slice", "metric")
    )
    facets = list(rows.values_list("submission__system__facets", flat=True))
    words = vocabulary_of(row.benchmark.family, "", () if known else addresses, facets)
    return {
        "slug": words.family,
        "title": words.family_title,
        "description": known.description if known else "",
        "primary_metric": words.primary_metric,
        "tracks": [
            {"slug": t.slug, "title": t.title, "description": t.description}
            for t in (known.tracks if known else ())
        ],
        "slices": [
            {"slug": s.slug, "title": s.title, "description": s.description} for s in words.slices
        ],
        "metrics": [
            {
                "slug": m.slug,
                "title": m.title,
                "short": m.short,
                "description": m.description,
                "higher_is_better": m.higher_is_better,
                "headline": m.headline,
            }
            for m in words.metrics
        ],
        "facets": _facets(known.facets) if known else _facets(words.facets),
    }


def _facets(facets: Any) -> list[dict[str, Any]]:  # Any: a family's facets, or a board's words
    return [
        {
            "slug": facet.slug,
            "title": facet.title,
            "help": facet.help,
            "required": getattr(facet, "required", False),
            "values": [{"slug": slug, "title": title} for slug, title in facet.values],
        }
        for facet in facets
    ]
