"""Name and password against a person, with a limit on guessing."""

from __future__ import annotations

import hashlib

from django.contrib.auth import authenticate
from django.core.cache import cache

from portal.accounts.models import User
from portal.errors import SignInRequired, TooManyTries

TRIES = 10  # wrong passwords for one name from one address
TRIES_SECONDS = 600


def sign_in(*, username: str, password: str, address: str) -> User:
    """The person with that name and password.

    Args:
        address: where the request comes from; tries are counted by name and address.

    Raises:
        SignInRequired: no such pair; which of the two is wrong is not said.
        TooManyTries: ten wrong passwords in ten minutes.
    """
    tries = f"sign-in-{hashlib.sha256(f'{address} {username}'.encode()).hexdigest()}"
    cache.add(tries, 0, TRIES_SECONDS)
    if cache.get(tries, 0) >= TRIES:
        raise TooManyTries(
            "Too many wrong passwords; wait a few minutes.", retry_after=TRIES_SECONDS
        )
    user = authenticate(username=username, password=password)
    if not isinstance(user, User):
        cache.add(tries, 0, TRIES_SECONDS)  # it may have lapsed since
        cache.incr(tries)
        raise SignInRequired("This name and password do not belong together.")
    cache.delete(tries)
    return user
