"""The submit page. Its script posts to the API; without the script the form posts here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO, cast
from urllib.parse import urlencode
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache

from portal import services
from portal.errors import PortalError
from portal.services.values import FamilyDocument, TrackDocument
from portal.site.addresses import board_address, questions_address
from portal.site.commands import commands_for
from portal.site.protocol import track_description
from portal.site.requests import person

FACET = "facet-"  # how the fields of facets begin


@method_decorator(never_cache, name="dispatch")
class SubmitPage(View):
    """Choose version, track and system, and send one file."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return _page(request, values=request.GET)

    def post(self, request: HttpRequest) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        errors = _missing(request)
        if errors:
            return _page(request, values=request.POST, errors=errors, status=400)
        sent = request.POST
        file = cast("UploadedFile[bytes]", request.FILES["file"])
        try:
            accepted = services.submit_predictions(
                user=person(request),
                benchmark=sent.get("benchmark", ""),
                track=sent["track"],
                system=_system(sent),
                file=cast(BinaryIO, file.file),
                file_name=file.name or "",
                publish=sent.get("publish") == "true",
                facets=_facets(sent),
                idempotency_key=sent.get("idempotency_key"),
            )
        except PortalError as refusal:
            return _page(request, values=sent, refusal=refusal, status=refusal.status)
        page = reverse("site:submission", args=(accepted.id,))
        if accepted.is_published_now:
            return redirect(f"{page}?again=published")
        return redirect(f"{page}?again" if accepted.duplicate_of else page)


def _missing(request: HttpRequest) -> dict[str, str]:
    """What the form lacks, by field."""
    errors = {}
    if not request.POST.get("track"):
        errors["track"] = "Choose a track."
    if not _system(request.POST):
        errors["system"] = "Give the system a name, or choose one of yours."
    if "file" not in request.FILES:
        errors["file"] = "Choose the file to send."
    return errors


def _system(sent: Mapping[str, str]) -> str:
    return sent.get("system_choice") or sent.get("system_name", "").strip()


def _facets(sent: Mapping[str, str]) -> dict[str, str]:
    if sent.get("system_choice"):
        return {}  # a system that stands keeps its own
    return {
        name.removeprefix(FACET): value.strip()
        for name, value in sent.items()
        if name.startswith(FACET) and value.strip()
    }


def _page(
    request: HttpRequest,
    *,
    values: Mapping[str, str],
    errors: Mapping[str, str] | None = None,
    refusal: PortalError | None = None,
    status: int = 200,
) -> HttpResponse:
    versions = _open_versions()
    context: dict[str, Any] = {
        "here": "submit",
        "versions": versions,
        "values": values,
        "errors": errors or {},
        "refusal": refusal,
        "limits": services.upload_limits(),
        "idempotency_key": uuid4().hex,
    }
    if versions:
        asked = values.get("benchmark", "")
        named = (v for v in versions if asked in (v["address"], v["name"]))
        context |= _form(request, next(named, versions[0]), values)
    return render(request, "site/submit.html", context, status=status)


def _open_versions() -> list[dict[str, Any]]:
    """Versions that take submissions; of each benchmark the promoted one first."""
    return [
        {
            **version,
            "name": benchmark["name"],
            "title": benchmark["title"],
            "address": f"{benchmark['name']}@{version['version']}",
        }
        for benchmark in services.list_benchmarks()
        for version in sorted(
            benchmark["versions"], key=lambda v: v["version"] != benchmark["promoted"]
        )
        if version["state"] == "OPEN" and not version["is_reference_only"]
    ]


def _form(
    request: HttpRequest, chosen: Mapping[str, Any], values: Mapping[str, str]
) -> dict[str, Any]:
    name, version = chosen["name"], chosen["version"]
    family = services.version_detail(name=name, version=version)["family"]
    is_known = request.user.is_authenticated
    return {
        "chosen": chosen,
        "chosen_url": reverse("site:benchmark-version", args=(name, version)),
        "action": f"{reverse('site:submit')}?{urlencode({'benchmark': chosen['address']})}",
        "tracks": [_track(name, version, family, track) for track in chosen["tracks"]],
        "systems": services.my_systems(user=person(request), benchmark=name) if is_known else [],
        "quota": (
            services.my_quota(user=person(request), benchmark=chosen["address"])
            if is_known
            else None
        ),
        "facets": [
            {**facet, "chosen": values.get(FACET + facet["slug"], "")} for facet in family["facets"]
        ],
    }


def _track(
    name: str, version: str, family: FamilyDocument, track: TrackDocument
) -> dict[str, object]:
    """A track to choose, and what it wants to be sent."""
    slug = track["slug"]
    return {
        **track,
        "description": track_description(family, slug),
        "example": services.example_predictions(benchmark=name, version=version, track=slug),
        "questions_url": questions_address(name, version, slug),
        "board_url": board_address(name, version, slug),
        "commands": commands_for(
            server=settings.BASE_URL, benchmark=name, version=version, track=slug
        ),
    }
