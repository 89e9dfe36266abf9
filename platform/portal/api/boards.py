"""Boards, rows and comparisons: stored documents, sent as they stand."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from ninja import Router

from portal import services
from portal.api.openapi import sends
from portal.api.schemas import BoardOut, ComparisonOut, SystemOut
from portal.services import Document

router = Router(tags=["boards"])

# A stored board is asked for again each time, and answered 304 while it stands.
CACHE = "no-cache"


@router.get(
    "/boards/{name}/{version}/{track}.csv",
    url_name="board_csv",
    openapi_extra=sends("text/csv", "The rows."),
)
def board_csv(
    request: HttpRequest, name: str, version: str, track: str, slice: str = "all"
) -> HttpResponseBase:
    """The numbers of one slice as CSV, in percent, safe to open in a spreadsheet."""
    text, etag = services.board_table(benchmark=name, version=version, track=track, slice_=slice)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}-{version}-{track}.csv"'
    return _conditional(request, response, f"csv-{slice}-{etag}")


@router.get("/boards/{name}/{version}/{track}", response={200: BoardOut}, url_name="board")
def board(request: HttpRequest, name: str, version: str, track: str) -> HttpResponseBase:
    """The board of a track. Send the ETag back as If-None-Match: 304 while nothing changed."""
    document = services.board_document(benchmark=name, version=version, track=track)
    return _sent(request, document)


@router.get(
    "/boards/{name}/{version}/{track}/systems/{slug}", response=SystemOut, url_name="board_system"
)
def board_system(
    request: HttpRequest, name: str, version: str, track: str, slug: str
) -> dict[str, object]:
    """One row with its paired differences to the others, this system minus the other."""
    return services.system_detail(benchmark=name, version=version, track=track, system=slug)


@router.get("/comparisons/{name}/{version}/{track}", response=ComparisonOut, url_name="comparison")
def comparison(
    request: HttpRequest, name: str, version: str, track: str, first: str, second: str
) -> dict[str, object]:
    """Paired differences of two rows, first minus second."""
    return services.comparison(
        benchmark=name, version=version, track=track, first=first, second=second
    )


def _sent(request: HttpRequest, document: Document) -> HttpResponseBase:
    """The document as it is stored: compressed for whoever takes it so."""
    is_compressed = "gzip" in request.headers.get("Accept-Encoding", "")
    content = document.compressed if is_compressed else document.content
    response = HttpResponse(content, content_type="application/json")
    if is_compressed:
        response["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    return _conditional(request, response, document.etag)


def _conditional(request: HttpRequest, response: HttpResponse, tag: str) -> HttpResponseBase:
    # Weak: the same document travels compressed and plain.
    etag = f'W/"{tag}"'
    response["ETag"] = etag
    response["Cache-Control"] = CACHE
    answer = get_conditional_response(request, etag=etag, response=response)
    return response if answer is None else answer
