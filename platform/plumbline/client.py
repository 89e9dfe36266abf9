"""HTTP client of a Plumbline site: one method per thing the API offers.

Small on purpose, since the board stands on it: httpx, the standard library and
the evaluator's error types. Answers are the API's JSON documents; treat them
as read-only, since some come from a cache.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import httpx

from plumbline.addresses import path_of, site_address
from plumbline.answers import Json, document
from plumbline.content import Content
from plumbline.errors import (
    AddressInvalid,
    AnswerNotUnderstood,
    ApiError,
    FileTooLarge,
    NotFound,
    NotSignedIn,
    PlumblineError,
    ServerUnreachable,
)
from plumbline.parts import Progress
from plumbline.transport import CONNECT_SECONDS, Transport
from plumbline.uploading import SMALL_BYTES, goes_directly, submit_directly

__all__ = [
    "AddressInvalid",
    "AnswerNotUnderstood",
    "ApiError",
    "Client",
    "FileTooLarge",
    "NotFound",
    "NotSignedIn",
    "PlumblineError",
    "ServerUnreachable",
]

UPLOAD_SECONDS = 120.0  # the site stores a large file before it answers


class Client:
    """A Plumbline site at `base_url`, as the owner of `token` or as nobody.

    May be shared by threads. Requests that change nothing, and uploads, which
    carry an idempotency key, are tried again while the site restarts.
    """

    def __init__(self, base_url: str, token: str | None = None, timeout: float = 10.0) -> None:
        self.base_url = site_address(base_url)
        self._timeout = timeout
        self._transport = Transport(self.base_url, token, timeout)

    @property
    def host(self) -> str:
        return self._transport.host

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What anybody may read

    def benchmarks(self) -> list[Json]:
        """All benchmarks with their versions and tracks."""
        return _list(self._transport.get("/benchmarks"), "benchmarks")

    def benchmark(self, name: str) -> Json:
        """One benchmark; NotFound where there is none of that name."""
        return self._transport.get(path_of("benchmarks", name))

    def version(self, name: str, version: str) -> Json:
        """One version with its definition and limits."""
        return self._transport.get(path_of("benchmarks", name, "versions", version))

    def board(self, name: str, version: str, track: str) -> Json:
        """The board of a track; asked again by its ETag, so cheap while it stays the same."""
        return self._transport.get(path_of("boards", name, version, track))

    def board_csv(self, name: str, version: str, track: str, *, slice_: str | None = None) -> str:
        """One slice of the same board as CSV text, in percent."""
        path = path_of("boards", name, version, f"{track}.csv")
        return self._transport.ask("GET", path, {"slice": slice_}).text

    def system(self, name: str, version: str, track: str, slug: str) -> Json:
        """One row of a board and its paired differences to the others."""
        return self._transport.get(path_of("boards", name, version, track, "systems", slug))

    def compare(self, name: str, version: str, track: str, first: str, second: str) -> Json:
        """Paired differences, first minus second."""
        pair = {"first": first, "second": second}
        return self._transport.get(path_of("comparisons", name, version, track), pair)

    def questions(self, name: str, version: str, to: Path, *, track: str | None = None) -> int:
        """Write the public questions to the file `to`; how many bytes.

        `to` appears whole or not at all. Without `track`, the questions of all
        tracks: the bytes that the version's digest fixes.
        """
        part = to.with_name(f"{to.name}.part")

        def save(response: httpx.Response) -> None:
            if response.is_success:
                with part.open("wb") as file:
                    for chunk in response.iter_bytes():
                        file.write(chunk)
            else:
                response.read()

        path = path_of("benchmarks", name, "versions", version, "questions")
        try:
            self._transport.ask("GET", path, {"track": track}, save)
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
        on_progress: Progress | None = None,
    ) -> Json:
        """Hand in a predictions file; the submission as it stands now.

        A file beyond the limit of the form goes straight to the site's store, in parts:
        after a broken connection the same call sends only those that are missing.

        Args:
            benchmark: `name` for the promoted version, or `name@version`.
            idempotency_key: the same key never makes a second submission; without
                one, each call has its own and its repetitions are safe.
            on_progress: called with bytes sent and bytes in all while parts are sent,
                by any thread.

        Raises:
            FileTooLarge: the site takes no file of that size; nothing was sent.
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
        content = Content(file)
        if content.n_bytes > SMALL_BYTES and goes_directly(
            content, self._limits(benchmark), self.host
        ):
            return submit_directly(
                self._transport,
                content,
                benchmark=benchmark,
                track=track,
                submit=lambda upload: self._post_submission(
                    {**fields, "benchmark": upload["benchmark"], "upload": upload["id"]}, headers
                ),
                on_progress=on_progress,
            )
        with content.opened() as stream:
            return self._post_submission(fields, headers, (content.name, stream))

    def submission(self, id_: str) -> Json:
        """One submission: state, place in the queue, progress, problems or scores."""
        return self._transport.get(path_of("submissions", id_))

    def submissions(self) -> list[Json]:
        """The submissions of the token's owner, latest first."""
        return _list(self._transport.get("/submissions"), "submissions")

    def publish(self, id_: str) -> Json:
        """Put a submission's row on the board."""
        return self._post(path_of("submissions", id_, "publish"))

    def withdraw(self, id_: str) -> Json:
        """Take a submission's row off the board, for good."""
        return self._post(path_of("submissions", id_, "withdraw"))

    def me(self) -> Json:
        """Who the token belongs to."""
        return self._transport.get("/me")

    def quota(self, benchmark: str) -> Json:
        """How many more files the owner's team may submit to `name` or `name@version`."""
        return self._transport.get("/me/quota", {"benchmark": benchmark})

    def login(self, username: str, password: str, name: str) -> str:
        """A new token called `name`; it is shown this once.

        Raises:
            ApiError: wrong name or password.
        """
        credentials = {"username": username, "password": password, "name": name}
        request = self._transport.build("POST", "/tokens", json=credentials)
        answer = document(self._transport.send(lambda: request, repeatable=False))
        token = answer.get("token")
        if not isinstance(token, str):
            raise AnswerNotUnderstood(f"{self.host} answered the sign-in without a token.")
        return token

    def tokens(self) -> list[Json]:
        """The owner's tokens by prefix and name, never in full."""
        return _list(self._transport.get("/tokens"), "tokens")

    def revoke_token(self, prefix: str) -> None:
        """Make a token worthless; revoking it twice does no harm."""
        self._transport.ask("DELETE", path_of("tokens", prefix))

    def _post_submission(
        self,
        fields: Mapping[str, str],
        headers: Mapping[str, str],
        file: tuple[str, BinaryIO | bytes] | None = None,
    ) -> Json:
        """The answer to a submission; its key makes it safe to ask again."""

        def prepare() -> httpx.Request:
            if file is not None and not isinstance(file[1], bytes):
                file[1].seek(0)
            return self._transport.build(
                "POST",
                "/submissions",
                data=fields,
                files={"file": (*file, "application/octet-stream")} if file else None,
                headers={**headers, **self._transport.identity()},
                timeout=httpx.Timeout(max(self._timeout, UPLOAD_SECONDS), connect=CONNECT_SECONDS),
            )

        return self._transport.document(self._transport.send(prepare))

    def _limits(self, benchmark: str) -> Json:
        """How large a file may be; empty where the site names no version to ask about."""
        name, _, version = benchmark.partition("@")
        version = version or str(self.benchmark(name).get("promoted") or "")
        limits = self.version(name, version).get("limits") if version else None
        return limits if isinstance(limits, dict) else {}

    def _post(self, path: str) -> Json:
        return document(self._transport.ask("POST", path, repeatable=False))


def _list(answer: Json, key: str) -> list[Json]:
    found = answer.get(key)
    if not isinstance(found, list):
        raise AnswerNotUnderstood(f"The answer holds no list {key!r}; is the site older than this?")
    return found
