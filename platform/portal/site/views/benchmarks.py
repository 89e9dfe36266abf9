"""What a benchmark is, version by version: tracks, rules, licence, digests, how to take part."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from portal import services
from portal.services.values import TrackSummary, VersionDetail
from portal.site.addresses import board_address, questions_address
from portal.site.commands import commands_for
from portal.site.protocol import facts, resampling, what_is_public
from portal.site.words import metrics_of, primary_metric, track_description

HERE = {"here": "benchmarks"}


@dataclass(frozen=True, slots=True)
class TrackLine:
    """A track as the table of tracks shows it."""

    track: TrackSummary
    description: str
    board_url: str
    questions_url: str


@require_GET
def index(request: HttpRequest) -> HttpResponse:
    context = {**HERE, "benchmarks": services.list_benchmarks()}
    return render(request, "site/benchmarks/list.html", context)


@require_GET
def detail(request: HttpRequest, name: str, version: str = "") -> HttpResponse:
    """One version of a benchmark; by default the promoted one."""
    shown = services.version_detail(benchmark=f"{name}@{version}" if version else name)
    family = shown.benchmark.family
    tracks = [_line(shown, track) for track in shown.version.tracks]
    context = {
        **HERE,
        "benchmark": shown.benchmark,
        "version": shown.version,
        "definition": shown.definition,
        "tracks": tracks,
        "board_url": tracks[0].board_url,
        "answers": what_is_public(shown),
        "resampling": resampling(shown),
        "metrics": metrics_of(family),
        "primary_metric": primary_metric(family),
        "facts": facts(shown),
        "commands": commands_for(
            server=settings.BASE_URL,
            benchmark=name,
            version=shown.version.version,
            track=tracks[0].track.slug,
        ),
    }
    return render(request, "site/benchmarks/detail.html", context)


def _line(shown: VersionDetail, track: TrackSummary) -> TrackLine:
    place = (shown.benchmark.name, shown.version.version, track.slug)
    return TrackLine(
        track=track,
        description=track_description(shown.benchmark.family, track.slug),
        board_url=board_address(*place),
        questions_url="" if shown.version.is_reference_only else questions_address(*place),
    )
