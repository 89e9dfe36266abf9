"""Who you are, and the tokens of your scripts."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router, Status

from portal import services
from portal.api.auth import SIGNED_IN, user_of
from portal.api.schemas import CredentialsIn, MeOut, QuotaOut, TokenOut, TokensOut
from portal.services import QuotaDocument

router = Router(tags=["account"])


@router.get("/me", response=MeOut, auth=SIGNED_IN)
def me(request: HttpRequest) -> dict[str, Any]:
    """Whom the token or session belongs to."""
    user = user_of(request)
    return {"username": user.username, "teams": services.team_names(user=user)}


@router.get("/me/quota", response=QuotaOut, auth=SIGNED_IN)
def quota(request: HttpRequest, benchmark: str) -> QuotaDocument:
    """How many more files your team may submit to `NAME@VERSION`, or to the promoted version."""
    return services.my_quota(user=user_of(request), benchmark=benchmark)


@router.post("/tokens", response={201: TokenOut})
def create_token(request: HttpRequest, credentials: CredentialsIn) -> Status[dict[str, str]]:
    """A token for scripts, by user name and password; shown this once."""
    user = services.sign_in(
        username=credentials.username,
        password=credentials.password,
        address=request.META.get("REMOTE_ADDR", ""),
    )
    return Status(201, {"token": services.issue_token(user=user, name=credentials.name)})


@router.get("/tokens", response=TokensOut, auth=SIGNED_IN)
def tokens(request: HttpRequest) -> dict[str, Any]:
    """Your tokens by prefix and name, never in full."""
    return {"tokens": services.my_tokens(user=user_of(request))}


@router.delete("/tokens/{prefix}", response={204: None}, auth=SIGNED_IN)
def revoke_token(request: HttpRequest, prefix: str) -> Status[None]:
    """Make a token worthless. Revoking it twice does no harm."""
    services.revoke_token(user=user_of(request), prefix=prefix)
    return Status(204, None)
