"""What a benchmark is, version by version: tracks, rules, licence, digests, how to take part."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from portal import services
from portal.services.values import TrackDocument, VersionDetail
from portal.site.addresses import board_address, questions_address
from portal.site.commands import commands_for
from portal.site.protocol import facts, resampling, track_description, what_is_public

HERE = {"here": "benchmarks"}


@require_GET
def index(request: HttpRequest) -> HttpResponse:
    context = {**HERE, "benchmarks": services.list_benchmarks()}
    return render(request, "site/benchmarks/list.html", context)


@require_GET
def detail(request: HttpRequest, name: str, version: str = "") -> HttpResponse:
    """One version of a benchmark; by default the promoted one."""
    benchmark = services.benchmark_detail(name=name)
    shown = version or benchmark["promoted"] or benchmark["versions"][-1]["version"]
    edition = services.version_detail(name=name, version=shown)
    first = edition["tracks"][0]["slug"]
    context = {
        **HERE,
        "benchmark": benchmark,
        "version": edition,
        "address": f"{name}@{shown}",
        "tracks": [_line(edition, track) for track in edition["tracks"]],
        "board_url": board_address(name, shown, first),
        "answers": what_is_public(edition),
        "resampling": resampling(edition),
        "metrics": edition["family"]["metrics"],
        "primary_metric": edition["family"]["primary_metric"],
        "facts": facts(edition),
        "commands": commands_for(
            server=settings.BASE_URL, benchmark=name, version=shown, track=first
        ),
    }
    return render(request, "site/benchmarks/detail.html", context)


def _line(edition: VersionDetail, track: TrackDocument) -> dict[str, object]:
    """A track as the table of tracks shows it."""
    place = (edition["benchmark"], edition["version"], track["slug"])
    return {
        **track,
        "description": track_description(edition["family"], track["slug"]),
        "board_url": board_address(*place),
        "questions_url": "" if edition["is_reference_only"] else questions_address(*place),
    }
