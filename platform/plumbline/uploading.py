"""A file finds its road to a site: with the form, or in parts straight to the site's store.

What was sent in parts stays for a day, so a broken upload goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable

from plumbline.addresses import path_of
from plumbline.answers import Json
from plumbline.content import Content
from plumbline.errors import AnswerNotUnderstood, ApiError, FileChanged, FileTooLarge
from plumbline.parts import PartSender, Progress
from plumbline.transport import Transport

SMALL_BYTES = 1024 * 1024  # so little goes with the form without a look at the limits
MAX_VAIN_ROUNDS = 3  # in which nothing more arrived
INCOMPLETE = "policy.upload_incomplete"


def goes_directly(content: Content, limits: Json, host: str) -> bool:
    """Whether the file is too large for the form and small enough for the store.

    Raises:
        FileTooLarge: the site takes no file of that size; nothing was sent.
    """
    by_form, straight = limits.get("max_upload_bytes"), limits.get("max_direct_bytes") or 0
    if by_form is None or content.n_bytes <= by_form:
        return False
    if content.n_bytes > straight:
        raise FileTooLarge(
            f"{content.name} has {content.n_bytes:,} bytes; {host} takes files of "
            f"{max(by_form, straight):,} bytes at most. Nothing was sent."
        )
    return True


def submit_directly(
    transport: Transport,
    content: Content,
    *,
    benchmark: str,
    track: str,
    submit: Callable[[Json], Json],
    on_progress: Progress | None = None,
) -> Json:
    """Send what the store lacks of the file, then let `submit` name the upload.

    Args:
        submit: takes the upload and posts the submission; its answer is returned.

    Raises:
        FileChanged: the file was written to meanwhile.
        ServerUnreachable, ApiError: what was sent is kept for the next try.
    """
    wanted = {
        "benchmark": benchmark,
        "track": track,
        "file_digest": content.digest(),
        "file_bytes": content.n_bytes,
        "file_name": content.name,
    }
    upload = transport.document(
        transport.send(
            lambda: transport.build("POST", "/uploads", json=wanted, headers=transport.identity())
        )
    )
    place = path_of("uploads", str(upload["id"]))
    # The site knows these answers already: to find them again no byte is needed.
    is_known = bool(upload.get("is_known"))
    while True:
        if not is_known:
            _send_missing(transport, place, upload, content, on_progress)
        try:
            return submit(upload)
        except ApiError as error:
            if error.code != INCOMPLETE or not is_known:
                raise
        is_known = False  # withdrawn since
        upload = transport.get(place)


def _send_missing(
    transport: Transport,
    place: str,
    upload: Json,
    content: Content,
    on_progress: Progress | None,
) -> None:
    sender = PartSender(content, int(upload["part_bytes"]), on_progress)
    n_vain = 0
    while upload["missing"]:
        n_missing = int(upload["n_missing"])
        sender.send(upload)
        if content.has_changed:
            transport.ask("DELETE", place)
            raise FileChanged(f"{content.name} was written to while it was sent. Send it again.")
        upload = transport.get(place)
        if upload["state"] != "open":
            raise AnswerNotUnderstood(
                f"{transport.host} ended this upload meanwhile. Send the file again."
            )
        n_vain = 0 if int(upload["n_missing"]) < n_missing else n_vain + 1
        if n_vain == MAX_VAIN_ROUNDS:
            raise AnswerNotUnderstood(
                f"The store of {transport.host} does not take the parts that it asks for. "
                "Please tell the maintainers of the site."
            )
