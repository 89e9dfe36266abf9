"""Benchmarks, their versions, and the public questions."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router

from portal import services
from portal.api.openapi import sends
from portal.api.schemas import BenchmarkOut, BenchmarksOut, VersionDetailOut
from portal.services import BenchmarkDocument

router = Router(tags=["benchmarks"])

HIDDEN_FILES = frozenset({"truth.jsonl"})  # its digest would confirm a guess


@router.get("/benchmarks", response=BenchmarksOut)
def benchmarks(request: HttpRequest) -> dict[str, Any]:
    """All benchmarks with their open and closed versions and tracks."""
    return {"benchmarks": services.list_benchmarks()}


@router.get("/benchmarks/{name}", response=BenchmarkOut)
def benchmark(request: HttpRequest, name: str) -> BenchmarkDocument:
    """One benchmark."""
    return services.benchmark_detail(name=name)


@router.get("/benchmarks/{name}/versions/{version}", response=VersionDetailOut)
def version(request: HttpRequest, name: str, version: str) -> dict[str, Any]:
    """One version: what it fixed, the words of its family, and what may be submitted."""
    detail = services.version_detail(name=name, version=version)
    definition = detail["definition"]
    digests = {
        file: digest for file, digest in definition["digests"].items() if file not in HIDDEN_FILES
    }
    return {**detail, "definition": {**definition, "digests": digests}}


@router.get(
    "/benchmarks/{name}/versions/{version}/questions",
    openapi_extra=sends("application/jsonl", "The questions."),
)
def questions(
    request: HttpRequest, name: str, version: str, track: str | None = None
) -> StreamingHttpResponse:
    """The public questions as JSON Lines; without `track` the bytes that the digest fixes."""
    lines = services.questions_file(name=name, version=version, track=track)
    response = StreamingHttpResponse(lines, content_type="application/jsonl")
    label = f"{name}-{version}-{track}" if track else f"{name}-{version}"
    response["Content-Disposition"] = f'attachment; filename="{label}-questions.jsonl"'
    return response
