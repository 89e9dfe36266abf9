"""HTTP client of a Plumbline site: one method per thing the API offers.

Small on purpose, since the board stands on it: httpx, the standard library and
the evaluator's error types. Answers are the API's JSON documents; treat them
as read-only, since boards come from a cache.
"""

from __future__ import annotations

import ipaddress
import json
import random
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar
from urllib.parse import quote, urlsplit

import httpx

import plumbline
from plumbline.answers import Json, document, raise_for_refusal, retry_after, unreachable
from plumbline.errors import (
    AddressInvalid,
    AnswerNotUnderstood,
    ApiError,
    NotFound,
    NotSignedIn,
    PlumblineError,
    ServerUnreachable,
)

__all__ = [
    "AddressInvalid",
    "AnswerNotUnderstood",
    "ApiError",
    "Client",
    "NotFound",
    "NotSignedIn",
    "PlumblineError",
    "ServerUnreachable",
]

API = "/api/v1"
BUSY = frozenset({502, 503, 504})  # the site, or what stands before it, is restarting
PAUSES = (0.2, 0.4, 0.8)  # seconds before a second, third and fourth try
PATIENCE = 6.0  # seconds of pauses in all; a longer Retry-After is the caller's business
UPLOAD_SECONDS = 120.0  # the site stores a large file before it answers
MAX_REMEMBERED = 64  # documents kept with their ETag

T = TypeVar("T")


class Client:
    """A Plumbline site at `base_url`, as the owner of `token` or as nobody.

    May be shared by threads. Requests that change nothing, and uploads, which
    carry an idempotency key, are tried again while the site restarts.
    """

    def __init__(self, base_url: str, token: str | None = None, timeout: float = 10.0) -> None:
        self.base_url = site_address(base_url)
        self.host = urlsplit(self.base_url).netloc
        self._token = token
        self._timeout = timeout
        self._remembered: OrderedDict[str, tuple[str, Json]] = OrderedDict()
        self._lock = threading.Lock()
        self._http = httpx.Client(
            base_url=self.base_url + API,
            headers={"User-Agent": f"plumbline/{plumbline.version()}"},
            timeout=httpx.Timeout(timeout, connect=min(timeout, 5.0)),
            # A proxy of the environment cannot reach this machine's own addresses.
            trust_env=not is_loopback(self.base_url),
        )

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What anybody may read

    def benchmarks(self) -> list[Json]:
        """All benchmarks with their versions and tracks."""
        return _list(self._get("/benchmarks"), "benchmarks")

    def benchmark(self, name: str) -> Json:
        """One benchmark; NotFound where there is none of that name."""
        return self._get(_path("benchmarks", name))

    def version(self, name: str, version: str) -> Json:
        """One version with its definition and limits."""
        return self._get(_path("benchmarks", name, "versions", version))

    def board(self, name: str, version: str, track: str) -> Json:
        """The board of a track; asked again by its ETag, so cheap while it stays the same."""
        return self._get(_path("boards", name, version, track))

    def board_csv(self, name: str, version: str, track: str, *, slice_: str | None = None) -> str:
        """One slice of the same board as CSV text, in percent."""
        path = _path("boards", name, version, f"{track}.csv")
        response = self._send(lambda: self._request("GET", path, {"slice": slice_}))
        self._check(response)
        return response.text

    def system(self, name: str, version: str, track: str, slug: str) -> Json:
        """One row of a board and its paired differences to the others."""
        return self._get(_path("boards", name, version, track, "systems", slug))

    def compare(self, name: str, version: str, track: str, first: str, second: str) -> Json:
        """Paired differences, first minus second."""
        pair = {"first": first, "second": second}
        return self._get(_path("comparisons", name, version, track), pair)

    def questions(self, name: str, version: str, to: Path, *, track: str | None = None) -> int:
        """Write the public questions to the file `to`; how many bytes.

        `to` appears whole or not at all. Without `track`, the questions of all
        tracks: the bytes that the version's digest fixes.
        """
        part = to.with_name(f"{to.name}.part")

        def save(response: httpx.Response) -> httpx.Response:
            if response.is_success:
                with part.open("wb") as file:
                    for chunk in response.iter_bytes():
                        file.write(chunk)
            else:
                response.read()
            return response

        path = _path("benchmarks", name, "versions", version, "questions")
        try:
            response = self._send(lambda: self._request("GET", path, {"track": track}), save)
            self._check(response)
            return part.replace(to).stat().st_size
        finally:
            part.unlink(missing_ok=True)

    # What needs a token

    def submit(
        self,
        file: Path | bytes,
        *,
        benchmark: str,
        track: str,
        system: str,
        publish: bool = False,
        facets: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Json:
        """Hand in a predictions file; the submission as it stands now.

        Args:
            benchmark: `name` for the promoted version, or `name@version`.
            idempotency_key: the same key never makes a second submission; without
                one, each call has its own and its repetitions are safe.
        """
        fields = {
            "benchmark": benchmark,
            "track": track,
            "system": system,
            "publish": "true" if publish else "false",
        }
        if facets:
            fields["facets"] = json.dumps(dict(facets))
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        with _opened(file) as (name, content):

            def prepare() -> httpx.Request:
                if not isinstance(content, bytes):
                    content.seek(0)
                return self._http.build_request(
                    "POST",
                    "/submissions",
                    data=fields,
                    files={"file": (name, content, "application/octet-stream")},
                    headers=headers | self._identity(),
                    timeout=httpx.Timeout(max(self._timeout, UPLOAD_SECONDS), connect=5.0),
                )

            return self._document(self._send(prepare))

    def submission(self, id_: str) -> Json:
        """One submission: state, place in the queue, progress, problems or scores."""
        return self._get(_path("submissions", id_))

    def submissions(self) -> list[Json]:
        """The submissions of the token's owner, latest first."""
        return _list(self._get("/submissions"), "submissions")

    def publish(self, id_: str) -> Json:
        """Put a submission's row on the board."""
        return self._post(_path("submissions", id_, "publish"))

    def withdraw(self, id_: str) -> Json:
        """Take a submission's row off the board, for good."""
        return self._post(_path("submissions", id_, "withdraw"))

    def me(self) -> Json:
        """Who the token belongs to."""
        return self._get("/me")

    def login(self, username: str, password: str, name: str) -> str:
        """A new token called `name`; it is shown this once.

        Raises:
            ApiError: wrong name or password.
        """
        credentials = {"username": username, "password": password, "name": name}
        request = self._http.build_request("POST", "/tokens", json=credentials)
        answer = document(self._send(lambda: request, repeatable=False))
        token = answer.get("token")
        if not isinstance(token, str):
            raise AnswerNotUnderstood(f"{self.host} answered the sign-in without a token.")
        return token

    def tokens(self) -> list[Json]:
        """The owner's tokens by prefix and name, never in full."""
        return _list(self._get("/tokens"), "tokens")

    def revoke_token(self, prefix: str) -> None:
        """Make a token worthless; revoking it twice does no harm."""
        self._check(self._send(lambda: self._request("DELETE", _path("tokens", prefix))))

    # How it is asked

    def _get(self, path: str, query: Mapping[str, str | None] | None = None) -> Json:
        key = f"{path}?{query}"
        with self._lock:
            etag, remembered = self._remembered.get(key, ("", None))
        headers = {"If-None-Match": etag} if remembered is not None else {}
        response = self._send(lambda: self._request("GET", path, query, headers))
        if remembered is not None and response.status_code == httpx.codes.NOT_MODIFIED:
            return remembered
        answer = self._document(response)
        if "ETag" in response.headers:
            with self._lock:
                self._remembered[key] = (response.headers["ETag"], answer)
                self._remembered.move_to_end(key)
                while len(self._remembered) > MAX_REMEMBERED:
                    self._remembered.popitem(last=False)
        return answer

    def _post(self, path: str) -> Json:
        return self._document(self._send(lambda: self._request("POST", path), repeatable=False))

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str | None] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Request:
        params = {key: value for key, value in (query or {}).items() if value is not None}
        return self._http.build_request(
            method, path, params=params, headers={**(headers or {}), **self._identity()}
        )

    def _identity(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}

    def _send(
        self,
        prepare: Callable[[], httpx.Request],
        read: Callable[[httpx.Response], httpx.Response] | None = None,
        *,
        repeatable: bool = True,
    ) -> httpx.Response:
        """The answer to a request, asked again while that is safe and may help.

        Args:
            prepare: a fresh request for each try.
            read: takes the body in; by default into memory.
            repeatable: whether asking twice does no more than asking once. A
                connection that never stood is tried again in any case; a site
                that is too slow is left in peace.
        """
        waited = 0.0
        for pause in (*PAUSES, None):
            try:
                response = self._http.send(prepare(), stream=True)
                try:
                    (read or _read_all)(response)
                finally:
                    response.close()
            except httpx.RequestError as error:
                may_help = isinstance(error, httpx.ConnectError) or (
                    repeatable and not isinstance(error, httpx.TimeoutException)
                )
                if pause is None or not may_help:
                    raise unreachable(error, self.host) from error
            else:
                if pause is None or not (repeatable and response.status_code in BUSY):
                    return response
                pause = max(pause, retry_after(response) or 0.0)
                if waited + pause > PATIENCE:
                    return response
            waited += pause
            time.sleep(pause * random.uniform(0.75, 1.25))  # apart from other clients
        raise AssertionError("the last try returns or raises")

    def _document(self, response: httpx.Response) -> Json:
        self._check(response)
        return document(response)

    def _check(self, response: httpx.Response) -> None:
        try:
            raise_for_refusal(response)
        except NotSignedIn as error:
            how = f"`plumbline login --server {self.base_url}`"
            sentence = (
                f"{self.host} does not accept this token: it has expired, was revoked or "
                f"belongs to another site. Log in again with {how}."
                if self._token
                else f"{self.host} wants to know who you are. Log in with {how}, "
                "or set PLUMBLINE_TOKEN."
            )
            raise NotSignedIn(sentence, status=error.status, code=error.code) from None


def site_address(address: str) -> str:
    """The address of a site in its one form: no query, no closing slash.

    Raises:
        AddressInvalid: not http or https, or no host.
    """
    try:
        parts = urlsplit(address.strip())
        named = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        named = named and "@" not in parts.netloc  # a password has no place in an address
    except ValueError:
        named = False
    if not named:
        raise AddressInvalid(
            f"{address!r} is not the address of a site, such as https://host:8000."
        )
    return parts._replace(query="", fragment="", path=parts.path.rstrip("/")).geturl()


def is_loopback(address: str) -> bool:
    """Whether the site runs on this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _path(*parts: str) -> str:
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def _list(answer: Json, key: str) -> list[Json]:
    found = answer.get(key)
    if not isinstance(found, list):
        raise AnswerNotUnderstood(f"The answer holds no list {key!r}; is the site older than this?")
    return found


def _read_all(response: httpx.Response) -> httpx.Response:
    response.read()
    return response


@contextmanager
def _opened(file: Path | bytes) -> Iterator[tuple[str, BinaryIO | bytes]]:
    if isinstance(file, bytes):
        yield "predictions.json", file
        return
    with file.open("rb") as stream:
        yield file.name, stream
