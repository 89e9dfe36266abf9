"""Whether the site stands, and what its refusals are called."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Status

from portal import services
from portal.api.problems import known_codes
from portal.api.schemas import HealthOut, ProblemKindsOut, ReadyOut, StatusOut
from portal.services import HealthDocument, ReadyDocument, StatusDocument

router = Router(tags=["site"])


@router.get("/health", response={200: HealthOut, 503: HealthOut})
def health(request: HttpRequest, response: HttpResponse) -> Status[HealthDocument]:
    """Whether database and broker answer, and when something was last scored.

    Without the database nothing works: 503. Without the broker everything does, later.
    """
    found = services.health()
    response["Cache-Control"] = "no-store"
    return Status(200 if found["database"] else 503, found)


@router.get("/ready", response={200: ReadyOut, 503: ReadyOut})
def ready(request: HttpRequest, response: HttpResponse) -> Status[ReadyDocument]:
    """Whether this process can serve people: database, its tables and the stores, by name.

    503 while one of them is not as it should be; traffic is better sent elsewhere meanwhile.
    """
    found = services.readiness()
    response["Cache-Control"] = "no-store"
    return Status(200 if found["is_ready"] else 503, found)


@router.get("/status", response={200: StatusOut, 503: StatusOut})
def status(request: HttpRequest, response: HttpResponse) -> Status[StatusDocument]:
    """How the house is doing: services, queues, open tracks, faults of ours.

    503 while the database is away, with all that can be told without it.
    """
    found = services.site_status()
    response["Cache-Control"] = "no-store"
    return Status(503 if found["status"] == "down" else 200, found)


@router.get("/problems", response=ProblemKindsOut)
def problems(request: HttpRequest) -> dict[str, Any]:
    """The closed list of codes: whose fault each is, what it means, what to do.

    A problem within a file bears the word alone: `UNKNOWN_ID` for `input.UNKNOWN_ID`.
    """
    return {"problems": list(known_codes())}
