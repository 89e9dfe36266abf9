"""Pages that explain: what the codes mean."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from portal.codes import CODES, OWNERS


@require_GET
def codes(request: HttpRequest) -> HttpResponse:
    """The closed list of codes, with an anchor for each."""
    owners = [
        {
            "name": name,
            "fault": fault,
            "about": about,
            "entries": [entry for entry in CODES.values() if entry.owner == name],
        }
        for name, (fault, about) in OWNERS.items()
    ]
    return render(request, "site/help/codes.html", {"owners": owners})
