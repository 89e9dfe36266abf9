"""Reads what a site answered: JSON documents, problem+json, faults of the wire."""

from __future__ import annotations

import socket
import ssl
from typing import Any

import httpx

from evaluator.errors import Problem
from plumbline.errors import (
    AnswerNotUnderstood,
    ApiError,
    NotFound,
    NotSignedIn,
    PlumblineError,
    ServerUnreachable,
)

# Any: documents of the API; their shape is the API's promise, not this module's.
Json = dict[str, Any]

# Refusals whose kind says as much as their title.
_PLAIN: dict[int, type[ApiError]] = {401: NotSignedIn, 404: NotFound}


def document(response: httpx.Response) -> Json:
    """The JSON object in a good answer.

    Raises:
        ApiError: the site refused.
        AnswerNotUnderstood: not a JSON object, or a redirect.
    """
    raise_for_refusal(response)
    found = _object(response)
    if found is None:
        raise AnswerNotUnderstood(
            f"{_place(response)} answered with something that is not a JSON object. "
            "Is this the address of a Plumbline site?"
        )
    return found


def raise_for_refusal(response: httpx.Response) -> None:
    """Nothing for 2xx and 304; else the error that the answer describes."""
    if response.is_success or response.status_code == httpx.codes.NOT_MODIFIED:
        return
    if response.is_redirect:
        target = response.headers.get("Location", "elsewhere")
        raise AnswerNotUnderstood(
            f"{_place(response)} redirects to {target}; name that site as the server instead."
        )
    raise _refusal(response)


def unreachable(error: httpx.RequestError, host: str) -> ServerUnreachable:
    """What a fault of the wire means, and what to try."""
    causes = _causes(error)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        sentence = f"The name {host} cannot be resolved. Check its spelling and your network."
    elif any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        sentence = f"{host} refuses the connection. Is the site running, and is the port right?"
    elif any(isinstance(cause, ssl.SSLError) for cause in causes):
        sentence = (
            f"No trusted connection to {host}: {causes[-1]}. "
            "Check http or https in the address, and its certificate."
        )
    elif isinstance(error, httpx.ConnectTimeout):
        sentence = f"{host} does not accept a connection in time. Check the address and firewalls."
    elif isinstance(error, httpx.TimeoutException):
        sentence = f"{host} took the request but did not answer in time. Try again in a minute."
    else:
        reason = str(error) or type(error).__name__
        sentence = f"The connection to {host} broke ({reason}). Try again."
    return ServerUnreachable(host, sentence)


def _refusal(response: httpx.Response) -> PlumblineError:
    body = _object(response) or {}
    status = response.status_code
    title, detail = str(body.get("title") or ""), str(body.get("detail") or "")
    if title and detail and status not in _PLAIN:
        detail = f"{title}. {detail}"
    sentence = detail or title or f"{_place(response)} answered {status} {response.reason_phrase}."
    kind = _PLAIN.get(status, ApiError)
    n_problems = body.get("n_problems")
    return kind(
        sentence,
        status=status,
        code=str(body.get("code") or f"http_{status}"),
        remedy=str(body.get("remedy") or ""),
        problems=_problems(body.get("problems")),
        n_problems=n_problems if isinstance(n_problems, int) else None,
        retry_after=retry_after(response),
    )


def _problems(found: object) -> list[Problem]:
    if not isinstance(found, list):
        return []
    return [problem_of(item) for item in found if isinstance(item, dict)]


def problem_of(item: Json) -> Problem:
    """One problem of a predictions file from its JSON form."""
    fields = {name: str(item.get(name) or "") for name in ("code", "where", "found", "wanted")}
    return Problem(**fields, hint=str(item.get("hint") or ""))


def retry_after(response: httpx.Response) -> float | None:
    """Seconds of the Retry-After header; None where it is absent or a date."""
    try:
        return max(0.0, float(response.headers["Retry-After"]))
    except (KeyError, ValueError):
        return None


def _object(response: httpx.Response) -> Json | None:
    try:
        found = response.json()
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _place(response: httpx.Response) -> str:
    return str(response.request.url.copy_with(query=None))


def _causes(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    found: BaseException | None = error
    while found is not None:
        chain.append(found)
        found = found.__cause__ or found.__context__
    return chain
