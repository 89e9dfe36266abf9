"""Who is asking: the owner of a token, or of a session that carries its CSRF token."""

from __future__ import annotations

from typing import NoReturn

from django.conf import settings
from django.http import HttpRequest
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from portal import services
from portal.accounts.models import User
from portal.errors import PortalError, SignInRequired

HOW = "Send `Authorization: Bearer plb_…`; `plumbline login` or POST /api/v1/tokens makes a token."


class FormExpired(PortalError):
    """A session without its CSRF token: the request may come from another site."""

    code = "policy.csrf"


class TokenAuth(HttpBearer):
    """`Authorization: Bearer plb_…`; a token that is not known is refused at once."""

    def authenticate(self, request: HttpRequest, token: str) -> User:
        user = services.user_of_token(token=token)
        if user is None:
            raise SignInRequired(f"This token is not valid any more. {HOW}")
        return user


class SessionAuth(APIKeyCookie):
    """The session of a signed-in browser; changes want the CSRF token as well."""

    param_name = settings.SESSION_COOKIE_NAME

    def __init__(self) -> None:
        super().__init__(csrf=False)  # checked below, for the signed-in only
        self.csrf = True  # the docs page then sends the token

    def _get_key(self, request: HttpRequest) -> str | None:
        return request.COOKIES.get(self.param_name)

    def authenticate(self, request: HttpRequest, key: str | None) -> User:
        user = request.user
        if not isinstance(user, User) or not user.is_active:
            _sign_in_first()
        if check_csrf(request) is not None:
            raise FormExpired("Reload the page and try again; scripts use a token instead.")
        return user


SIGNED_IN = [TokenAuth(), SessionAuth()]


def user_of(request: HttpRequest) -> User:
    """The person whom one of the authenticators let in."""
    user = request.auth  # type: ignore[attr-defined]  # set by django-ninja
    if not isinstance(user, User):
        _sign_in_first()
    return user


def _sign_in_first() -> NoReturn:
    raise SignInRequired(HOW)
