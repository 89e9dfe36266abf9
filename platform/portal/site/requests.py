"""What views ask of a request: who sends it, and whether a script on the page does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

if TYPE_CHECKING:
    from portal.accounts.models import User


def person(request: HttpRequest) -> User:
    """Who is signed in; for views that `login_required` guards."""
    user = request.user
    assert user.is_authenticated
    return user


def next_address(request: HttpRequest, default: str) -> str:
    """Where to go afterwards: a page of this site, or the default."""
    asked = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(
        asked, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return asked if is_ours else default


def live_page(
    request: HttpRequest, page: str, part: str, context: dict[str, object], *, is_settled: bool
) -> HttpResponse:
    """A page of which `live.js` asks one part again and again, or that part alone.

    Args:
        page, part: names of the two templates.
        is_settled: nothing will move any more; the script then stops asking.
    """
    is_part = request.headers.get("X-Requested-With") == "live"
    response = render(request, part if is_part else page, {**context, "is_settled": is_settled})
    response.headers["Vary"] = "Cookie, X-Requested-With"
    response.headers["Cache-Control"] = "private, no-store"
    if is_settled:
        response.headers["X-Settled"] = "yes"
    return response
